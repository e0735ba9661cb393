// Scores that are exactly equal. Weights, shapes and traces are small multiples of powers of two, so that
// every sum is exact in f32.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "detection/detection_problem.hpp"
#include "detection/detection_reference.hpp"
#include "execution_spaces.hpp"

namespace kokkosort::test {
namespace {

constexpr std::size_t nt = 9;
constexpr int reach = 5;

/// One exact shape; every centre sums all four channels with weight ½: identical responses on the whole grid.
DetectionProblem coarse_problem() {
  DetectionOptions options;
  options.nearest_centres = 100;
  DetectionProblem problem(linear_probe(4), options);
  problem.pcs.wPCA = HostMatrix<float>("kokkosort::test::wPCA", 1, nt);
  for (const std::size_t s : {2u, 3u, 4u, 5u}) problem.pcs.wPCA(0, s) = 0.5f;
  problem.pcs.wTEMP = problem.pcs.wPCA;
  problem.pcs.peak_sample = reach;
  Kokkos::deep_copy(problem.grid.weights, 0.5f);
  return problem;
}

template <class Exec>
class DetectionTiesTest : public testing::Test {
 protected:
  static WindowSpikes search(const DetectionProblem& problem, const HostMatrix<float>& traces) {
    const WindowSpikes found = search_traces<Exec>(problem, traces);
    const DirectSpikes expected = DirectSearch(problem, traces).find();
    EXPECT_EQ(found.sample, expected.sample);
    EXPECT_EQ(found.centre, expected.centre);
    return found;
  }
};
TYPED_TEST_SUITE(DetectionTiesTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(DetectionTiesTest, IdenticalResponsesKeepTheFirstCentre) {
  const DetectionProblem problem = coarse_problem();
  EXPECT_GT(problem.n_centres(), 6u);
  for (std::size_t at = 30; at < 70; ++at) {  // at every place of a cell
    const HostMatrix<float> traces("kokkosort::test::traces", 4, 110);
    for (std::size_t s = 0; s < 4; ++s) traces(1, at + s) = 16.0f;
    const WindowSpikes found = this->search(problem, traces);
    ASSERT_EQ(found.sample.size(), 1u);
    EXPECT_EQ(found.centre[0], 0);
    EXPECT_EQ(found.sample[0], static_cast<std::int64_t>(at + 2));
  }
}

/// Two equal peaks: one within reach, the earlier, else both.
TYPED_TEST(DetectionTiesTest, EqualPeaksInTime) {
  const DetectionProblem problem = coarse_problem();
  for (std::size_t at = 30; at < 70; at += 3)
    for (std::size_t apart = 4; apart < 12; ++apart) {
      SCOPED_TRACE(testing::Message() << "at " << at << ", " << apart << " apart");
      const HostMatrix<float> traces("kokkosort::test::traces", 4, 130);
      for (std::size_t s = 0; s < 4; ++s) traces(0, at + s) = traces(0, at + apart + s) = 16.0f;
      const WindowSpikes found = this->search(problem, traces);
      ASSERT_EQ(found.sample.size(), apart <= reach ? 1u : 2u);
      EXPECT_EQ(found.sample[0], static_cast<std::int64_t>(at + 2));
      EXPECT_EQ(found.centre, std::vector<std::int32_t>(found.centre.size(), 0));
    }
}

/// A plateau longer than the reach: its first sample, and no other that has an equal one before it.
TYPED_TEST(DetectionTiesTest, FlatPeak) {
  const DetectionProblem problem = coarse_problem();
  const HostMatrix<float> traces("kokkosort::test::traces", 4, 200);
  for (std::size_t t = 40; t < 140; ++t) traces(2, t) = 16.0f;
  const WindowSpikes found = this->search(problem, traces);
  ASSERT_EQ(found.sample.size(), 1u);
  EXPECT_EQ(found.sample[0], 42);
}

/// A score must be more than the threshold.
TYPED_TEST(DetectionTiesTest, ExactlyAtTheThreshold) {
  DetectionProblem problem = coarse_problem();
  problem.options.threshold = 16.0;
  const HostMatrix<float> traces("kokkosort::test::traces", 4, 100);
  for (std::size_t s = 0; s < 4; ++s) traces(1, 50 + s) = 16.0f;  // ½ · 4 · ½ · 16
  EXPECT_EQ(this->search(problem, traces).sample.size(), 0u);
  problem.options.threshold = 15.9375;
  EXPECT_EQ(this->search(problem, traces).sample.size(), 1u);
}

}  // namespace
}  // namespace kokkosort::test
