// Peaks that are exactly equal. Waveforms, weights and traces are small multiples of a half, so that every
// sum is exact in f32, and norms powers of two.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "matching/pursuit_reference.hpp"
#include "matching/window_problem.hpp"

namespace kokkosort::test {
namespace {

constexpr int nt = 9;

TemplateProblem exact_problem(std::size_t n_channels, std::size_t n_templates) {
  TemplateProblem problem{linear_probe(n_channels), {}, {}};
  problem.pcs.wPCA = HostMatrix<float>("kokkosort::test::wPCA", 2, nt);
  const float waves[2][nt] = {{0, 0, 0.5f, 0.5f, 0.5f, 0.5f, 0, 0, 0},
                              {0.5f, -0.5f, 0, 0, 0, 0, 0, 0.5f, -0.5f}};
  std::copy_n(&waves[0][0], 2 * nt, problem.pcs.wPCA.data());
  problem.pcs.wTEMP = problem.pcs.wPCA;
  problem.pcs.peak_sample = 3;
  problem.templates = HostTensor3<float>("kokkosort::test::templates", n_templates, n_channels, 2);
  return problem;
}

template <class Exec>
class TiesTest : public testing::Test {
 protected:
  static std::vector<TemplateSpike> run(const TemplateProblem& problem,
                                        const std::vector<TemplateSpike>& planted, int max_peels,
                                        std::int64_t first_block = 0) {
    const HostMatrix<float> traces("kokkosort::test::traces", problem.n_channels(), 100 + nt - 1);
    add_spikes(direct_waveforms(problem), planted, nt, traces);
    MatchingOptions options;
    options.max_peels = max_peels;
    WindowProblem<Exec> window(problem, traces, options, first_block);
    window.chase();
    DirectPursuit direct(problem, traces, window.window.n_scores, window.placed.template_at);
    const std::vector<TemplateSpike> spikes = window.spikes();
    EXPECT_TRUE(spikes == direct.pursue(options.threshold, max_peels));
    return spikes;
  }
};
TYPED_TEST_SUITE(TiesTest, ExecutionSpaces, ExecutionSpaceName);

/// Two copies of a waveform so near that both peaks are within nt: one spike a round, the earlier.
TYPED_TEST(TiesTest, EqualPeaksInTime) {
  TemplateProblem problem = exact_problem(1, 1);
  problem.templates(0, 0, 0) = 16.0f;
  for (std::int64_t first_block = 0; first_block < 3; ++first_block)
    for (std::int64_t t = 40; t < 51; ++t)  // at every place of a block
      for (std::int64_t apart = 1; apart <= nt + 1; ++apart) {
        SCOPED_TRACE("at " + std::to_string(t) + ", " + std::to_string(apart) + " apart");
        const std::vector<TemplateSpike> planted = {{t, 0, 1.0}, {t + apart, 0, 1.0}};
        const auto first = this->run(problem, planted, 1, first_block);
        ASSERT_EQ(first.size(), apart <= nt ? 1u : 2u);
        EXPECT_EQ(first[0].centre, t - nt / 2);
        const auto all = this->run(problem, planted, 10, first_block);
        if (apart >= 4) {
          EXPECT_EQ(all.size(), 2u);
        }
      }
}

/// A peak as flat as nt samples: one spike.
TYPED_TEST(TiesTest, FlatPeak) {
  TemplateProblem problem = exact_problem(1, 1);
  problem.templates(0, 0, 0) = 16.0f;
  std::vector<TemplateSpike> planted;  // scores are the same over 8 centres
  for (std::int64_t k = 0; k < 14; ++k) planted.push_back({40 + k, 0, 0.25});
  const auto first = this->run(problem, planted, 1);
  ASSERT_EQ(first.size(), 1u);
  this->run(problem, planted, 50);
}

/// The first of the same templates has all spikes.
TYPED_TEST(TiesTest, IdenticalTemplates) {
  TemplateProblem problem = exact_problem(3, 4);
  for (const std::size_t u : {1u, 3u})
    for (std::size_t c = 0; c < 2; ++c)
      for (std::size_t p = 0; p < 2; ++p) problem.templates(u, c, p) = 8.0f;
  problem.templates(0, 2, 0) = 16.0f;
  problem.templates(2, 2, 1) = 16.0f;
  const auto spikes = this->run(problem, {{20, 1, 1.0}, {50, 3, 1.0}, {80, 3, 2.0}}, 10);
  ASSERT_EQ(spikes.size(), 3u);
  for (const TemplateSpike& spike : spikes) EXPECT_EQ(spike.unit, 1);
  EXPECT_EQ(spikes[2].amplitude, 2.0);
}

/// As many copies as a GPU's threads share out among themselves.
TYPED_TEST(TiesTest, HundredIdenticalTemplates) {
  TemplateProblem problem = exact_problem(2, 100);
  for (std::size_t u = 0; u < 100; ++u) problem.templates(u, 1, 0) = 16.0f;
  const auto spikes = this->run(problem, {{20, 99, 1.0}, {50, 37, 1.0}}, 10);
  ASSERT_EQ(spikes.size(), 2u);
  for (const TemplateSpike& spike : spikes) EXPECT_EQ(spike.unit, 0);
}

/// Two templates at once on channels of their own are two spikes, one after the other.
TYPED_TEST(TiesTest, EqualPeaksOfTemplatesThatDoNotMeet) {
  TemplateProblem problem = exact_problem(2, 2);
  problem.templates(0, 0, 0) = 16.0f;
  problem.templates(1, 1, 0) = 16.0f;
  const std::vector<TemplateSpike> planted = {{50, 0, 1.0}, {50, 1, 1.0}};
  const auto first = this->run(problem, planted, 1);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].unit, 0);
  EXPECT_EQ(this->run(problem, planted, 10).size(), 2u);
}

/// The projection must be more than the threshold.
TYPED_TEST(TiesTest, ExactlyAtThreshold) {
  TemplateProblem problem = exact_problem(1, 1);
  problem.templates(0, 0, 0) = 16.0f;
  EXPECT_EQ(this->run(problem, {{50, 0, 0.5}}, 10).size(), 0u);
  EXPECT_EQ(this->run(problem, {{50, 0, 0.53125}}, 10).size(), 1u);
}

}  // namespace
}  // namespace kokkosort::test
