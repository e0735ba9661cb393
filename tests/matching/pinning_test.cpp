// After a pursuit, scores that were updated spike by spike equal scores recomputed from the traces that are
// left. With the lags of the correlations reversed they do not: the test can fail.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "matching/window_problem.hpp"

namespace kokkosort::test {
namespace {

constexpr double bound = 1e-3;  // of |ΔB| / ‖U‖, in standard deviations of the noise

/// Two neurons on the same channels, one early and one late in the waveform: they correlate where the second
/// lies 40 samples before the first, and nowhere else.
TemplateProblem early_and_late() {
  constexpr std::size_t nt = 61;
  TemplateProblem problem{linear_probe(3), {}, {}};
  std::vector<Waveform> waves(2, Waveform(nt));
  for (std::size_t t = 0; t < nt; ++t) {
    const double early = (static_cast<double>(t) - 10.0) / 3.0;
    const double late = (static_cast<double>(t) - 50.0) / 3.0;
    waves[0][t] = std::exp(-early * early);
    waves[1][t] = std::exp(-late * late);
  }
  problem.pcs.wPCA = orthonormal(waves);
  problem.pcs.wTEMP = problem.pcs.wPCA;
  problem.templates = HostTensor3<float>("kokkosort::test::templates", 2, 3, 2);
  for (std::size_t c = 0; c < 3; ++c) problem.templates(0, c, 0) = problem.templates(1, c, 1) = 12.0f;
  return problem;
}

template <class Exec>
class PinningTest : public testing::Test {
 protected:
  PinningTest() { RecordProperty("seed", std::to_string(seed)); }

  /// Overlapping spikes at every distance up to nt + 1, at both ends of the window, and at random.
  HostMatrix<float> busy_traces(const TemplateProblem& problem) {
    const int nt = problem.nt();
    const auto n_units = static_cast<std::int32_t>(problem.n_templates());
    const std::int64_t n_samples = 60 * nt;
    const std::int64_t first = nt / 2;  // centre of the first score
    const std::int64_t last = n_samples - 1 - nt / 2;
    std::vector<TemplateSpike> spikes = {{first, 0, 1.0},          {first + 1, n_units - 1, 1.0},
                                         {first + nt + 1, 0, 1.2}, {first + 2 * nt + 2, 0, 1.0},
                                         {last, 0, 1.1},           {last - 1, n_units - 1, 1.0},
                                         {last - nt - 1, 0, 1.0}};
    for (const std::int64_t from_end : {2, 10, nt / 2, nt - 1}) {
      spikes.push_back({first + from_end, static_cast<std::int32_t>(from_end) % n_units, 1.0});
      spikes.push_back({last - from_end, static_cast<std::int32_t>(from_end) % n_units, 1.0});
    }
    // A train of each neuron, nt + 1 apart, with one of another neuron in between.
    for (std::int32_t u = 0; u < 10; ++u) {
      const std::int64_t start = (6 + 4 * u) * nt;
      for (const std::int64_t t : {std::int64_t{0}, std::int64_t{nt} + 1, 2 * (std::int64_t{nt} + 1)})
        spikes.push_back({start + t, u % n_units, 1.0});
      spikes.push_back({start + nt * (u + 1) / 10, (u + 1) % n_units, 1.1});
    }
    for (const TemplateSpike& spike : random_spikes(random, problem.n_templates(), 50, 0, n_samples))
      spikes.push_back(spike);
    const HostMatrix<float> traces =
        noise_traces(random, problem.n_channels(), static_cast<std::size_t>(n_samples));
    add_spikes(direct_waveforms(problem), spikes, nt, traces);
    return traces;
  }

  static void expect_pinned(const std::string& name, const TemplateProblem& problem,
                            const HostMatrix<float>& traces) {
    WindowProblem<Exec> window(problem, traces);
    EXPECT_TRUE(window.chase().finished);
    const std::size_t spikes = window.spikes().size();
    const double error = window.largest_error();
    std::cout << Exec::name() << ", " << name << ": " << spikes << " spikes, largest |dB|/|U| " << error
              << "\n";
    EXPECT_GT(spikes, 50u);
    EXPECT_LE(error, bound);
    const WindowContents left = window.contents();
    double changed = 0.0;
    for (std::size_t c = 0; c < left.traces.size(); ++c)
      for (std::size_t t = 0; t < left.traces[c].size(); ++t)
        changed = std::max(changed, std::abs(double{left.traces[c][t]} - traces(c, t)));
    EXPECT_GT(changed, 3.0) << "nothing was taken out of the traces";
  }

  /// The same with correlations at the wrong lags.
  static void expect_violated(const TemplateProblem& problem, const HostMatrix<float>& traces) {
    WindowProblem<Exec> window(problem, traces);
    const auto& values = window.correlations.values;
    const auto lags = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
    const HostMatrix<float> reversed("kokkosort::test::reversed", lags.extent(0), lags.extent(1));
    for (std::size_t pair = 0; pair < lags.extent(0); ++pair)
      for (std::size_t k = 0; k < lags.extent(1); ++k) reversed(pair, k) = lags(pair, lags.extent(1) - 1 - k);
    Kokkos::deep_copy(values, reversed);
    window.chase();
    const double error = window.largest_error();
    std::cout << Exec::name() << ", lags reversed: largest |dB|/|U| " << error << "\n";
    EXPECT_GT(error, 1000.0 * bound);
  }

  static constexpr std::uint64_t seed = 221;
  std::mt19937_64 random{seed};
};
TYPED_TEST_SUITE(PinningTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(PinningTest, RandomTemplates) {
  const TemplateProblem problem = random_problem(
      this->random, shuffle_channels(this->random, staggered_probe(24)), random_pcs(this->random, 6, 61), 20);
  const HostMatrix<float> traces = this->busy_traces(problem);
  this->expect_pinned("random templates", problem, traces);
  this->expect_violated(problem, traces);
}

TYPED_TEST(PinningTest, ShortWaveforms) {
  const TemplateProblem problem =
      random_problem(this->random, linear_probe(12), random_pcs(this->random, 3, 9), 10);
  const HostMatrix<float> traces = this->busy_traces(problem);
  this->expect_pinned("9 samples", problem, traces);
  this->expect_violated(problem, traces);
}

TYPED_TEST(PinningTest, SpikeLikeTemplates) {
  const TemplateProblem problem =
      random_problem(this->random, shuffle_channels(this->random, two_shank_probe(24)), spike_pcs(), 20);
  const HostMatrix<float> traces = this->busy_traces(problem);
  this->expect_pinned("spikes", problem, traces);
  this->expect_violated(problem, traces);
}

TYPED_TEST(PinningTest, TemplatesThatCorrelateAtLargeLags) {
  const TemplateProblem problem = early_and_late();
  const auto waves = direct_waveforms(problem);
  ASSERT_GT(direct_correlation(waves[0], waves[1], 40), 400.0);
  ASSERT_LT(std::abs(direct_correlation(waves[0], waves[1], -40)), 1.0);
  const HostMatrix<float> traces = this->busy_traces(problem);
  this->expect_pinned("large lags", problem, traces);
  this->expect_violated(problem, traces);
}

}  // namespace
}  // namespace kokkosort::test
