// Spikes of known templates, times and amplitudes in noise are found, and nothing else is.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "matching/match_problem.hpp"

namespace kokkosort::test {
namespace {

template <class Exec>
class PlantedSpikesTest : public testing::Test {
 protected:
  PlantedSpikesTest() { RecordProperty("seed", std::to_string(seed)); }

  /// Spikes of random neurons, each silent for 2 ms after a spike, of at least 12 sigma.
  std::vector<TemplateSpike> trains(const TemplateProblem& problem, std::int64_t n_samples, double rate_hz) {
    std::exponential_distribution<double> interval(rate_hz / 30000.0);
    std::uniform_real_distribution<double> amplitude(0.8, 1.2);
    std::vector<TemplateSpike> spikes;
    for (std::int32_t u = 0; u < static_cast<std::int32_t>(problem.n_templates()); ++u)
      for (double t = interval(random); t < static_cast<double>(n_samples); t += 60.0 + interval(random))
        spikes.push_back({static_cast<std::int64_t>(t), u, amplitude(random)});
    sort_by_time(spikes);
    return spikes;
  }

  void expect_found(const std::string& name, const TemplateProblem& problem, double rate_hz) {
    constexpr std::size_t n_samples = 180000;
    const HostMatrix<float> traces = noise_traces(random, problem.n_channels(), n_samples);
    const std::vector<TemplateSpike> planted = trains(problem, n_samples, rate_hz);
    add_spikes(direct_waveforms(problem), planted, problem.nt(), traces);
    MatchingOptions options;
    options.window_samples = 50000;
    TransferLedger ledger;
    const Matching matching =
        match_samples<Exec>(problem, stored_samples<std::int16_t>(traces), options, ledger);
    const std::vector<TemplateSpike> found = spikes_of(problem, matching);
    const auto pairs = static_cast<double>(count_pairs(planted, found, 2));
    const double recall = pairs / static_cast<double>(planted.size());
    const double precision = pairs / static_cast<double>(found.size());
    std::cout << Exec::name() << ", " << name << ": " << planted.size() << " planted, " << found.size()
              << " found, recall " << recall << ", precision " << precision << ", at most "
              << matching.most_rounds << " rounds\n";
    EXPECT_EQ(matching.unfinished_windows, 0);
    EXPECT_GE(recall, 0.99);
    EXPECT_GE(precision, 0.99);
  }

  static constexpr std::uint64_t seed = 301;
  std::mt19937_64 random{seed};
};
TYPED_TEST_SUITE(PlantedSpikesTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(PlantedSpikesTest, AreFoundOnAColumn) {
  this->expect_found("a column",
                     random_problem(this->random, linear_probe(16), spike_pcs(), 12, 50.0, 15.0, 30.0), 8.0);
}

TYPED_TEST(PlantedSpikesTest, AreFoundOnFourColumns) {
  this->expect_found("four columns",
                     random_problem(this->random, shuffle_channels(this->random, staggered_probe(32)),
                                    spike_pcs(), 20, 50.0, 15.0, 30.0),
                     8.0);
}

TYPED_TEST(PlantedSpikesTest, AreFoundOnTwoShanks) {
  this->expect_found("two shanks",
                     random_problem(this->random, shuffle_channels(this->random, two_shank_probe(24)),
                                    spike_pcs(), 16, 50.0, 15.0, 30.0),
                     8.0);
}

TYPED_TEST(PlantedSpikesTest, NoiseAloneHasNone) {
  const TemplateProblem problem = random_problem(this->random, linear_probe(16), spike_pcs(), 20);
  const auto samples = stored_samples<std::int16_t>(noise_traces(this->random, 16, 30000));
  TransferLedger ledger;
  EXPECT_EQ(match_samples<TypeParam>(problem, samples, {}, ledger).n_spikes(), 0u);
}

/// Spikes' samples are those of the waveforms' peaks, their amplitudes multiples of the template.
TYPED_TEST(PlantedSpikesTest, SampleAndAmplitude) {
  const TemplateProblem problem =
      random_problem(this->random, linear_probe(8), spike_pcs(), 4, 50.0, 50.0, 60.0);
  const HostMatrix<float> traces = noise_traces(this->random, 8, 4000, 0.1f);
  std::vector<TemplateSpike> planted;
  for (std::int32_t i = 0; i < 12; ++i)
    planted.push_back({centre_of(problem, 300 * i + 150), i % 4, 0.5 + 0.1 * i});
  add_spikes(direct_waveforms(problem), planted, problem.nt(), traces);
  TransferLedger ledger;
  const Matching matching =
      match_samples<TypeParam>(problem, stored_samples<std::int16_t>(traces), {}, ledger);
  ASSERT_EQ(matching.n_spikes(), 12u);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(matching.sample[i], static_cast<std::int64_t>(300 * i + 150));
    EXPECT_EQ(matching.unit[i], static_cast<std::int32_t>(i % 4));
    EXPECT_NEAR(matching.amplitude[i], planted[i].amplitude, 0.02);
  }
  EXPECT_EQ(problem.pcs.peak_sample, 20);
}

}  // namespace
}  // namespace kokkosort::test
