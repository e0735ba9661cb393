#include "kokkosort/matching/pursuit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "matching/pursuit_reference.hpp"
#include "matching/window_problem.hpp"

namespace kokkosort::test {
namespace {

void expect_same_spikes(const std::vector<TemplateSpike>& found, const std::vector<TemplateSpike>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].centre, expected[i].centre) << "spike " << i;
    ASSERT_EQ(found[i].unit, expected[i].unit) << "spike " << i;
    ASSERT_NEAR(found[i].amplitude, expected[i].amplitude, 1e-4) << "spike " << i;
  }
}

template <class Exec>
class PursuitTest : public testing::Test {
 protected:
  PursuitTest() { RecordProperty("seed", std::to_string(seed)); }

  /// Noise with a spike every `spacing` samples on average, many of them on each other.
  HostMatrix<float> busy_traces(const TemplateProblem& problem, std::size_t n_samples, std::size_t spacing) {
    const HostMatrix<float> traces = noise_traces(random, problem.n_channels(), n_samples);
    add_spikes(direct_waveforms(problem),
               random_spikes(random, problem.n_templates(), n_samples / spacing, 0,
                             static_cast<std::int64_t>(n_samples)),
               problem.nt(), traces);
    return traces;
  }

  /// The same spikes and the same end as the reference. @return how many
  static std::size_t expect_as_direct(const TemplateProblem& problem, const HostMatrix<float>& traces,
                                      const MatchingOptions& options = {}, std::int64_t first_block = 0) {
    WindowProblem<Exec> window(problem, traces, options, first_block);
    const PursuitEnd end = window.chase();
    DirectPursuit direct(problem, traces, window.window.n_scores, window.placed.template_at);
    const std::vector<TemplateSpike> expected = direct.pursue(options.threshold, options.max_peels);
    expect_same_spikes(window.spikes(), expected);
    EXPECT_EQ(end.rounds, direct.rounds());
    EXPECT_EQ(end.finished, direct.finished() || end.rounds < options.max_peels);
    return expected.size();
  }

  static constexpr std::uint64_t seed = 211;
  std::mt19937_64 random{seed};
};
TYPED_TEST_SUITE(PursuitTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(PursuitTest, AsDirectPursuit) {
  const Probe probes[] = {linear_probe(12), shuffle_channels(this->random, staggered_probe(24)),
                          shuffle_channels(this->random, two_shank_probe(16))};
  std::size_t spikes = 0;
  for (const Probe& probe : probes)
    for (const std::size_t nt : {9u, 61u}) {
      SCOPED_TRACE(std::to_string(probe.x_um.size()) + " channels, " + std::to_string(nt) + " samples");
      const TemplateProblem problem =
          random_problem(this->random, probe, random_pcs(this->random, 6, nt), 14);
      spikes += this->expect_as_direct(problem, this->busy_traces(problem, 25 * nt, nt / 2));
    }
  EXPECT_GT(spikes, 150u);
}

/// Groups of blocks follow the recording's samples: windows may begin with any of the three.
TYPED_TEST(PursuitTest, AnyFirstBlock) {
  const TemplateProblem problem =
      random_problem(this->random, linear_probe(8), random_pcs(this->random, 3, 9), 8);
  const HostMatrix<float> traces = this->busy_traces(problem, 400, 6);
  for (const std::int64_t block :
       std::initializer_list<std::int64_t>{-4, -3, -2, -1, 0, 1, 2, 3, 1000001, 10000000001}) {
    SCOPED_TRACE(block);
    EXPECT_GT(this->expect_as_direct(problem, traces, {}, block), 30u);
  }
}

/// Fewer centres than a block, one block, one more, and so on.
TYPED_TEST(PursuitTest, WindowsOfAnyLength) {
  const TemplateProblem problem =
      random_problem(this->random, linear_probe(4), random_pcs(this->random, 3, 9), 5);
  std::size_t spikes = 0;
  for (std::size_t centres : {1u, 2u, 9u, 10u, 11u, 19u, 20u, 21u, 29u, 30u, 31u, 255u, 256u, 257u}) {
    SCOPED_TRACE(std::to_string(centres) + " centres");
    for (const std::int64_t block : {0, 1, 2})
      spikes += this->expect_as_direct(problem, this->busy_traces(problem, centres + 8, 5), {}, block);
  }
  EXPECT_GT(spikes, 100u);
}

TYPED_TEST(PursuitTest, NothingAboveThreshold) {
  const TemplateProblem problem =
      random_problem(this->random, linear_probe(8), random_pcs(this->random, 6, 61), 8);
  EXPECT_EQ(this->expect_as_direct(problem, noise_traces(this->random, 8, 1000)), 0u);
  EXPECT_EQ(this->expect_as_direct(problem, noise_traces(this->random, 8, 1000, 0.0f)), 0u);
}

/// Waveforms upside down are no spikes.
TYPED_TEST(PursuitTest, NegativeProjectionsAreNoSpikes) {
  const TemplateProblem problem =
      random_problem(this->random, linear_probe(8), random_pcs(this->random, 6, 61), 1);
  const HostMatrix<float> traces = noise_traces(this->random, 8, 600);
  add_spikes(direct_waveforms(problem), {{300, 0, -1.0}}, problem.nt(), traces);
  WindowProblem<TypeParam> window(problem, traces);
  window.chase();
  for (const TemplateSpike& spike : window.spikes()) EXPECT_NE(spike.centre, 300 - 30);
}

TYPED_TEST(PursuitTest, ReportsThatRoundsWereNotEnough) {
  const TemplateProblem problem =
      random_problem(this->random, linear_probe(8), random_pcs(this->random, 6, 61), 8);
  const HostMatrix<float> traces = this->busy_traces(problem, 900, 15);
  WindowProblem<TypeParam> window(problem, traces);
  const int needed = window.chase().rounds;
  ASSERT_GT(needed, 3);
  for (const int peels : {1, 2, needed - 1, needed, needed + 1})
    for (const int per_look : {1, 2, 3, 50}) {
      SCOPED_TRACE(std::to_string(peels) + " of " + std::to_string(needed) + " rounds, looking after " +
                   std::to_string(per_look));
      MatchingOptions options;
      options.max_peels = peels;
      options.rounds_per_look = per_look;
      WindowProblem<TypeParam> bounded(problem, traces, options);
      const PursuitEnd end = bounded.chase();
      EXPECT_EQ(end.rounds, std::min(peels, needed));
      EXPECT_EQ(end.finished, peels >= needed);
      DirectPursuit direct(problem, traces, window.window.n_scores, window.placed.template_at);
      expect_same_spikes(bounded.spikes(), direct.pursue(options.threshold, peels));
    }
}

/// A spike every sample: dozens of rounds, and afterwards none is left above threshold.
TYPED_TEST(PursuitTest, VeryManySpikes) {
  const TemplateProblem problem =
      random_problem(this->random, shuffle_channels(this->random, staggered_probe(64)), spike_pcs(), 40);
  const HostMatrix<float> traces = this->busy_traces(problem, 1000, 1);
  MatchingOptions options;
  options.max_peels = 2000;
  WindowProblem<TypeParam> window(problem, traces, options);
  const PursuitEnd end = window.chase();
  EXPECT_TRUE(end.finished);
  const std::vector<TemplateSpike> spikes = window.spikes();
  std::cout << TypeParam::name() << ": " << spikes.size() << " spikes in " << end.rounds << " rounds\n";
  EXPECT_GT(spikes.size(), 500u);
  EXPECT_GT(end.rounds, 20);
  const auto energy = direct_energy(problem.templates);
  const auto scores = window.contents().scores;
  for (std::size_t u = 0; u < scores.size(); ++u)
    EXPECT_LE(*std::max_element(scores[u].begin(), scores[u].end()) / std::sqrt(energy[u]),
              options.threshold * 1.00001);
  EXPECT_LE(window.largest_error(), 1e-3);
}

template <class Exec>
class PursuitBytesTest : public PursuitTest<Exec> {
 protected:
  struct Bytes {
    std::vector<TemplateSpike> spikes;
    WindowContents contents;
    int rounds;
  };
  Bytes run(const MatchingOptions& options, const Exec& exec = Exec()) const {
    WindowProblem<Exec> window(problem, traces, options, 1, exec);
    const PursuitEnd end = window.chase();
    return {window.spikes(), window.contents(), end.rounds};
  }
  static void expect_same(const Bytes& a, const Bytes& b) {
    EXPECT_TRUE(a.spikes == b.spikes);
    EXPECT_TRUE(a.contents.scores == b.contents.scores);
    EXPECT_TRUE(a.contents.traces == b.contents.traces);
    EXPECT_EQ(a.rounds, b.rounds);
  }

  const TemplateProblem problem =
      random_problem(this->random, shuffle_channels(this->random, staggered_probe(32)), spike_pcs(), 30);
  const HostMatrix<float> traces = this->busy_traces(problem, 2000, 10);
  const Bytes once = run({});
};
TYPED_TEST_SUITE(PursuitBytesTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(PursuitBytesTest, TwoRuns) {
  EXPECT_GT(this->once.spikes.size(), 100u);
  this->expect_same(this->once, this->run({}));
}

TYPED_TEST(PursuitBytesTest, RoundsPerLook) {
  for (const int rounds : {1, 2, 5, 16, 1000}) {
    SCOPED_TRACE(rounds);
    MatchingOptions options;
    options.rounds_per_look = rounds;
    this->expect_same(this->once, this->run(options));
  }
}

TYPED_TEST(PursuitBytesTest, TeamThreads) {
  for (const int threads : {1, 2, 4, 16}) {
    if (runs_on_host<TypeParam> && threads > 1) break;  // a CPU's teams have one thread
    SCOPED_TRACE(threads);
    MatchingOptions options;
    options.team_threads = threads;
    this->expect_same(this->once, this->run(options));
  }
}

/// An instance of fewer threads, or another stream.
TYPED_TEST(PursuitBytesTest, InstancesOfOneSpace) {
  using namespace Kokkos::Experimental;  // where partition_space is in Kokkos 4
  using namespace Kokkos;
  if (runs_on_host<TypeParam> && TypeParam().concurrency() < 2)
    GTEST_SKIP() << TypeParam::name() << " has one thread: nothing to divide";
  const std::vector<TypeParam> parts = partition_space(TypeParam(), 1, 1);
  this->expect_same(this->once, this->run({}, parts[0]));
}

}  // namespace
}  // namespace kokkosort::test
