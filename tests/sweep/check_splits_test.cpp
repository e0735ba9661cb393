#include "sweep/reference/check_splits.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "clustering/bimodality_reference.hpp"
#include "clustering/leaf_problem.hpp"

namespace kokkosort::test {
namespace {

/// Leaves at three places, so that some joins have one mode and some two.
struct SplitExample {
  Points points;
  std::vector<std::int32_t> labels;
  MergeTree tree;
  SplitOptions options;

  std::string check(const MergeTree& decided) const { return check_splits(points, labels, decided, options); }

  Points points_below(std::int32_t node) const {
    if (node >= tree.n_leaves) {
      const Join& join = tree.joins[static_cast<std::size_t>(node - tree.n_leaves)];
      Points below = points_below(join.left);
      for (auto& x : points_below(join.right)) below.push_back(x);
      return below;
    }
    Points leaf;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (labels[i] == node) leaf.push_back(points[i]);
    return leaf;
  }

  /// Decides a node and what lies below it with the loops that the clustering's tests use.
  void decide(std::int32_t node) {
    if (node < tree.n_leaves) return;
    Join& join = tree.joins[static_cast<std::size_t>(node - tree.n_leaves)];
    if (join.ratio < options.min_ratio) {
      join.verdict = Verdict::split_ratio;
    } else {
      const auto projections = direct_projections(points_below(join.left), points_below(join.right), true);
      join.score = direct_score(direct_histogram(projections).data());
      join.verdict = join.score >= options.min_bimodality ? Verdict::split_trough : Verdict::joined_trough;
    }
    if (join.verdict == Verdict::joined_trough) return;
    decide(join.left);
    decide(join.right);
  }
};

SplitExample make_example(std::uint64_t seed, bool chain = false) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  SplitExample example;
  constexpr int n_leaves = 9;
  for (int i = 0; i < 540; ++i) {
    const int leaf = i % n_leaves;
    example.labels.push_back(leaf);
    std::vector<double> x(6);
    for (double& value : x) value = normal(random);
    x[static_cast<std::size_t>(leaf / 4)] += 9.0;  // leaves 0 to 3, 4 to 7, and 8
    example.points.push_back(x);
  }
  example.tree = chain ? chain_tree(n_leaves) : random_tree(random, n_leaves);
  for (Join& join : example.tree.joins) join.ratio = random() % 4 == 0 ? 0.1 : 1.0;
  if (chain) example.tree.joins.back().ratio = 1.0;
  example.decide(2 * n_leaves - 2);
  return example;
}

void expect_right(const SplitExample& example) { EXPECT_EQ(example.check(example.tree), ""); }

TEST(CheckSplits, AcceptsWhatTheDefinitionsGive) {
  int verdicts[5] = {};
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const SplitExample example = make_example(seed, seed % 2 == 0);
    expect_right(example);
    for (const Join& join : example.tree.joins) ++verdicts[static_cast<int>(join.verdict)];
  }
  EXPECT_GT(verdicts[static_cast<int>(Verdict::untested)], 5);
  EXPECT_GT(verdicts[static_cast<int>(Verdict::split_ratio)], 5);
  EXPECT_GT(verdicts[static_cast<int>(Verdict::split_trough)], 5);
  EXPECT_GT(verdicts[static_cast<int>(Verdict::joined_trough)], 5);
}

TEST(CheckSplits, RejectsAnyOtherVerdict) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const SplitExample example = make_example(seed);
    for (std::size_t j = 0; j < example.tree.joins.size(); ++j)
      for (int verdict = 0; verdict < 5; ++verdict) {
        MergeTree wrong = example.tree;
        wrong.joins[j].verdict = static_cast<Verdict>(verdict);
        if (wrong.joins[j].verdict == example.tree.joins[j].verdict) continue;
        EXPECT_NE(example.check(wrong), "") << "join " << j << ", verdict " << verdict;
      }
  }
}

TEST(CheckSplits, RejectsAScoreThatIsOff) {
  const SplitExample example = make_example(5);
  for (std::size_t j = 0; j < example.tree.joins.size(); ++j)
    for (const double off : {-0.03, 0.03}) {
      MergeTree wrong = example.tree;
      wrong.joins[j].score += off;
      EXPECT_NE(example.check(wrong), "") << "join " << j;
    }
}

TEST(CheckSplits, AcceptsAScoreThatIsOffByABin) {
  SplitExample example = make_example(6);
  for (Join& join : example.tree.joins)
    if (join.score > 0.7) join.score -= 0.01;
  expect_right(example);
}

/// A score just below the border where the reference is just above it: either verdict can be right, with its score.
TEST(CheckSplits, AVerdictFollowsFromItsOwnScore) {
  SplitExample example = make_example(7, true);
  Join& root = example.tree.joins.back();
  ASSERT_GT(root.score, 0.5);
  example.options.min_bimodality = root.score - 0.005;
  root.score -= 0.01;
  EXPECT_NE(example.check(example.tree), "");
  root.verdict = Verdict::joined_trough;
  for (Join& join : example.tree.joins)
    if (&join != &root) join = {join.left, join.right, join.ratio};
  expect_right(example);
}

TEST(CheckSplits, RejectsAScoreThatIsNoNumber) {
  SplitExample example = make_example(8, true);
  example.tree.joins.back().score = std::nan("");
  EXPECT_NE(example.check(example.tree), "");
}

TEST(CheckSplits, RejectsSpikesInOtherLeaves) {
  SplitExample example = make_example(9, true);
  for (std::int32_t& label : example.labels) label = (label + 1) % example.tree.n_leaves;
  EXPECT_NE(example.check(example.tree), "");
  example = make_example(9, true);
  example.labels[0] = example.tree.n_leaves;
  EXPECT_NE(example.check(example.tree), "");
}

TEST(CheckSplits, ASingleLeafHasNothingToDecide) {
  SplitExample example{{{1.0}, {2.0}}, {0, 0}, {}, {}};
  example.tree.n_leaves = 1;
  expect_right(example);
}

TEST(CheckSplits, ScoresOfKnownShapes) {
  // Two leaves far apart have an empty trough.
  SplitExample example{{}, {}, chain_tree(2), {}};
  std::mt19937_64 random(10);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 400; ++i) {
    example.points.push_back({normal(random) + (i % 2 == 0 ? 30.0 : 0.0)});
    example.labels.push_back(i % 2);
  }
  example.tree.joins[0].score = 1.0;
  example.tree.joins[0].verdict = Verdict::split_trough;
  expect_right(example);
}

}  // namespace
}  // namespace kokkosort::test
