// More spikes in a window than any buffer holds, and twenty thousand templates: none is lost or mistaken.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"
#include "matching/match_problem.hpp"

namespace kokkosort::test {
namespace {

template <class Exec>
class ManySpikesTest : public testing::Test {
 protected:
  ManySpikesTest() { RecordProperty("seed", std::to_string(seed)); }

  /// A template's [channels, pcs], zero but on one channel.
  static void set_on_channel(TemplateProblem& problem, std::size_t k, std::size_t channel,
                             const std::vector<float>& values) {
    for (std::size_t p = 0; p < problem.n_pcs(); ++p) problem.templates(k, channel, p) = values[p];
  }

  /// Matches what was planted in silence, and expects all of it and nothing else.
  static Matching expect_all(const TemplateProblem& problem, const std::vector<TemplateSpike>& planted,
                             std::size_t n_samples, const MatchingOptions& options) {
    const HostMatrix<float> traces("kokkosort::test::traces", problem.n_channels(), n_samples);
    add_to_footprints(problem, planted, traces);
    TransferLedger ledger;
    Matching matching = match_samples<Exec>(problem, stored_samples<std::int16_t>(traces), options, ledger);
    EXPECT_EQ(matching.unfinished_windows, 0);
    expect_same(planted, spikes_of(problem, matching));
    return matching;
  }

  static void expect_same(std::vector<TemplateSpike> planted, const std::vector<TemplateSpike>& found) {
    sort_by_time(planted);
    ASSERT_EQ(found.size(), planted.size());
    for (std::size_t i = 0; i < planted.size(); ++i) {
      ASSERT_EQ(found[i].centre, planted[i].centre) << i;
      ASSERT_EQ(found[i].unit, planted[i].unit) << i;
      ASSERT_NEAR(found[i].amplitude, planted[i].amplitude, 2e-3) << i;
    }
  }

  /// As add_spikes, but not over the thousands of channels on which a template is zero.
  static void add_to_footprints(const TemplateProblem& problem, const std::vector<TemplateSpike>& spikes,
                                const HostMatrix<float>& traces) {
    const auto half = problem.nt() / 2;
    for (const TemplateSpike& spike : spikes) {
      const auto place = static_cast<std::size_t>(spike.unit) % problem.n_channels();
      for (std::size_t c = place; c < std::min(place + 3, problem.n_channels()); ++c)
        for (int s = 0; s < problem.nt(); ++s)
          for (std::size_t p = 0; p < problem.n_pcs(); ++p)
            traces(c, static_cast<std::size_t>(spike.centre - half + s)) +=
                static_cast<float>(spike.amplitude) *
                problem.templates(static_cast<std::size_t>(spike.unit), c, p) *
                problem.pcs.wPCA(p, static_cast<std::size_t>(s));
    }
  }

  static constexpr std::uint64_t seed = 345;
  std::mt19937_64 random{seed};
};
TYPED_TEST_SUITE(ManySpikesTest, ExecutionSpaces, ExecutionSpaceName);

/// 40 neurons that fire at once, every 20 samples: a block of the pursuit has one spike a round.
TYPED_TEST(ManySpikesTest, OfOneWindow) {
  constexpr std::size_t n_neurons = 40;
  constexpr std::int64_t n_samples = 60000;
  TemplateProblem problem{linear_probe(n_neurons), random_pcs(this->random, 2, 9), {}};
  problem.templates = HostTensor3<float>("kokkosort::test::templates", n_neurons, n_neurons, 2);
  for (std::size_t k = 0; k < n_neurons; ++k)
    this->set_on_channel(problem, k, k, {60.0f + static_cast<float>(k), 20.0f});
  std::vector<TemplateSpike> planted;
  std::uniform_real_distribution<double> amplitude(0.7, 1.3);
  for (std::int64_t t = 10; t + 10 < n_samples; t += 20)
    for (std::int32_t k = 0; k < static_cast<std::int32_t>(n_neurons); ++k)
      planted.push_back({t, k, amplitude(this->random)});
  ASSERT_GT(planted.size(), 100000u);
  const Matching matching = this->expect_all(problem, planted, n_samples, {});
  EXPECT_EQ(matching.windows, 1);
  EXPECT_EQ(matching.most_rounds, 40);

  // Features are the template's: the spikes of all others are elsewhere, and taken out.
  ASSERT_EQ(matching.n_spikes(), planted.size());
  for (std::size_t i = 0; i < matching.n_spikes(); ++i) {
    const auto k = static_cast<std::size_t>(matching.unit[i]);
    for (std::size_t row = 0; row < 10; ++row)
      for (std::size_t p = 0; p < 2; ++p) {
        const auto c = static_cast<std::size_t>(matching.centres.channels(k, row));
        ASSERT_NEAR(matching.features(i, row, p), matching.amplitude[i] * problem.templates(k, c, p), 0.05)
            << i;
      }
  }
}

/// 20 on each of a thousand channels, which reach two channels further: each finds its own spike.
TYPED_TEST(ManySpikesTest, OfTwentyThousandTemplates) {
  constexpr std::size_t n_channels = 1000;
  constexpr std::size_t n_templates = 20000;
  TemplateProblem problem{linear_probe(n_channels), random_pcs(this->random, 3, 9), {}};
  problem.templates = HostTensor3<float>("kokkosort::test::templates", n_templates, n_channels, 3);
  std::normal_distribution<float> value(0.0f, 30.0f);
  std::vector<TemplateSpike> planted;
  for (std::size_t k = 0; k < n_templates; ++k) {
    const std::size_t place = k % n_channels;
    for (std::size_t c = place; c < std::min(place + 3, n_channels); ++c)
      this->set_on_channel(problem, k, c, {value(this->random), value(this->random), value(this->random)});
    const std::size_t slot = k / n_channels * 15 + place % 15;
    planted.push_back({static_cast<std::int64_t>(10 + 20 * slot), static_cast<std::int32_t>(k), 1.0});
  }
  MatchingOptions options;
  options.window_samples = 2000;
  const Matching matching = this->expect_all(problem, planted, 6020, options);
  EXPECT_EQ(matching.windows, 4);
}

/// All on the same few channels: 400 million pairs are refused before they are listed.
TYPED_TEST(ManySpikesTest, OfTwentyThousandTemplatesThatAllMeetAreRefused) {
  TemplateProblem problem{linear_probe(4), random_pcs(this->random, 6, 61), {}};
  problem.templates = HostTensor3<float>("kokkosort::test::templates", 20000, 4, 6);
  std::normal_distribution<float> value(0.0f, 10.0f);
  for (std::size_t i = 0; i < problem.templates.size(); ++i)
    problem.templates.data()[i] = value(this->random);
  MatchingOptions options;
  options.window_samples = 1000;
  TransferLedger ledger;
  const std::vector<std::int16_t> samples(4 * 1000, 0);
  const std::string message =
      message_of<DeviceLimitError>([&] { match_samples<TypeParam>(problem, samples, options, ledger); });
  EXPECT_NE(message.find("memory.device_limit_mb = 4096 is too small: matching 20000 templates"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find(" of them for the templates' correlations"), std::string::npos) << message;
}

}  // namespace
}  // namespace kokkosort::test
