// A recording's answer does not depend on the windows that it is matched in.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/matching/window.hpp"
#include "matching/match_problem.hpp"

namespace kokkosort::test {
namespace {

template <class Exec>
class SeamsTest : public testing::Test {
 protected:
  SeamsTest() { RecordProperty("seed", std::to_string(seed)); }

  static Matching match(const TemplateProblem& problem, const std::vector<std::int16_t>& samples,
                        int window_samples) {
    MatchingOptions options;
    options.window_samples = window_samples;
    TransferLedger ledger;
    return match_samples<Exec>(problem, samples, options, ledger);
  }

  static constexpr std::uint64_t seed = 321;
  std::mt19937_64 random{seed};
};
TYPED_TEST_SUITE(SeamsTest, ExecutionSpaces, ExecutionSpaceName);

/// A spike at every distance from a seam, up to two waveforms before and behind.
TYPED_TEST(SeamsTest, SpikesAroundSeamsAreFoundOnce) {
  const TemplateProblem problem =
      random_problem(this->random, linear_probe(4), spike_pcs(), 3, 50.0, 18.0, 25.0);
  const int nt = problem.nt();
  constexpr std::int64_t length = 700;
  MatchingOptions options;
  options.window_samples = length;
  const auto windows = make_windows((4 * nt + 3) * length, nt, problem.pcs.peak_sample, options);
  std::vector<TemplateSpike> planted;
  for (int k = 0; k <= 4 * nt; ++k) {
    const std::int64_t seam = windows[static_cast<std::size_t>(k)].core_end;
    planted.push_back({seam + k - 2 * nt, k % 3, 1.0});
  }
  const HostMatrix<float> traces =
      noise_traces(this->random, 4, (4 * static_cast<std::size_t>(nt) + 3) * length);
  add_spikes(direct_waveforms(problem), planted, nt, traces);
  const auto found = spikes_of(problem, this->match(problem, stored_samples<std::int16_t>(traces), length));
  EXPECT_EQ(found.size(), planted.size());
  EXPECT_EQ(count_pairs(planted, found, 1), planted.size());
}

/// The same with a second spike that overlaps the first, so that each is found only once the other is out.
TYPED_TEST(SeamsTest, OverlappingSpikesAroundSeamsAreFoundOnce) {
  const TemplateProblem problem =
      random_problem(this->random, linear_probe(4), spike_pcs(), 3, 50.0, 25.0, 30.0);
  const int nt = problem.nt();
  constexpr std::int64_t length = 700;
  const auto n_samples = static_cast<std::size_t>((4 * nt + 3) * length);
  MatchingOptions options;
  options.window_samples = length;
  const auto windows =
      make_windows(static_cast<std::int64_t>(n_samples), nt, problem.pcs.peak_sample, options);
  std::vector<TemplateSpike> planted;
  for (int k = 0; k <= 4 * nt; ++k) {
    const std::int64_t seam = windows[static_cast<std::size_t>(k)].core_end;
    planted.push_back({seam + k - 2 * nt, k % 3, 1.0});
    planted.push_back({seam + k - 2 * nt + 25, (k + 1) % 3, 1.0});
  }
  const HostMatrix<float> traces = noise_traces(this->random, 4, n_samples);
  add_spikes(direct_waveforms(problem), planted, nt, traces);
  const auto samples = stored_samples<std::int16_t>(traces);
  const auto found = spikes_of(problem, this->match(problem, samples, length));
  const auto whole = spikes_of(problem, this->match(problem, samples, 1 << 20));
  EXPECT_EQ(count_pairs(found, whole, 0), whole.size());
  EXPECT_EQ(found.size(), whole.size());
  EXPECT_GE(count_pairs(planted, found, 2), planted.size() * 98 / 100);
}

/// A busy recording: 99.9 % of spikes the same in sample and template.
TYPED_TEST(SeamsTest, OtherWindowsGiveTheSameSpikes) {
  const TemplateProblem problem =
      random_problem(this->random, shuffle_channels(this->random, staggered_probe(16)), spike_pcs(), 12);
  constexpr std::size_t n_samples = 50000;
  const HostMatrix<float> traces = noise_traces(this->random, 16, n_samples);
  add_spikes(direct_waveforms(problem), random_spikes(this->random, 12, n_samples / 20, 0, n_samples),
             problem.nt(), traces);
  const auto samples = stored_samples<std::int16_t>(traces);
  const Matching whole_matching = this->match(problem, samples, 1 << 20);
  EXPECT_EQ(whole_matching.windows, 1);
  const auto whole = spikes_of(problem, whole_matching);
  EXPECT_GT(whole.size(), 2000u);
  for (const int length : {500, 1000, 3333, 20000, 49999, 50000, 50001}) {
    const Matching matching = this->match(problem, samples, length);
    const auto found = spikes_of(problem, matching);
    const std::size_t same = count_pairs(found, whole, 0);
    std::cout << TypeParam::name() << ", windows of " << length << ": " << found.size() << " spikes, of "
              << whole.size() << " the same " << same << "\n";
    EXPECT_GE(static_cast<double>(same), 0.999 * static_cast<double>(std::max(whole.size(), found.size())))
        << length;
    EXPECT_EQ(matching.windows, (50000 + length - 1) / length);
  }
}

TYPED_TEST(SeamsTest, SpikesAreInOrderOfTime) {
  const TemplateProblem problem = random_problem(this->random, linear_probe(8), spike_pcs(), 6);
  const HostMatrix<float> traces = noise_traces(this->random, 8, 10000);
  add_spikes(direct_waveforms(problem), random_spikes(this->random, 6, 500, 0, 10000), problem.nt(), traces);
  const Matching matching = this->match(problem, stored_samples<std::int16_t>(traces), 600);
  EXPECT_GT(matching.n_spikes(), 300u);
  EXPECT_TRUE(std::is_sorted(matching.sample.begin(), matching.sample.end()));
  EXPECT_EQ(matching.unit.size(), matching.n_spikes());
  EXPECT_EQ(matching.amplitude.size(), matching.n_spikes());
  EXPECT_EQ(matching.features.size(), matching.n_spikes() * 8 * 6);
}

TYPED_TEST(SeamsTest, WindowsShorterThanTheirOverlapAreRefused) {
  const TemplateProblem problem = random_problem(this->random, linear_probe(4), spike_pcs(), 3);
  const auto samples = stored_samples<std::int16_t>(noise_traces(this->random, 4, 1000));
  for (const int length : {0, 1, 61, 100}) {
    const std::string message = message_of<InputError>([&] { this->match(problem, samples, length); });
    EXPECT_NE(message.find("matching.window_samples"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace kokkosort::test
