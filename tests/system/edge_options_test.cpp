// The smallest and largest values of the options, through the whole clustering.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "kokkosort/clustering/cluster.hpp"
#include "system/recording.hpp"
#include "system/well_formed.hpp"

namespace kokkosort::test {
namespace {

template <class Exec>
class EdgeOptionsTest : public testing::Test {
 protected:
  EdgeOptionsTest() { RecordProperty("seed", std::to_string(seed)); }

  /// @return units per section
  std::vector<std::int32_t> units() const {
    TransferLedger ledger;
    const Clustering clustering = cluster_spikes(Exec(), recording.spikes, options, ledger);
    expect_well_formed(clustering, recording.spikes);
    std::vector<std::int32_t> count;
    for (const SectionReport& section : clustering.sections) count.push_back(section.units);
    return count;
  }

  static constexpr std::uint64_t seed = 6;
  const Recording recording = two_neurons_a_section(seed, 2, 800);
  const std::vector<std::int32_t> planted{2, 2};
  ClusteringOptions options;
};
TYPED_TEST_SUITE(EdgeOptionsTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(EdgeOptionsTest, Defaults) { EXPECT_EQ(this->units(), this->planted); }

TYPED_TEST(EdgeOptionsTest, SubsetOfFive) {
  this->options.neighbours.max_subset = 5;
  this->units();
}

TYPED_TEST(EdgeOptionsTest, SubsetOfOne) {
  this->options.neighbours.max_subset = 1;
  this->units();
}

TYPED_TEST(EdgeOptionsTest, AllSpikesInTheSubset) {
  this->options.neighbours.subset_stride = 1;
  this->units();
}

TYPED_TEST(EdgeOptionsTest, OneNeighbour) {
  this->options.neighbours.neighbours = 1;
  this->units();
}

TYPED_TEST(EdgeOptionsTest, ThirtyTwoNeighbours) {
  this->options.neighbours.neighbours = 32;
  EXPECT_EQ(this->units(), this->planted);
}

TYPED_TEST(EdgeOptionsTest, OneSeedIsOneUnit) {
  this->options.seeding.seeds = 1;
  EXPECT_EQ(this->units(), (std::vector<std::int32_t>{1, 1}));
}

TYPED_TEST(EdgeOptionsTest, ASeedASpike) {
  this->options.seeding.spikes_per_seed = 1;
  EXPECT_EQ(this->units(), this->planted);
}

TYPED_TEST(EdgeOptionsTest, NoRoundAndOne) {
  for (const int rounds : {0, 1}) {
    this->options.assignment.rounds = rounds;
    EXPECT_EQ(this->units(), this->planted) << rounds << " rounds";
  }
}

TYPED_TEST(EdgeOptionsTest, OneTrialAndSixteen) {
  for (const int trials : {1, 16}) {
    this->options.seeding.trials = trials;
    EXPECT_EQ(this->units(), this->planted) << trials << " trials";
  }
}

TYPED_TEST(EdgeOptionsTest, EitherNullModel) {
  for (const NullModel model : {NullModel::degree, NullModel::kilosort}) {
    this->options.assignment.null_model = model;
    EXPECT_EQ(this->units(), this->planted) << static_cast<int>(model);
  }
}

TYPED_TEST(EdgeOptionsTest, ResolutionZeroAndHuge) {
  for (const double resolution : {0.0, 1000.0}) {
    this->options.assignment.resolution = resolution;
    this->units();
  }
}

/// With every join refused a leaf is a unit; with every join made a section is.
TYPED_TEST(EdgeOptionsTest, SplitAllAndNothing) {
  TransferLedger ledger;
  this->options.splits.refractory = false;
  this->options.assignment.resolution = 20.0;
  this->options.splits.min_ratio = 1000.0;
  const Clustering all = cluster_spikes(TypeParam(), this->recording.spikes, this->options, ledger);
  for (const SectionReport& section : all.sections) EXPECT_EQ(section.units, section.leaves);
  EXPECT_GT(all.n_units(), 10u);
  this->options.splits.min_ratio = 0.0;
  this->options.splits.min_bimodality = 1.1;
  EXPECT_EQ(this->units(), (std::vector<std::int32_t>{1, 1}));
}

/// Kilosort4 makes one cluster of a section under 1000 spikes.
TYPED_TEST(EdgeOptionsTest, NoCliffInTheNumberOfSpikes) {
  for (const int n : {120, 400, 999, 1000, 1001, 3000}) {
    SCOPED_TRACE(std::to_string(n) + " spikes a section");
    const Recording three = two_neurons_a_section(this->seed, 3, n);
    TransferLedger ledger;
    const Clustering clustering = cluster_spikes(TypeParam(), three.spikes, this->options, ledger);
    for (const SectionReport& section : clustering.sections) {
      EXPECT_EQ(section.spikes, n);
      EXPECT_EQ(section.units, 2);
    }
  }
}

}  // namespace
}  // namespace kokkosort::test
