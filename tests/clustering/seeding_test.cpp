#include "kokkosort/clustering/seeding.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "clustering/seeding_reference.hpp"
#include "execution_spaces.hpp"

namespace kokkosort::test {
namespace {

template <class Exec>
class SeedingTest : public testing::Test {};
TYPED_TEST_SUITE(SeedingTest, ExecutionSpaces, ExecutionSpaceName);

/// Sections of many sizes, below, at and beyond the blocks of 256 points, with clusters of whole numbers.
SpikeFeatures ragged_clusters(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  TestProbe probe(7, 2, 3);
  std::vector<TestSpike> spikes;
  const int sizes[] = {700, 256, 257, 1, 9, 40, 1025};
  for (int s = 0; s < 7; ++s)
    for (int part = 0; part < 4; ++part)
      add_whole_numbers(random, s, (sizes[s] + part) / 4, probe.values(), 6 * part - 12, 6 * part - 6,
                        spikes);
  shuffle_times(random, 10, spikes);
  return make_features(probe, spikes);
}

TYPED_TEST(SeedingTest, SeedsAndLabelsAsComputedDirectly) {
  for (const int trials : {1, 7, 8, 9, 16}) {
    ClusteringOptions options;
    options.seeding.trials = trials;
    options.seed = static_cast<std::uint64_t>(trials);
    BatchProblem<TypeParam> problem(ragged_clusters(51), options);
    const auto found = find_seeds(problem);
    for (std::size_t s = 0; s < found.size(); ++s) {
      SCOPED_TRACE(std::to_string(trials) + " trials, section " + std::to_string(s));
      const Points points = problem.points(s);
      DirectSeeding direct(points, options.seed, static_cast<std::uint32_t>(s));
      const FoundSeeds expected = direct.run(problem.batch.extents[s].n_seeds, trials);
      ASSERT_EQ(found[s].seeds, expected.seeds);
      ASSERT_EQ(found[s].labels, expected.labels);
    }
  }
}

/// However the work is cut and launched, the answer is the same.
TYPED_TEST(SeedingTest, BlocksAndLaunchesDoNotMatter) {
  const SpikeFeatures features = ragged_clusters(58);
  BatchProblem<TypeParam> problem(features);
  const auto expected = find_seeds(problem);
  for (const SeedingLaunches launches : {SeedingLaunches::one, SeedingLaunches::each_seed})
    for (const int block : {16, 48, 256, 1024}) {
      problem.options.seeding.launches = launches;
      problem.options.seeding.block_points = block;
      EXPECT_EQ(find_seeds(problem), expected) << "blocks of " << block;
    }
}

/// So many points that a sum is over more than one pack, and the last is not full.
TYPED_TEST(SeedingTest, SectionsOfManyPoints) {
  std::mt19937_64 random(60);
  std::vector<TestSpike> spikes;
  add_whole_numbers(random, 0, 17000, 3, -9, 9, spikes);
  add_whole_numbers(random, 1, 300, 3, -9, 9, spikes);
  ClusteringOptions options;
  options.seeding.seeds = 20;
  options.seeding.trials = 5;
  BatchProblem<TypeParam> problem(make_features(TestProbe(2, 1, 3), spikes), options);
  for (const int block : {0, 16, 192}) {
    problem.options.seeding.block_points = block;
    const auto found = find_seeds(problem);
    for (std::size_t s = 0; s < 2; ++s) {
      const Points points = problem.points(s);
      DirectSeeding direct(points, options.seed, static_cast<std::uint32_t>(s));
      EXPECT_EQ(found[s], direct.run(20, 5)) << "section " << s << ", blocks of " << block;
    }
  }
}

TYPED_TEST(SeedingTest, BlocksMustSuitTheKernel) {
  for (const int block : {-16, 8, 250, 2048}) {
    ClusteringOptions options;
    options.seeding.block_points = block;
    BatchProblem<TypeParam> problem(ragged_clusters(59), options);
    EXPECT_THROW(find_seeds(problem), std::invalid_argument);
  }
}

/// Each seed is one of the drawn candidates, and none of them would have gained more.
TYPED_TEST(SeedingTest, EverySeedIsTheBestOfItsDraw) {
  ClusteringOptions options;
  options.seed = 77;
  BatchProblem<TypeParam> problem(ragged_clusters(52), options);
  const int trials = seeding_trials(options.seeding);
  ASSERT_EQ(trials, 7);
  const auto found = find_seeds(problem);
  for (std::size_t s = 0; s < found.size(); ++s) {
    const Points points = problem.points(s);
    DirectSeeding replay(points, options.seed, static_cast<std::uint32_t>(s));
    for (std::uint32_t step = 0; step < found[s].seeds.size(); ++step) {
      const std::uint32_t seed = found[s].seeds[step];
      const auto candidates = replay.draw(step, trials);
      ASSERT_NE(std::find(candidates.begin(), candidates.end(), seed), candidates.end())
          << "section " << s << " seed " << step;
      for (const std::uint32_t candidate : candidates)
        ASSERT_LE(replay.gain(candidate), replay.gain(seed)) << "section " << s << " seed " << step;
      replay.take(seed, step);
    }
    EXPECT_EQ(found[s].labels, replay.labels());
  }
}

/// With features that f32 rounds, a label may differ from f64's only where two seeds are equally near.
TYPED_TEST(SeedingTest, LabelsOfRealNumbersAreTheNearestSeeds) {
  std::mt19937_64 random(53);
  std::vector<TestSpike> spikes;
  for (int part = 0; part < 5; ++part)
    add_blob(random, 0, 150, std::vector<double>(60, part - 2.0), 1.0, spikes);
  shuffle_times(random, 10, spikes);
  BatchProblem<TypeParam> problem(make_features(TestProbe(1, 10, 6), spikes));
  const FoundSeeds found = find_seeds(problem)[0];
  ASSERT_EQ(found.seeds.size(), 75u);
  const Points points = problem.points(0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    double nearest = squared_length(points[i]);
    std::uint32_t label = 0;
    for (std::uint32_t seed = 0; seed < found.seeds.size(); ++seed) {
      const double distance = squared_distance(points[i], points[found.seeds[seed]]);
      if (distance < nearest) {
        nearest = distance;
        label = seed;
      }
    }
    if (found.labels[i] == label) continue;
    EXPECT_NEAR(squared_distance(points[i], points[found.seeds[found.labels[i]]]), nearest,
                nearest * 62.0 * 0x1.0p-23);
  }
}

TYPED_TEST(SeedingTest, IdenticalPointsAreOneSeed) {
  for (const int n : {1, 9, 300}) {
    const std::vector<TestSpike> spikes(static_cast<std::size_t>(n),
                                        TestSpike{0, std::vector<float>(6, 2.5f), 0, 0});
    BatchProblem<TypeParam> problem(make_features(TestProbe(), spikes));
    const FoundSeeds found = find_seeds(problem)[0];
    EXPECT_EQ(found.seeds.size(), 1u) << n << " spikes";
    EXPECT_EQ(found.labels, std::vector<std::uint32_t>(static_cast<std::size_t>(n), 0));
  }
}

TYPED_TEST(SeedingTest, ZerosHaveNoSeed) {
  for (const int n : {1, 500}) {
    const std::vector<TestSpike> spikes(static_cast<std::size_t>(n),
                                        TestSpike{0, std::vector<float>(6, 0.0f), 0, 0});
    BatchProblem<TypeParam> problem(make_features(TestProbe(), spikes));
    const FoundSeeds found = find_seeds(problem)[0];
    EXPECT_TRUE(found.seeds.empty()) << n << " spikes";
    EXPECT_EQ(found.labels, std::vector<std::uint32_t>(static_cast<std::size_t>(n), 0));
  }
}

TYPED_TEST(SeedingTest, TwoDistinctRowsAreTwoSeedsAtMost) {
  std::vector<TestSpike> spikes;
  for (int i = 0; i < 400; ++i)
    spikes.push_back({0, std::vector<float>(6, i % 3 == 0 ? 1.5f : -7.25f), 0, i});
  BatchProblem<TypeParam> problem(make_features(TestProbe(), spikes));
  const FoundSeeds found = find_seeds(problem)[0];
  ASSERT_EQ(found.seeds.size(), 2u);
  const bool first_is_third = found.seeds[0] % 3 == 0;
  EXPECT_NE(found.seeds[1] % 3 == 0, first_is_third);
  for (std::size_t i = 0; i < 400; ++i) EXPECT_EQ(found.labels[i], (i % 3 == 0) == first_is_third ? 0u : 1u);
}

/// A section that stops early must not stop the others, nor disturb them.
TYPED_TEST(SeedingTest, SectionsThatStopAtDifferentSteps) {
  std::mt19937_64 random(54);
  std::vector<TestSpike> spikes;
  for (int i = 0; i < 200; ++i) spikes.push_back({0, std::vector<float>(6, 0.0f), 0, 0});
  for (int i = 0; i < 200; ++i) spikes.push_back({1, std::vector<float>(6, 3.0f), 0, 0});
  add_whole_numbers(random, 2, 600, 6, -9, 9, spikes);
  for (int i = 0; i < 200; ++i) spikes.push_back({3, std::vector<float>(6, static_cast<float>(i % 5)), 0, 0});
  BatchProblem<TypeParam> problem(make_features(TestProbe(4), spikes));
  const auto found = find_seeds(problem);
  const std::size_t expected[] = {0, 1, 60, 4};
  for (std::size_t s = 0; s < 4; ++s) {
    EXPECT_EQ(found[s].seeds.size(), expected[s]);
    const Points points = problem.points(s);
    DirectSeeding direct(points, 1, static_cast<std::uint32_t>(s));
    EXPECT_EQ(found[s], direct.run(problem.batch.extents[s].n_seeds, 7)) << "section " << s;
  }
}

TYPED_TEST(SeedingTest, SectionsTogetherAsOneAtATime) {
  const SpikeFeatures features = ragged_clusters(55);
  BatchProblem<TypeParam> together(features);
  const auto all = find_seeds(together);
  for (std::size_t s = 0; s < all.size(); ++s) {
    BatchProblem<TypeParam> alone(features, {}, s, s + 1);
    EXPECT_EQ(find_seeds(alone)[0], all[s]) << "section " << s;
  }
}

TYPED_TEST(SeedingTest, SeedOfTheRandomNumbersMatters) {
  ClusteringOptions options;
  options.seed = 2;
  BatchProblem<TypeParam> one(ragged_clusters(56));
  BatchProblem<TypeParam> two(ragged_clusters(56), options);
  EXPECT_NE(find_seeds(one)[0].seeds, find_seeds(two)[0].seeds);
}

/// With one trial the first seed is drawn with probability ∝ |x|²: χ² over 4000 runs of fixed seeds.
TYPED_TEST(SeedingTest, FirstSeedsFollowSquaredLengths) {
  std::vector<TestSpike> spikes;
  for (const int length : {1, 4, 0, 2, 7, 3, 5, 6})
    spikes.push_back({0, {static_cast<float>(length), 0, 0, 0, 0, 0}, 0, 0});
  ClusteringOptions options;
  options.seeding.trials = 1;
  BatchProblem<TypeParam> problem(make_features(TestProbe(), spikes), options);
  const auto graph = find_neighbours(problem.exec, problem.batch, options.neighbours, problem.ledger);
  constexpr int runs = 4000;
  std::vector<int> count(spikes.size(), 0);
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    const auto seeding = seed_clusters(problem.exec, problem.batch, graph.norms, options.seeding, seed, problem.ledger);
    problem.exec.fence();
    ++count[to_host(seeding.seeds)[0]];
  }
  const Points points = problem.points(0);
  double total = 0.0;
  for (const auto& x : points) total += squared_length(x);
  double chi_square = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double expected = runs * squared_length(points[i]) / total;
    if (expected > 0.0) chi_square += (count[i] - expected) * (count[i] - expected) / expected;
  }
  EXPECT_EQ(count[2], 0);
  EXPECT_LT(chi_square, 22.46);  // 6 degrees of freedom, p = 0.001
}

TYPED_TEST(SeedingTest, MoreTrialsThanTheKernelHoldsThrow) {
  ClusteringOptions options;
  options.seeding.trials = max_trials + 1;
  BatchProblem<TypeParam> problem(ragged_clusters(57), options);
  EXPECT_THROW(find_seeds(problem), std::invalid_argument);
}

TEST(SeedingTrials, FollowTheNumberOfSeeds) {
  EXPECT_EQ(seeding_trials({1, 10, 0}), 2);
  EXPECT_EQ(seeding_trials({200, 10, 0}), 7);
  EXPECT_EQ(seeding_trials({200, 10, 3}), 3);
}

}  // namespace
}  // namespace kokkosort::test
