#include "kokkosort/clustering/splits.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "clustering/leaf_problem.hpp"
#include "execution_spaces.hpp"

namespace kokkosort::test {
namespace {

template <class Exec>
class SplitsTest : public testing::Test {};
TYPED_TEST_SUITE(SplitsTest, ExecutionSpaces, ExecutionSpaceName);

/// What the leaves of a section are: Gaussian, at `place` along the first feature.
struct Leaf {
  double place;
  int n;
};

constexpr std::int64_t samples_per_ms = 30;

/// Sections of leaves, one spike every 40 to 60 ms in each section: all of a section is refractory to itself.
template <class Exec>
LeafProblem<Exec> problem_of_leaves(const std::vector<std::vector<Leaf>>& sections,
                                    const std::vector<MergeTree>& trees, bool at_one_time = false) {
  std::mt19937_64 random(121);
  std::vector<TestSpike> spikes;
  std::vector<std::vector<std::int32_t>> labels;
  for (std::size_t s = 0; s < sections.size(); ++s) {
    std::vector<std::int32_t> order;
    for (std::size_t leaf = 0; leaf < sections[s].size(); ++leaf)
      order.insert(order.end(), static_cast<std::size_t>(sections[s][leaf].n),
                   static_cast<std::int32_t>(leaf));
    std::shuffle(order.begin(), order.end(), random);
    std::int64_t time = 0;
    for (const std::int32_t leaf : order) {
      add_blob(random, static_cast<int>(s), 1,
               {sections[s][static_cast<std::size_t>(leaf)].place, 2, 0, 0, 0, 0}, 1.0, spikes);
      spikes.back().sample =
          at_one_time
              ? 0
              : time += 40 * samples_per_ms + static_cast<std::int64_t>(random() % (20 * samples_per_ms));
    }
    labels.push_back(order);
  }
  return LeafProblem<Exec>(make_features(TestProbe(static_cast<int>(sections.size())), spikes), trees,
                           labels);
}

/// Units as the leaves of the batch that each has.
using Units = std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>>;

template <class Exec>
Units decide(LeafProblem<Exec>& problem, const LeafCorrelograms* correlograms,
             const SplitOptions& options = {}) {
  Units units;
  for (const auto& section :
       decide_splits(problem.problem.exec, problem.problem.batch, problem.leaves, problem.grams, correlograms,
                     options, problem.trees, problem.problem.ledger)) {
    units.emplace_back();
    for (const LeafRange& range : section) units.back().emplace_back(range.first, range.last);
  }
  return units;
}

template <class Exec>
LeafCorrelograms count(LeafProblem<Exec>& problem) {
  return count_correlograms(problem.problem.exec, problem.problem.batch, problem.leaves,
                            1000.0 * samples_per_ms, problem.problem.ledger);
}

const Units two_units = {{{0, 1}, {1, 2}}};
const Units one_unit = {{{0, 2}}};

void expect_unmeasured(const Join& join) { EXPECT_EQ(join.score, -1.0); }

TYPED_TEST(SplitsTest, LowRatioKeepsTheSplit) {
  auto problem = problem_of_leaves<TypeParam>({{{3.0, 300}, {3.0, 300}}}, {chain_tree(2, 0.1999)});
  EXPECT_EQ(decide(problem, nullptr), two_units);
  EXPECT_EQ(problem.trees[0].joins[0].verdict, Verdict::split_ratio);
  expect_unmeasured(problem.trees[0].joins[0]);
}

TYPED_TEST(SplitsTest, RatioAtTheLimitIsTested) {
  auto problem = problem_of_leaves<TypeParam>({{{3.0, 300}, {3.0, 300}}}, {chain_tree(2, 0.2)});
  EXPECT_EQ(decide(problem, nullptr), one_unit);
  EXPECT_EQ(problem.trees[0].joins[0].verdict, Verdict::joined_trough);
}

TYPED_TEST(SplitsTest, TroughDecides) {
  auto one = problem_of_leaves<TypeParam>({{{3.0, 300}, {3.0, 300}}}, {chain_tree(2)});
  EXPECT_EQ(decide(one, nullptr), one_unit);
  EXPECT_EQ(one.trees[0].joins[0].verdict, Verdict::joined_trough);
  EXPECT_GE(one.trees[0].joins[0].score, 0.0);
  EXPECT_LT(one.trees[0].joins[0].score, 0.6);
  auto two = problem_of_leaves<TypeParam>({{{0.0, 300}, {7.0, 300}}}, {chain_tree(2)});
  EXPECT_EQ(decide(two, nullptr), two_units);
  EXPECT_EQ(two.trees[0].joins[0].verdict, Verdict::split_trough);
  EXPECT_GE(two.trees[0].joins[0].score, 0.6);
}

TYPED_TEST(SplitsTest, ScoreAtTheLimitKeepsTheSplit) {
  auto problem = problem_of_leaves<TypeParam>({{{0.0, 300}, {7.0, 300}}}, {chain_tree(2)});
  decide(problem, nullptr);
  SplitOptions options;
  options.min_bimodality = problem.trees[0].joins[0].score;
  EXPECT_EQ(decide(problem, nullptr, options), two_units);
  options.min_bimodality = std::nextafter(options.min_bimodality, 2.0);
  EXPECT_EQ(decide(problem, nullptr, options), one_unit);
}

TYPED_TEST(SplitsTest, RefractorySidesAreJoinedBeforeTheirTroughIsSeen) {
  auto problem = problem_of_leaves<TypeParam>({{{0.0, 300}, {7.0, 300}}}, {chain_tree(2)});
  const LeafCorrelograms correlograms = count(problem);
  EXPECT_EQ(decide(problem, &correlograms), one_unit);
  EXPECT_EQ(problem.trees[0].joins[0].verdict, Verdict::joined_times);
  expect_unmeasured(problem.trees[0].joins[0]);
}

TYPED_TEST(SplitsTest, BothLimitsOfTheRefractoryTest) {
  auto problem = problem_of_leaves<TypeParam>({{{0.0, 300}, {7.0, 300}}}, {chain_tree(2)});
  const LeafCorrelograms correlograms = count(problem);
  SplitOptions ratio;
  ratio.max_refractory_ratio = 0.0;  // nothing is below
  EXPECT_EQ(decide(problem, &correlograms, ratio), two_units);
  SplitOptions probability;
  probability.max_refractory_probability = 0.0;
  EXPECT_EQ(decide(problem, &correlograms, probability), two_units);
}

TYPED_TEST(SplitsTest, LowRatioComesBeforeSpikeTimes) {
  auto problem = problem_of_leaves<TypeParam>({{{0.0, 300}, {7.0, 300}}}, {chain_tree(2, 0.1)});
  const LeafCorrelograms correlograms = count(problem);
  EXPECT_EQ(decide(problem, &correlograms), two_units);
  EXPECT_EQ(problem.trees[0].joins[0].verdict, Verdict::split_ratio);
}

/// No span of time: whatever the counters say, times have no say.
TYPED_TEST(SplitsTest, SpikesAtOneInstantAreNotRefractory) {
  auto problem = problem_of_leaves<TypeParam>({{{0.0, 100}, {7.0, 100}}}, {chain_tree(2)}, true);
  LeafCorrelograms correlograms = count(problem);
  EXPECT_EQ(decide(problem, &correlograms), two_units);
  for (const int pair : {1, 2}) {
    const std::size_t first = static_cast<std::size_t>(pair) * CorrelogramCounter::size;
    correlograms.counters(first + CorrelogramCounter::far_later) = 1'000'000;
    correlograms.counters(first + CorrelogramCounter::far_sooner) = 1'000'000;
  }
  ASSERT_EQ(refractory_scores(correlograms.between(0, 0, 1, 2)).ratio, 0.0);
  EXPECT_EQ(decide(problem, &correlograms), two_units);
  EXPECT_EQ(problem.trees[0].joins[0].verdict, Verdict::split_trough);
}

/// Leaves 0 … 4: {0, 1} one blob, {2, 3} one blob, 4 far away; the root splits by its ratio.
MergeTree tree_of_five(double root_ratio) {
  MergeTree tree;
  tree.n_leaves = 5;
  tree.joins = {{0, 1, 3.0}, {2, 3, 2.0}, {5, 6, 1.0}, {4, 7, root_ratio}};
  return tree;
}

TYPED_TEST(SplitsTest, FromTheRootDown) {
  const std::vector<Leaf> leaves = {{-4.0, 200}, {-4.0, 200}, {4.0, 200}, {4.0, 200}, {14.0, 200}};
  auto problem = problem_of_leaves<TypeParam>({leaves}, {tree_of_five(0.1)});
  // In the order of the leaves: 4, then {0, 1}, then {2, 3}.
  EXPECT_EQ(decide(problem, nullptr), (Units{{{0, 1}, {1, 3}, {3, 5}}}));
  const auto& joins = problem.trees[0].joins;
  EXPECT_EQ(joins[3].verdict, Verdict::split_ratio);
  EXPECT_EQ(joins[2].verdict, Verdict::split_trough);
  EXPECT_EQ(joins[1].verdict, Verdict::joined_trough);
  EXPECT_EQ(joins[0].verdict, Verdict::joined_trough);
}

/// A leaf on the right is a unit at once, what stands on its left only after a test.
TYPED_TEST(SplitsTest, UnitsAreInTheOrderOfTheirLeaves) {
  MergeTree tree = chain_tree(3);
  tree.joins.back().ratio = 0.1;
  auto problem = problem_of_leaves<TypeParam>({{{-4.0, 200}, {4.0, 200}, {14.0, 200}}}, {tree});
  EXPECT_EQ(decide(problem, nullptr), (Units{{{0, 1}, {1, 2}, {2, 3}}}));
}

/// The test of a node looks at its own leaves: here the first of the section has spikes with all others.
TYPED_TEST(SplitsTest, SpikeTimesOfTheNodesOwnLeaves) {
  const std::vector<Leaf> five = {{-4.0, 200}, {-4.0, 200}, {4.0, 200}, {4.0, 200}, {14.0, 200}};
  auto problem =
      problem_of_leaves<TypeParam>({{{0.0, 90}, {7.0, 90}}, five}, {chain_tree(2, 0.1), tree_of_five(0.1)});
  LeafCorrelograms correlograms = count(problem);
  for (std::size_t pair = 1; pair < 5; ++pair)
    for (std::size_t c = 0; c < CorrelogramCounter::rings; ++c)
      correlograms.counters(correlograms.first[1] + pair * CorrelogramCounter::size + c) = 1'000'000;
  EXPECT_EQ(decide(problem, &correlograms), (Units{{{0, 1}, {1, 2}}, {{2, 3}, {3, 7}}}));
  EXPECT_EQ(problem.trees[1].joins[2].verdict, Verdict::joined_times);
}

TYPED_TEST(SplitsTest, NothingBelowAJoinIsTested) {
  const std::vector<Leaf> leaves = {{-4.0, 200}, {-4.0, 200}, {4.0, 200}, {4.0, 200}, {14.0, 200}};
  auto problem = problem_of_leaves<TypeParam>({leaves}, {tree_of_five(1.0)});
  SplitOptions options;
  options.min_bimodality = 1.1;  // every measured node is joined
  EXPECT_EQ(decide(problem, nullptr, options), (Units{{{0, 5}}}));
  const auto& joins = problem.trees[0].joins;
  EXPECT_EQ(joins[3].verdict, Verdict::joined_trough);
  for (const std::size_t below : {0u, 1u, 2u}) {
    EXPECT_EQ(joins[below].verdict, Verdict::untested);
    expect_unmeasured(joins[below]);
  }
}

TYPED_TEST(SplitsTest, SectionsOfABatchAreIndependent) {
  const std::vector<Leaf> five = {{-4.0, 200}, {-4.0, 200}, {4.0, 200}, {4.0, 200}, {14.0, 200}};
  auto problem =
      problem_of_leaves<TypeParam>({{{1.0, 50}}, five, {{2.0, 200}, {2.0, 100}}, {{0.0, 80}, {8.0, 80}}},
                                   {chain_tree(1), tree_of_five(0.1), chain_tree(2), chain_tree(2)});
  EXPECT_EQ(decide(problem, nullptr),
            (Units{{{0, 1}}, {{1, 2}, {2, 4}, {4, 6}}, {{6, 8}}, {{8, 9}, {9, 10}}}));
  EXPECT_TRUE(problem.trees[0].joins.empty());
}

}  // namespace
}  // namespace kokkosort::test
