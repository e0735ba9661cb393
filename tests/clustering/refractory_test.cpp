#include "kokkosort/clustering/refractory.hpp"

#include <gtest/gtest.h>

#include <random>

#include "clustering/correlogram_reference.hpp"
#include "clustering/leaf_problem.hpp"
#include "execution_spaces.hpp"
#include "kokkosort/clustering/correlograms.hpp"

namespace kokkosort::test {
namespace {

constexpr std::int64_t samples_per_ms = 30;
using Train = std::vector<std::int64_t>;

/// Spikes of given trains as one section, train by train the leaves of a chain.
template <class Exec>
LeafProblem<Exec> problem_of_trains(const std::vector<std::vector<Train>>& sections) {
  std::vector<TestSpike> spikes;
  std::vector<MergeTree> trees;
  std::vector<std::vector<std::int32_t>> labels;
  for (std::size_t s = 0; s < sections.size(); ++s) {
    std::vector<std::pair<std::int64_t, std::int32_t>> sorted;
    for (std::size_t train = 0; train < sections[s].size(); ++train)
      for (const std::int64_t t : sections[s][train])
        sorted.emplace_back(t, static_cast<std::int32_t>(train));
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    labels.emplace_back();
    for (const auto& [t, train] : sorted) {
      spikes.push_back({static_cast<int>(s), std::vector<float>(6, 1.0f), 0, t});
      labels.back().push_back(train);
    }
    trees.push_back(chain_tree(static_cast<int>(sections[s].size())));
  }
  return LeafProblem<Exec>(make_features(TestProbe(static_cast<int>(sections.size())), spikes), trees,
                           labels);
}

template <class Exec>
LeafCorrelograms count(LeafProblem<Exec>& problem) {
  return count_correlograms(problem.problem.exec, problem.problem.batch, problem.leaves,
                            1000.0 * samples_per_ms, problem.problem.ledger);
}

/// Independent spikes at a rate, with a refractory period.
Train random_train(std::mt19937_64& random, double rate_hz, double seconds, double refractory_ms = 0.0) {
  std::exponential_distribution<double> wait(rate_hz / 1000.0);
  Train train;
  for (double ms = wait(random); ms < 1000.0 * seconds; ms += refractory_ms + wait(random))
    train.push_back(static_cast<std::int64_t>(ms * samples_per_ms));
  return train;
}

void expect_counts(const CorrelogramCounts& found, const DirectCorrelogram& direct) {
  using Counter = CorrelogramCounter;
  for (int bin = 1; bin <= Counter::rings; ++bin) {
    const auto ring = static_cast<std::size_t>(bin - 1);
    EXPECT_EQ(static_cast<double>(found.later[ring]), direct.count(bin)) << "bin " << bin;
    EXPECT_EQ(static_cast<double>(found.sooner[ring]), direct.count(-bin)) << "bin " << -bin;
  }
  EXPECT_EQ(static_cast<double>(found.later[Counter::near_later]), direct.sum(10, 49));
  EXPECT_EQ(static_cast<double>(found.sooner[Counter::near_sooner]), direct.sum(-50, -11));
  EXPECT_EQ(static_cast<double>(found.later[Counter::far_later]), direct.sum(250, 499));
  EXPECT_EQ(static_cast<double>(found.sooner[Counter::far_sooner]), direct.sum(-499, -251));
}

void expect_scores(const CorrelogramCounts& found, const DirectCorrelogram& direct) {
  const RefractoryScores scores = refractory_scores(found);
  EXPECT_NEAR(scores.ratio, direct.ratio(), 1e-12);
  EXPECT_NEAR(scores.probability, direct.probability(), 1e-12);
}

template <class Exec>
class RefractoryTest : public testing::Test {};
TYPED_TEST_SUITE(RefractoryTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(RefractoryTest, CountsOfAllRangesOfLeaves) {
  std::mt19937_64 random(91);
  std::vector<std::vector<Train>> sections(3);
  for (const double rate : {5.0, 20.0, 1.0, 12.0}) sections[0].push_back(random_train(random, rate, 20.0));
  sections[1].push_back(random_train(random, 30.0, 5.0));
  for (const double rate : {8.0, 9.0}) sections[2].push_back(random_train(random, rate, 20.0, 5.0));
  auto problem = problem_of_trains<TypeParam>(sections);
  const LeafCorrelograms correlograms = count(problem);
  ASSERT_EQ(correlograms.n_leaves, (std::vector<std::uint32_t>{4, 1, 2}));
  for (std::size_t s = 0; s < sections.size(); ++s) {
    const auto n = static_cast<std::uint32_t>(sections[s].size());
    const std::uint32_t start = problem.leaves.first_leaf[s];
    for (std::uint32_t first = 0; first < n; ++first)
      for (std::uint32_t middle = first + 1; middle < n; ++middle)
        for (std::uint32_t last = middle + 1; last <= n; ++last) {
          SCOPED_TRACE("section " + std::to_string(s) + ", leaves " + std::to_string(first) + " " +
                       std::to_string(middle) + " " + std::to_string(last));
          const CorrelogramCounts found = correlograms.between(s, first, middle, last);
          const DirectCorrelogram direct(problem.times_of(s, start + first, start + middle),
                                         problem.times_of(s, start + middle, start + last), samples_per_ms);
          expect_counts(found, direct);
          expect_scores(found, direct);
        }
  }
}

/// Differences around every edge of a bin, both ways.
TYPED_TEST(RefractoryTest, EdgesOfBins) {
  const std::int64_t middle = 600 * samples_per_ms;
  Train around;
  for (std::int64_t bin = 1; bin <= 510; ++bin)
    for (std::int64_t offset = -1; offset <= 1; ++offset)
      for (const int side : {-1, 1})
        for (std::int64_t copy = 0; copy <= bin % 3; ++copy)
          around.push_back(middle + side * (bin * samples_per_ms - samples_per_ms / 2 + offset));
  const Train one{middle};
  auto problem = problem_of_trains<TypeParam>({{one, around}});
  const DirectCorrelogram direct(one, around, samples_per_ms);
  expect_counts(count(problem).between(0, 0, 1, 2), direct);
  EXPECT_EQ(direct.count(1), 7.0);  // 15 and 16 samples twice, 44 three times
}

TYPED_TEST(RefractoryTest, OneTrainSplitInTwoIsRefractory) {
  std::mt19937_64 random(92);
  std::vector<Train> halves(2);
  for (const std::int64_t t : random_train(random, 20.0, 120.0, 4.0)) halves[random() % 2].push_back(t);
  auto problem = problem_of_trains<TypeParam>({halves});
  const RefractoryScores scores = refractory_scores(count(problem).between(0, 0, 1, 2));
  EXPECT_LT(scores.ratio, 0.25);
  EXPECT_LT(scores.probability, 0.05);
}

TYPED_TEST(RefractoryTest, IndependentTrainsAreNot) {
  std::mt19937_64 random(93);
  for (int repeat = 0; repeat < 5; ++repeat) {
    auto problem = problem_of_trains<TypeParam>(
        {{random_train(random, 10.0, 120.0, 4.0), random_train(random, 10.0, 120.0, 4.0)}});
    const RefractoryScores scores = refractory_scores(count(problem).between(0, 0, 1, 2));
    EXPECT_GT(scores.ratio, 0.25);
  }
}

TYPED_TEST(RefractoryTest, SpikesAtTheSameTimeAreNoCoincidence) {
  for (const std::vector<Train>& trains :
       {std::vector<Train>{{500}, {500}}, {{7, 7, 7}, {7, 7}}, {{0}, {100000000}}}) {
    auto problem = problem_of_trains<TypeParam>({trains});
    const CorrelogramCounts found = count(problem).between(0, 0, 1, 2);
    for (std::size_t c = 0; c < CorrelogramCounter::size; ++c)
      EXPECT_EQ(found.later[c] + found.sooner[c], 0u);
    const RefractoryScores scores = refractory_scores(found);
    EXPECT_EQ(scores.ratio, 1.0);
    EXPECT_EQ(scores.probability, 1.0);
  }
}

TEST(RefractoryScores, FewCountsAreNoEvidence) {
  CorrelogramCounts counts;
  counts.later[CorrelogramCounter::near_later] = 1;
  EXPECT_EQ(refractory_scores(counts).ratio, 0.0);
  EXPECT_GT(refractory_scores(counts).probability, 0.05);
}

TEST(RefractoryScores, OnlyNearCountsAreNotRefractory) {
  CorrelogramCounts counts;
  counts.later[3] = 12;
  EXPECT_EQ(refractory_scores(counts).ratio, 1.0);
  EXPECT_EQ(refractory_scores(counts).probability, 1.0);
}

}  // namespace
}  // namespace kokkosort::test
