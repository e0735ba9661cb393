#include "kokkosort/clustering/leaf_grams.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "clustering/leaf_problem.hpp"
#include "execution_spaces.hpp"

namespace kokkosort::test {
namespace {

template <class Exec>
class LeafGramsTest : public testing::Test {};
TYPED_TEST_SUITE(LeafGramsTest, ExecutionSpaces, ExecutionSpaceName);

/// Sections with leaves of given sizes, [sections][leaves], their spikes in random order of time.
template <class Exec>
LeafProblem<Exec> make_leaves(std::uint64_t seed, const TestProbe& probe,
                              const std::vector<std::vector<int>>& sizes) {
  std::mt19937_64 random(seed);
  std::vector<TestSpike> spikes;
  std::vector<MergeTree> trees;
  std::vector<std::vector<std::int32_t>> labels(sizes.size());
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    const auto n_values = static_cast<std::size_t>(probe.values());
    trees.push_back(random_tree(random, static_cast<int>(sizes[s].size())));
    for (std::size_t leaf = 0; leaf < sizes[s].size(); ++leaf) {
      add_blob(random, static_cast<int>(s), sizes[s][leaf], std::vector<double>(n_values, 3.0), 2.0, spikes);
      labels[s].insert(labels[s].end(), static_cast<std::size_t>(sizes[s][leaf]),
                       static_cast<std::int32_t>(leaf));
    }
    std::shuffle(labels[s].begin(), labels[s].end(), random);
  }
  for (TestSpike& spike : spikes)
    spike.centre = static_cast<int>(
        random() % static_cast<std::uint64_t>(probe.centres[static_cast<std::size_t>(spike.section)]));
  shuffle_times(random, 10, spikes);
  return LeafProblem<Exec>(make_features(probe, spikes), trees, labels);
}

template <class Exec>
void expect_right(LeafProblem<Exec>& leaf_problem) {
  const auto values = to_host(leaf_problem.grams.values);
  const auto first = to_host(leaf_problem.grams.first);
  const auto& leaves = leaf_problem.leaves;
  const auto sums = leaf_sums(leaf_problem.problem.exec, leaf_problem.problem.batch, leaves,
                              leaf_problem.grams, leaf_problem.problem.ledger);
  for (std::size_t s = 0; s < leaf_problem.trees.size(); ++s) {
    auto points = leaf_problem.problem.points(s);
    const std::size_t n = points[0].size() + 1;
    for (auto& x : points) x.push_back(1.0);
    for (std::uint32_t leaf = leaves.first_leaf[s]; leaf < leaves.first_leaf[s + 1]; ++leaf) {
      const auto spikes = leaf_problem.spikes_of(s, leaf, leaf + 1);
      for (std::size_t row = 0; row < n; ++row)
        for (std::size_t column = 0; column <= row; ++column) {
          double sum = 0.0;
          double magnitude = 0.0;
          for (const std::size_t i : spikes) {
            sum += points[i][row] * points[i][column];  // exact, as the factors have 24 bits
            magnitude += std::abs(points[i][row] * points[i][column]);
          }
          const double bound = 2.0 * static_cast<double>(spikes.size()) * 0x1.0p-53 * magnitude;
          ASSERT_NEAR(values[first[leaf] + row * n + column], sum, bound)
              << "leaf " << leaf << " of " << spikes.size() << " spikes, element " << row << ", " << column;
          if (row == n - 1 && column < row) {
            ASSERT_EQ(sums(leaf, column), values[first[leaf] + row * n + column]);
          }
        }
      ASSERT_EQ(values[first[leaf] + n * n - 1], static_cast<double>(spikes.size()));
    }
  }
}

TYPED_TEST(LeafGramsTest, LeavesThatCrossChunks) {
  auto problem = make_leaves<TypeParam>(81, TestProbe(1, 3, 6), {{63, 64, 65, 1, 129, 2}});
  expect_right(problem);
}

TYPED_TEST(LeafGramsTest, WidthsAroundATile) {
  for (const int width : {1, 14, 15, 16, 17, 31, 32, 33, 102}) {
    SCOPED_TRACE(width);
    auto problem = make_leaves<TypeParam>(82, TestProbe(1, width, 1), {{40, 70}});
    expect_right(problem);
  }
}

TYPED_TEST(LeafGramsTest, SectionsOfDifferentWidths) {
  TestProbe probe(4, 3, 2);
  probe.centres = {6, 1, 3, 2};
  auto problem = make_leaves<TypeParam>(83, probe, {{5, 100}, {1}, {20, 64, 3, 8}, {70}});
  ASSERT_EQ(problem.problem.batch.extents[0].n_features, 16u);
  ASSERT_EQ(problem.problem.batch.extents[1].n_features, 6u);
  expect_right(problem);
}

TYPED_TEST(LeafGramsTest, TableOfLeaves) {
  TestProbe probe(3, 2, 3);
  auto problem = make_leaves<TypeParam>(84, probe, {{17, 3, 30}, {1}, {5, 6, 7, 8, 9}});
  const auto& leaves = problem.leaves;
  EXPECT_EQ(leaves.n_leaves, 9u);
  EXPECT_EQ(leaves.first_leaf, (std::vector<std::uint32_t>{0, 3, 4, 9}));
  const auto place_of = to_host(leaves.place_of);
  for (std::size_t s = 0; s < 3; ++s) {
    const SectionExtent& section = problem.problem.batch.extents[s];
    std::uint32_t column = section.first_spike;
    for (std::uint32_t leaf = leaves.first_leaf[s]; leaf < leaves.first_leaf[s + 1]; ++leaf) {
      const auto spikes = problem.spikes_of(s, leaf, leaf + 1);
      const auto times = problem.times_of(s, leaf, leaf + 1);
      EXPECT_EQ(leaves.n_spikes[leaf], spikes.size());
      EXPECT_EQ(leaves.first_column[leaf], column);
      EXPECT_EQ(leaves.first_sample[leaf], times.front());
      EXPECT_EQ(leaves.last_sample[leaf], times.back());
      for (const std::size_t i : spikes) EXPECT_EQ(place_of[section.first_spike + i], leaf);
      column += static_cast<std::uint32_t>(spikes.size());
    }
  }
}

/// Leaf after leaf, and in order of time within a leaf.
TYPED_TEST(LeafGramsTest, OrderOfColumns) {
  auto problem = make_leaves<TypeParam>(85, TestProbe(2, 2, 3), {{17, 300, 30}, {4, 2}});
  const auto order = to_host(order_by_leaf(problem.problem.exec, problem.problem.batch, problem.leaves));
  for (std::size_t s = 0; s < 2; ++s) {
    std::uint32_t column = problem.problem.batch.extents[s].first_spike;
    for (std::uint32_t leaf = problem.leaves.first_leaf[s]; leaf < problem.leaves.first_leaf[s + 1]; ++leaf)
      for (const std::size_t i : problem.spikes_of(s, leaf, leaf + 1)) EXPECT_EQ(order[column++], i);
  }
}

}  // namespace
}  // namespace kokkosort::test
