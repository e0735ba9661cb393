#include "kokkosort/clustering/neighbours.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "clustering/make_features.hpp"
#include "execution_spaces.hpp"
#include "host_copies.hpp"

namespace kokkosort::test {
namespace {

template <class Exec>
class NeighboursTest : public testing::Test {};
TYPED_TEST_SUITE(NeighboursTest, ExecutionSpaces, ExecutionSpaceName);

/// A section's neighbours, [spikes][neighbours].
using Lists = std::vector<std::vector<std::int32_t>>;

template <class Exec>
std::vector<Lists> found_neighbours(BatchProblem<Exec>& problem) {
  const NeighbourGraph<Exec> graph =
      find_neighbours(problem.exec, problem.batch, problem.options.neighbours, problem.ledger);
  problem.exec.fence();
  const std::vector<std::int32_t> values = to_host(graph.neighbours);
  std::vector<Lists> lists;
  for (const SectionExtent& section : problem.batch.extents) {
    lists.emplace_back(section.n_spikes);
    for (std::size_t i = 0; i < section.n_spikes; ++i)
      for (std::size_t k = 0; k < graph.neighbours.extent(0); ++k)
        lists.back()[i].push_back(values[k * problem.batch.n_columns + section.first_spike + i]);
  }
  return lists;
}

/// By sorting all distances; ties to the smaller index.
Lists direct_neighbours(const std::vector<std::vector<double>>& points,
                        const std::vector<std::size_t>& subset, int wanted) {
  Lists lists;
  for (const std::vector<double>& x : points) {
    std::vector<std::pair<double, std::int32_t>> all;
    for (std::size_t j = 0; j < subset.size(); ++j)
      all.emplace_back(squared_distance(x, points[subset[j]]), static_cast<std::int32_t>(j));
    std::sort(all.begin(), all.end());
    lists.emplace_back(static_cast<std::size_t>(wanted), -1);
    for (std::size_t k = 0; k < std::min(all.size(), lists.back().size()); ++k)
      lists.back()[k] = all[k].second;
  }
  return lists;
}

std::vector<std::size_t> direct_subset(std::size_t n, const NeighbourOptions& options) {
  std::vector<std::size_t> subset;
  const auto stride = static_cast<std::size_t>(options.subset_stride);
  const auto most = static_cast<std::size_t>(options.max_subset);
  const std::size_t strided = (n + stride - 1) / stride;
  const std::size_t count =
      std::min(most, std::max(strided, std::min(n, static_cast<std::size_t>(options.min_subset))));
  for (std::size_t j = 0; j < count; ++j) subset.push_back(count == strided ? j * stride : j * n / count);
  return subset;
}

template <class Exec>
void expect_as_direct(BatchProblem<Exec>& problem) {
  const std::vector<Lists> found = found_neighbours(problem);
  for (std::size_t s = 0; s < found.size(); ++s) {
    const auto points = problem.points(s);
    const Lists expected = direct_neighbours(points, direct_subset(points.size(), problem.options.neighbours),
                                             problem.options.neighbours.neighbours);
    for (std::size_t i = 0; i < points.size(); ++i)
      ASSERT_EQ(found[s][i], expected[i]) << "section " << s << " spike " << i;
  }
}

/// Whole numbers from a small range: many exact ties. Sections of many sizes and two widths.
SpikeFeatures ragged_whole_numbers(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  TestProbe probe(6, 2, 3);
  probe.centres = {1, 2, 1, 1, 3, 1};
  std::vector<TestSpike> spikes;
  const int sizes[] = {1300, 300, 1, 9, 77, 2};
  for (int s = 0; s < 6; ++s) {
    add_whole_numbers(random, s, sizes[s], probe.values(), -3, 3, spikes);
    for (std::size_t i = spikes.size() - static_cast<std::size_t>(sizes[s]); i < spikes.size(); ++i)
      spikes[i].centre = static_cast<int>(i) % probe.centres[static_cast<std::size_t>(s)];
  }
  shuffle_times(random, 10, spikes);
  return make_features(probe, spikes);
}

TYPED_TEST(NeighboursTest, WholeNumbersWithManyTies) {
  BatchProblem<TypeParam> problem(ragged_whole_numbers(31));
  expect_as_direct(problem);
}

TYPED_TEST(NeighboursTest, AnyChunkSizeGivesTheSame) {
  for (const std::size_t dots :
       {std::size_t{1}, std::size_t{7}, std::size_t{1000}, std::size_t{30000}, std::size_t{1} << 26}) {
    SCOPED_TRACE(dots);
    ClusteringOptions options;
    options.neighbours.max_chunk_dots = dots;
    BatchProblem<TypeParam> problem(ragged_whole_numbers(32), options);
    expect_as_direct(problem);
  }
}

TYPED_TEST(NeighboursTest, ChunksOfRealNumbersGiveTheSame) {
  std::mt19937_64 random(33);
  std::vector<TestSpike> spikes;
  add_blob(random, 0, 900, std::vector<double>(18, 4.0), 1.0, spikes);
  const SpikeFeatures features = make_features(TestProbe(1, 3, 6), spikes);
  std::vector<std::vector<Lists>> found;
  for (const std::size_t dots : {std::size_t{1}, std::size_t{350}, std::size_t{1} << 26}) {
    ClusteringOptions options;
    options.neighbours.max_chunk_dots = dots;
    BatchProblem<TypeParam> problem(features, options);
    found.push_back(found_neighbours(problem));
  }
  EXPECT_EQ(found[0], found[2]);
  EXPECT_EQ(found[1], found[2]);
}

/// In f64, two neighbours may be out of order only if f32 cannot tell their distances apart.
TYPED_TEST(NeighboursTest, RealNumbersAreNearestFirst) {
  std::mt19937_64 random(34);
  std::vector<TestSpike> spikes;
  add_blob(random, 0, 400, std::vector<double>(60, 20.0), 1.0, spikes);
  BatchProblem<TypeParam> problem(make_features(TestProbe(1, 10, 6), spikes));
  const Lists found = found_neighbours(problem)[0];
  const auto points = problem.points(0);
  const auto subset = direct_subset(points.size(), problem.options.neighbours);
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<double> sorted;
    for (const std::size_t j : subset) sorted.push_back(squared_distance(points[i], points[j]));
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t k = 0; k < found[i].size(); ++k)
      ASSERT_NEAR(squared_distance(points[i], points[subset[static_cast<std::size_t>(found[i][k])]]),
                  sorted[k], sorted[k] * 62.0 * 0x1.0p-23)
          << "spike " << i << " neighbour " << k;
  }
}

TYPED_TEST(NeighboursTest, OtherNumbersOfNeighbours) {
  for (const int wanted : {1, 3, 32}) {
    SCOPED_TRACE(wanted);
    ClusteringOptions options;
    options.neighbours.neighbours = wanted;
    BatchProblem<TypeParam> problem(ragged_whole_numbers(35), options);
    expect_as_direct(problem);
  }
}

TYPED_TEST(NeighboursTest, SubsetEvenlySpreadOverALargeSection) {
  ClusteringOptions options;
  options.neighbours.subset_stride = 3;
  options.neighbours.max_subset = 61;
  BatchProblem<TypeParam> problem(ragged_whole_numbers(36), options);
  expect_as_direct(problem);
}

TYPED_TEST(NeighboursTest, ManyCopiesAreScannedExactly) {
  std::mt19937_64 random(37);
  std::vector<TestSpike> spikes;
  for (int i = 0; i < 60; ++i) spikes.push_back({0, std::vector<float>(6, 5.0f), 0, 0});
  add_whole_numbers(random, 0, 60, 6, 4, 6, spikes);
  shuffle_times(random, 10, spikes);
  ClusteringOptions options;
  options.neighbours.subset_stride = 1;
  BatchProblem<TypeParam> problem(make_features(TestProbe(), spikes), options);
  expect_as_direct(problem);
}

/// Far from the origin the product's rounding hides distances of a few tens: all must be proposed, and
/// differences must decide.
TYPED_TEST(NeighboursTest, CloseTogetherFarFromTheOrigin) {
  std::mt19937_64 random(38);
  std::vector<TestSpike> spikes;
  add_whole_numbers(random, 0, 300, 18, 2000, 2002, spikes);
  add_whole_numbers(random, 0, 50, 18, 2010, 2012, spikes);
  shuffle_times(random, 10, spikes);
  for (const int stride : {1, 4, 20}) {
    SCOPED_TRACE(stride);
    ClusteringOptions options;
    options.neighbours.subset_stride = stride;
    BatchProblem<TypeParam> problem(make_features(TestProbe(1, 3, 6), spikes), options);
    expect_as_direct(problem);
  }
}

TYPED_TEST(NeighboursTest, SectionsTogetherAsOneAtATime) {
  const SpikeFeatures features = ragged_whole_numbers(39);
  BatchProblem<TypeParam> together(features);
  const std::vector<Lists> all = found_neighbours(together);
  ASSERT_EQ(all.size(), 6u);
  for (std::size_t s = 0; s < all.size(); ++s) {
    BatchProblem<TypeParam> alone(features, {}, s, s + 1);
    EXPECT_EQ(found_neighbours(alone)[0], all[s]) << "section " << s;
  }
}

TYPED_TEST(NeighboursTest, NormsAreSquaredLengths) {
  BatchProblem<TypeParam> problem(ragged_whole_numbers(40));
  const auto graph = find_neighbours(problem.exec, problem.batch, problem.options.neighbours, problem.ledger);
  problem.exec.fence();
  const std::vector<float> norms = to_host(graph.norms);
  for (std::size_t s = 0; s < problem.in_batch.size(); ++s) {
    const auto points = problem.points(s);
    for (std::size_t i = 0; i < points.size(); ++i)
      ASSERT_EQ(norms[problem.batch.extents[s].first_spike + i], squared_length(points[i]));
  }
}

TYPED_TEST(NeighboursTest, MoreNeighboursThanTheKernelHoldsThrow) {
  for (const int wanted : {0, 33}) {
    ClusteringOptions options;
    options.neighbours.neighbours = wanted;
    BatchProblem<TypeParam> problem(ragged_whole_numbers(41), options);
    EXPECT_THROW(find_neighbours(problem.exec, problem.batch, options.neighbours, problem.ledger),
                 std::invalid_argument);
  }
}

}  // namespace
}  // namespace kokkosort::test
