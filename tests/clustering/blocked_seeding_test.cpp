#include "kokkosort/clustering/blocked_seeding.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "clustering/seeding_reference.hpp"
#include "execution_spaces.hpp"

namespace kokkosort::test {
namespace {

template <class Exec>
class BlockedSeedingTest : public testing::Test {};
TYPED_TEST_SUITE(BlockedSeedingTest, ExecutionSpaces, ExecutionSpaceName);

template <class Exec>
std::vector<FoundSeeds> find_blocked_seeds(BatchProblem<Exec>& problem, int block, bool host_draws) {
  const auto graph = find_neighbours(problem.exec, problem.batch, problem.options.neighbours, problem.ledger);
  const BlockedSeedingOptions options{problem.options.seeding, block, host_draws};
  return to_found_seeds(problem, seed_clusters_blocked(problem.exec, problem.batch, graph.norms, options,
                                                       problem.options.seed, problem.ledger));
}

/// A section of real numbers, one of whole numbers, and two that run out of points to explain.
SpikeFeatures four_sections() {
  std::mt19937_64 random(61);
  std::vector<TestSpike> spikes;
  add_blob(random, 0, 500, std::vector<double>(6, 2.0), 1.0, spikes);
  add_whole_numbers(random, 1, 333, 6, -9, 9, spikes);
  for (int i = 0; i < 100; ++i) spikes.push_back({2, std::vector<float>(6, static_cast<float>(i % 5)), 0, 0});
  for (int i = 0; i < 100; ++i) spikes.push_back({3, std::vector<float>(6, 0.0f), 0, 0});
  shuffle_times(random, 10, spikes);
  return make_features(TestProbe(4), spikes);
}

TYPED_TEST(BlockedSeedingTest, SeedsOfTheDefaultForAllBlocks) {
  BatchProblem<TypeParam> problem(four_sections());
  const auto expected = find_seeds(problem);
  ASSERT_EQ(expected[0].seeds.size(), 50u);
  ASSERT_EQ(expected[2].seeds.size(), 4u);
  ASSERT_EQ(expected[3].seeds.size(), 0u);
  for (const bool host_draws : {false, true})
    for (const int block : {1, 7, 64, 1024})
      EXPECT_EQ(find_blocked_seeds(problem, block, host_draws), expected)
          << "blocks of " << block << (host_draws ? ", drawn on the host" : "");
}

TYPED_TEST(BlockedSeedingTest, NoPointsInABlockThrows) {
  BatchProblem<TypeParam> problem(four_sections());
  EXPECT_THROW(find_blocked_seeds(problem, 0, false), std::invalid_argument);
}

}  // namespace
}  // namespace kokkosort::test
