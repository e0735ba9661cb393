#include "kokkosort/matching/scores.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "matching/window_problem.hpp"

namespace kokkosort::test {
namespace {

/// |ΔB| / ‖U‖ of f32 sums, in standard deviations of the noise.
constexpr double rounding = 5e-5;

template <class Exec>
class ScoresTest : public testing::Test {
 protected:
  ScoresTest() { RecordProperty("seed", std::to_string(seed)); }

  /// Noise with spikes of 10 to 40 sigma.
  HostMatrix<float> busy_traces(const TemplateProblem& problem, std::size_t n_samples) {
    const HostMatrix<float> traces = noise_traces(random, problem.n_channels(), n_samples);
    add_spikes(
        direct_waveforms(problem),
        random_spikes(random, problem.n_templates(), n_samples / 20, 0, static_cast<std::int64_t>(n_samples)),
        problem.nt(), traces);
    return traces;
  }

  void expect_direct_scores(const TemplateProblem& problem, std::size_t n_samples,
                            const MatchingOptions& options = {}) {
    WindowProblem<Exec> window(problem, busy_traces(problem, n_samples), options);
    window.score();
    EXPECT_LE(window.largest_error(), rounding);
  }

  static constexpr std::uint64_t seed = 201;
  std::mt19937_64 random{seed};
};
TYPED_TEST_SUITE(ScoresTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(ScoresTest, AsSumsOverTraces) {
  const Probe staggered = shuffle_channels(this->random, staggered_probe(32));
  const Probe shanks = shuffle_channels(this->random, two_shank_probe(24));
  for (const std::size_t nt : {9u, 61u})
    for (const std::size_t n_pcs : {3u, 6u}) {
      SCOPED_TRACE(std::to_string(n_pcs) + " components of " + std::to_string(nt) + " samples");
      const PrincipalComponents pcs = random_pcs(this->random, n_pcs, nt);
      this->expect_direct_scores(random_problem(this->random, linear_probe(16), pcs, 10), 700);
      this->expect_direct_scores(random_problem(this->random, staggered, pcs, 40), 700);
      this->expect_direct_scores(random_problem(this->random, shanks, pcs, 13), 700);
    }
}

TYPED_TEST(ScoresTest, ChunksAndBlocksOfAnySize) {
  const PrincipalComponents pcs = random_pcs(this->random, 6, 61);
  const TemplateProblem problem =
      random_problem(this->random, shuffle_channels(this->random, staggered_probe(32)), pcs, 40);
  const HostMatrix<float> traces = this->busy_traces(problem, 1500);
  for (const int chunk : {0, 1, 256, 700, 100000})
    for (const int block : {1, 7, 32, 1000}) {
      SCOPED_TRACE("chunks of " + std::to_string(chunk) + ", blocks of " + std::to_string(block));
      MatchingOptions options;
      options.chunk_samples = chunk;
      options.block_templates = block;
      WindowProblem<TypeParam> window(problem, traces, options);
      window.score();
      EXPECT_LE(window.largest_error(), rounding);
    }
}

/// Around the sizes of chunks and tiles, and the shortest: one centre.
TYPED_TEST(ScoresTest, WindowsOfAnyLength) {
  const TemplateProblem problem =
      random_problem(this->random, linear_probe(5), random_pcs(this->random, 3, 61), 6);
  for (const std::size_t centres : {1u, 2u, 15u, 16u, 17u, 61u, 62u, 255u, 256u, 257u, 511u, 513u})
    for (const int chunk : {0, 1}) {
      SCOPED_TRACE(std::to_string(centres) + " centres, chunks of " + std::to_string(chunk));
      MatchingOptions options;
      options.chunk_samples = chunk;
      this->expect_direct_scores(problem, centres + 60, options);
    }
}

TYPED_TEST(ScoresTest, OneTemplateOnOneChannel) {
  this->expect_direct_scores(
      random_problem(this->random, linear_probe(1), random_pcs(this->random, 6, 61), 1), 500);
  this->expect_direct_scores(random_problem(this->random, linear_probe(1), random_pcs(this->random, 1, 2), 1),
                             500);
}

/// A window for more than it holds: the workspace of the longest serves them all.
TYPED_TEST(ScoresTest, ShorterWindowsInOneWorkspace) {
  const TemplateProblem problem =
      random_problem(this->random, linear_probe(9), random_pcs(this->random, 6, 61), 12);
  const HostMatrix<float> traces = this->busy_traces(problem, 1200);
  WindowProblem<TypeParam> window(problem, traces);
  for (const std::uint32_t centres : {1140u, 800u, 257u, 3u}) {
    SCOPED_TRACE(centres);
    window.window.n_scores = centres;
    window.window.n_samples = centres + 60;
    window.load(Kokkos::subview(traces, Kokkos::ALL, std::make_pair(0u, centres + 60)));
    window.score();
    EXPECT_LE(window.largest_error(), rounding);
  }
}

TYPED_TEST(ScoresTest, TracesStayAsTheyAre) {
  const TemplateProblem problem =
      random_problem(this->random, linear_probe(9), random_pcs(this->random, 6, 61), 12);
  const HostMatrix<float> traces = this->busy_traces(problem, 600);
  WindowProblem<TypeParam> window(problem, traces);
  window.score();
  const WindowContents contents = window.contents();
  for (std::size_t c = 0; c < problem.n_channels(); ++c)
    for (std::size_t t = 0; t < traces.extent(1); ++t) ASSERT_EQ(contents.traces[c][t], traces(c, t));
}

}  // namespace
}  // namespace kokkosort::test
