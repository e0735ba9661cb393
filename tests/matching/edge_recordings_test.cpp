// Recordings of any length and type, and spikes at their very ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "host_copies.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/templates/placed_templates.hpp"
#include "matching/match_problem.hpp"
#include "matching/pursuit_reference.hpp"

namespace kokkosort::test {
namespace {

template <class Exec>
class EdgeRecordingsTest : public testing::Test {
 protected:
  EdgeRecordingsTest() { RecordProperty("seed", std::to_string(seed)); }

  template <class T>
  static Matching match(const TemplateProblem& problem, const std::vector<T>& samples,
                        int window_samples = 60000, double scale = test_scale) {
    MatchingOptions options;
    options.window_samples = window_samples;
    TransferLedger ledger;
    return match_samples<Exec>(problem, samples, options, ledger, scale);
  }

  /// The spikes of a recording in f64: it is zero outside, and peaks are within it.
  static std::vector<TemplateSpike> direct_spikes(const TemplateProblem& problem,
                                                  const HostMatrix<float>& traces) {
    const std::size_t n = traces.extent(1);
    const auto nt = static_cast<std::size_t>(problem.nt());
    const std::int64_t shift = centre_of(problem, 0);
    const std::size_t n_scores = n + static_cast<std::size_t>(std::max<std::int64_t>(shift, 0));
    const HostMatrix<float> padded("kokkosort::test::padded", traces.extent(0), n_scores + nt - 1);
    for (std::size_t c = 0; c < traces.extent(0); ++c)
      for (std::size_t t = 0; t < n; ++t) padded(c, t + nt / 2) = traces(c, t);
    TransferLedger ledger;
    const auto order =
        place_templates(Kokkos::Serial(), problem.probe, problem.templates, ledger).template_at;
    DirectPursuit direct(problem, padded, n_scores, order);
    std::vector<TemplateSpike> spikes = direct.pursue(8.0, 100);
    std::erase_if(spikes, [&](const TemplateSpike& spike) { return spike.centre < shift; });
    return spikes;
  }

  /// A few neurons at 20 sigma, whose waveforms do not look like their own halves.
  TemplateProblem few_templates(std::size_t n_templates = 3) {
    return random_problem(random, linear_probe(4), spike_pcs(), n_templates, 50.0, 20.0, 24.0);
  }

  static void expect_same_spikes(const std::vector<TemplateSpike>& found,
                                 const std::vector<TemplateSpike>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].centre, expected[i].centre) << i;
      EXPECT_EQ(found[i].unit, expected[i].unit) << i;
      EXPECT_NEAR(found[i].amplitude, expected[i].amplitude, 1e-3) << i;
    }
  }

  static constexpr std::uint64_t seed = 331;
  std::mt19937_64 random{seed};
};
TYPED_TEST_SUITE(EdgeRecordingsTest, ExecutionSpaces, ExecutionSpaceName);

/// Shorter than a waveform, than a window, one window, one more.
TYPED_TEST(EdgeRecordingsTest, AnyLength) {
  const TemplateProblem problem = this->few_templates();
  constexpr std::size_t window = 620;
  std::size_t spikes = 0;
  for (const std::size_t n : {1u, 10u, 40u, 60u, 61u, 62u, 122u, 619u, 620u, 621u, 1239u, 1240u, 1241u}) {
    SCOPED_TRACE(std::to_string(n) + " samples");
    const HostMatrix<float> traces = noise_traces(this->random, 4, n);
    std::vector<TemplateSpike> planted;
    for (std::int64_t t = 35; t < static_cast<std::int64_t>(n) + 10; t += 190)
      planted.push_back({t, static_cast<std::int32_t>(t / 190) % 3, 1.0});
    add_spikes(direct_waveforms(problem), planted, problem.nt(), traces);
    const auto samples = stored_samples<std::int16_t>(traces);
    const Matching matching = this->match(problem, samples, window);
    this->expect_same_spikes(spikes_of(problem, matching),
                             this->direct_spikes(problem, as_traces(samples, 4)));
    EXPECT_EQ(matching.windows, static_cast<std::int64_t>((n + window - 1) / window));
    spikes += matching.n_spikes();
  }
  EXPECT_GT(spikes, 25u);
}

TYPED_TEST(EdgeRecordingsTest, NoSamples) {
  const TemplateProblem problem = this->few_templates();
  EXPECT_EQ(this->match(problem, std::vector<std::int16_t>()).n_spikes(), 0u);
}

/// Cut waveforms are found too: wherever the f64 reference finds them, and all of which half remains.
TYPED_TEST(EdgeRecordingsTest, SpikesAtBothEnds) {
  const TemplateProblem problem = this->few_templates();
  const auto waves = direct_waveforms(problem);
  const auto energy = direct_energy(problem.templates);
  constexpr std::int64_t n = 400;
  std::size_t found_at_ends = 0;
  for (std::int64_t k = 0; k <= problem.nt(); ++k)
    for (const std::int64_t peak : {k, n - 1 - k}) {
      SCOPED_TRACE("peak at " + std::to_string(peak) + " of " + std::to_string(n));
      const auto unit = static_cast<std::int32_t>(k % 3);
      const TemplateSpike planted{centre_of(problem, peak), unit, 1.0};
      const HostMatrix<float> clean("kokkosort::test::clean", 4, n);
      add_spikes(waves, {planted}, problem.nt(), clean);
      double left = 0.0;
      for (std::size_t i = 0; i < clean.size(); ++i) left += double{clean.data()[i]} * clean.data()[i];
      const HostMatrix<float> traces = noise_traces(this->random, 4, n);
      for (std::size_t i = 0; i < clean.size(); ++i) traces.data()[i] += clean.data()[i];
      const auto samples = stored_samples<std::int16_t>(traces);
      const auto found = spikes_of(problem, this->match(problem, samples));
      this->expect_same_spikes(found, this->direct_spikes(problem, as_traces(samples, 4)));
      if (left < 0.75 * energy[static_cast<std::size_t>(unit)]) continue;
      ++found_at_ends;
      ASSERT_EQ(found.size(), 1u);
      EXPECT_EQ(found[0].unit, unit);
      EXPECT_LE(std::abs(found[0].centre - planted.centre), 2);
    }
  EXPECT_GT(found_at_ends, 80u);
}

TYPED_TEST(EdgeRecordingsTest, AllTypesOfSamples) {
  const TemplateProblem problem = this->few_templates();
  const HostMatrix<float> traces = noise_traces(this->random, 4, 3000);
  add_spikes(direct_waveforms(problem), random_spikes(this->random, 3, 40, 0, 3000), problem.nt(), traces);
  const auto int16 = stored_samples<std::int16_t>(traces);
  const Matching expected = this->match(problem, int16);
  ASSERT_GT(expected.n_spikes(), 30u);
  const auto expect_same = [&](const Matching& matching) {
    EXPECT_EQ(matching.sample, expected.sample);
    EXPECT_EQ(matching.unit, expected.unit);
    EXPECT_EQ(matching.amplitude, expected.amplitude);
    EXPECT_EQ(to_host(matching.features), to_host(expected.features));
  };
  const std::vector<std::int32_t> int32(int16.begin(), int16.end());
  expect_same(this->match(problem, int32));
  const std::vector<float> float32(int16.begin(), int16.end());
  expect_same(this->match(problem, float32));

  // Not below zero: the same traces as unsigned and signed numbers.
  const HostMatrix<float> positive("kokkosort::test::positive", 4, 3000);
  for (std::size_t i = 0; i < traces.size(); ++i) positive.data()[i] = std::abs(traces.data()[i]);
  const Matching as_signed = this->match(problem, stored_samples<std::int32_t>(positive));
  const Matching as_unsigned = this->match(problem, stored_samples<std::uint16_t>(positive));
  EXPECT_EQ(as_unsigned.sample, as_signed.sample);
  EXPECT_EQ(to_host(as_unsigned.features), to_host(as_signed.features));

  // Numbers beyond int16's.
  const auto fine = this->match(problem, stored_samples<std::int32_t>(traces, 1e-6), 60000, 1e-6);
  EXPECT_EQ(fine.sample, expected.sample);
}

TYPED_TEST(EdgeRecordingsTest, LargestUnsignedSamples) {
  TemplateProblem problem = this->few_templates(1);
  std::vector<std::uint16_t> samples(4 * 200, 0);
  const HostMatrix<float> traces("kokkosort::test::traces", 4, 200);
  add_spikes(direct_waveforms(problem), {{100, 0, -1.0}}, problem.nt(), traces);
  for (std::size_t t = 0; t < 200; ++t)
    for (std::size_t c = 0; c < 4; ++c) samples[t * 4 + c] = traces(c, t) > 1.0f ? 65535 : 0;
  const Matching matching = this->match(problem, samples, 60000, 1.0 / 6553.5);
  const Matching as_float =
      this->match(problem, std::vector<float>(samples.begin(), samples.end()), 60000, 1.0 / 6553.5);
  EXPECT_EQ(matching.sample, as_float.sample);
  EXPECT_EQ(to_host(matching.features), to_host(as_float.features));
}

TYPED_TEST(EdgeRecordingsTest, AZeroTemplateAndNoneAreErrors) {
  TemplateProblem problem = this->few_templates();
  const auto samples = stored_samples<std::int16_t>(noise_traces(this->random, 4, 500));
  std::fill_n(&problem.templates(1, 0, 0), 4 * 6, 0.0f);
  const std::string message = message_of<InputError>([&] { this->match(problem, samples); });
  EXPECT_NE(message.find("template 1 "), std::string::npos) << message;
  problem.templates = HostTensor3<float>("kokkosort::test::templates", 0, 4, 6);
  EXPECT_THROW(this->match(problem, samples), InputError);
}

TYPED_TEST(EdgeRecordingsTest, TooSmallALimitNamesItsKey) {
  const TemplateProblem problem = this->few_templates();
  const auto samples = stored_samples<std::int16_t>(noise_traces(this->random, 4, 500));
  MatchingOptions options;
  options.device_limit_bytes = 20000;
  TransferLedger ledger;
  const std::string message =
      message_of<InputError>([&] { match_samples<TypeParam>(problem, samples, options, ledger); });
  EXPECT_NE(message.find("memory.device_limit_mb"), std::string::npos) << message;
}

TYPED_TEST(EdgeRecordingsTest, TooFewRoundsAreReported) {
  const TemplateProblem problem = this->few_templates();
  const HostMatrix<float> traces = noise_traces(this->random, 4, 4000);
  add_spikes(direct_waveforms(problem), {{1700, 0, 1.0}, {1710, 1, 1.0}, {1725, 2, 1.0}, {1740, 0, 1.0}}, 61,
             traces);
  const auto samples = stored_samples<std::int16_t>(traces);
  MatchingOptions options;
  options.window_samples = 1000;
  options.max_peels = 1;
  TransferLedger ledger;
  const Matching few = match_samples<TypeParam>(problem, samples, options, ledger);
  EXPECT_EQ(few.windows, 4);
  EXPECT_EQ(few.unfinished_windows, 1);
  EXPECT_EQ(few.most_rounds, 1);
  options.max_peels = 100;
  const Matching all = match_samples<TypeParam>(problem, samples, options, ledger);
  EXPECT_EQ(all.unfinished_windows, 0);
  EXPECT_GT(all.n_spikes(), few.n_spikes());
}

}  // namespace
}  // namespace kokkosort::test
