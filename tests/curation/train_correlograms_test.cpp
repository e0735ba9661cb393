#include "curation/train_correlograms.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "clustering/correlogram_reference.hpp"
#include "curation/curation_problem.hpp"

namespace kokkosort::test {
namespace {

using Counter = CorrelogramCounter;

/// All pairs, bin by bin.
CorrelogramCounts direct_counts(const Train& first, const Train& second, std::int64_t shift, double rate_hz) {
  CorrelogramCounts counts;
  for (const std::int64_t a : first)
    for (const std::int64_t b : second) {
      const std::int64_t difference = b + shift - a;
      const double ms = static_cast<double>(std::abs(difference)) * 1000.0 / rate_hz;
      const auto bin = static_cast<int>(std::min(std::floor(ms + 0.5), 1000.0));
      auto& side = difference > 0 ? counts.later : counts.sooner;
      if (bin >= 1 && bin <= 10) ++side[static_cast<std::size_t>(bin - 1)];
      if (bin >= 10 && bin <= 49) ++side[Counter::near_later];
      if (bin >= 11 && bin <= 50) ++side[Counter::near_sooner];
      if (bin >= 250 && bin <= 499) ++side[Counter::far_later];
      if (bin >= 251 && bin <= 499) ++side[Counter::far_sooner];
    }
  return counts;
}

template <class Exec>
class TrainCorrelogramsTest : public testing::Test {
 protected:
  TrainCorrelogramsTest() { this->RecordProperty("seed", std::to_string(seed)); }

  std::vector<CorrelogramCounts> count(const std::vector<Train>& trains, const std::vector<TrainPair>& pairs,
                                       double rate_hz = test_rate_hz) {
    return count_train_pairs(Exec(), trains, pairs, rate_hz, ledger);
  }
  void expect_counts(const std::vector<Train>& trains, const std::vector<TrainPair>& pairs,
                     double rate_hz = test_rate_hz) {
    const auto counts = count(trains, pairs, rate_hz);
    ASSERT_EQ(counts.size(), pairs.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      SCOPED_TRACE("trains " + std::to_string(pairs[k].first) + " " + std::to_string(pairs[k].second) +
                   " shift " + std::to_string(pairs[k].shift));
      const CorrelogramCounts direct =
          direct_counts(trains[pairs[k].first], trains[pairs[k].second], pairs[k].shift, rate_hz);
      EXPECT_EQ(counts[k].later, direct.later);
      EXPECT_EQ(counts[k].sooner, direct.sooner);
    }
  }
  static constexpr std::uint64_t seed = 71;
  std::mt19937_64 random{seed};
  TransferLedger ledger;
};
TYPED_TEST_SUITE(TrainCorrelogramsTest, ExecutionSpaces, ExecutionSpaceName);

/// Trains of very different lengths, so that either is walked along, in many chunks and in one.
TYPED_TEST(TrainCorrelogramsTest, AllPairsOfTrains) {
  std::vector<Train> trains;
  for (const double rate : {40.0, 0.3, 12.0, 3.0})
    trains.push_back(random_train(this->random, rate, 1200000, 2.0));
  ASSERT_GT(trains[0].size(), 1000u);
  ASSERT_LT(trains[1].size(), 40u);
  std::vector<TrainPair> pairs;
  for (std::uint32_t a = 0; a < 4; ++a)
    for (std::uint32_t b = 0; b < 4; ++b)
      for (const std::int64_t shift : {0, 17, -40}) pairs.push_back({a, b, shift});
  this->expect_counts(trains, pairs);
}

TYPED_TEST(TrainCorrelogramsTest, RatesThatAreNoWholeSamplesAMillisecond) {
  const std::vector<Train> trains{random_train(this->random, 30.0, 300000, 0.0),
                                  random_train(this->random, 20.0, 300000, 0.0)};
  for (const double rate_hz : {24414.0625, 15000.0, 12500.0, 1000.0}) {
    SCOPED_TRACE(rate_hz);
    this->expect_counts(trains, {{0, 1, 0}, {1, 0, 5}, {0, 0, 0}}, rate_hz);
  }
}

/// Differences at both sides of every edge of a bin.
TYPED_TEST(TrainCorrelogramsTest, EdgesOfBins) {
  const std::int64_t middle = 600 * 30;
  Train around;
  for (std::int64_t bin = 0; bin <= 510; ++bin)
    for (std::int64_t offset = -1; offset <= 1; ++offset)
      for (const int side : {-1, 1})
        for (std::int64_t copy = 0; copy <= bin % 3; ++copy)
          around.push_back(middle + side * (bin * 30 - 15 + offset));
  std::sort(around.begin(), around.end());
  this->expect_counts({{middle}, around}, {{0, 1, 0}, {1, 0, 0}, {0, 1, 1}, {0, 1, -1}});
}

TYPED_TEST(TrainCorrelogramsTest, NoSpikeIsAPairWithItself) {
  for (const Train& train : {Train{}, Train{5}, Train{7, 7, 7, 7}, Train{0, 100000000}})
    for (const CorrelogramCounts& counts : this->count({train}, {{0, 0, 0}}))
      for (std::size_t c = 0; c < Counter::size; ++c) EXPECT_EQ(counts.later[c] + counts.sooner[c], 0u);
}

TYPED_TEST(TrainCorrelogramsTest, EmptyTrainsAndNoPairs) {
  EXPECT_TRUE(this->count({}, {}).empty());
  EXPECT_TRUE(this->count({{1, 2}}, {}).empty());
  this->expect_counts({{}, {1, 40, 80}}, {{0, 1, 0}, {1, 0, 0}, {0, 0, 0}, {1, 1, 0}});
}

/// Many spikes at two instants: a count of all pairs one by one would be quadratic.
TYPED_TEST(TrainCorrelogramsTest, ManySpikesAtOnce) {
  Train train(3000, 1000);
  train.insert(train.end(), 2000, 1060);
  const CorrelogramCounts counts = this->count({train}, {{0, 0, 0}})[0];
  EXPECT_EQ(counts.later[1], 6000000u);
  EXPECT_EQ(counts.sooner[1], 6000000u);
  EXPECT_EQ(counts.later[0] + counts.later[2], 0u);
}

/// Scores by the clustering's reference, which knows the whole correlogram.
TYPED_TEST(TrainCorrelogramsTest, ScoresOfOneAndOfTwoNeurons) {
  const std::int64_t n_samples = 60 * 30000;
  const auto halves = split_train(this->random, random_train(this->random, 20.0, n_samples, 4.0), {1.0, 1.0});
  const std::vector<Train> trains{halves[0], halves[1], random_train(this->random, 15.0, n_samples, 4.0)};
  const auto counts = this->count(trains, {{0, 1}, {0, 2}, {0, 0}});
  const std::size_t second[] = {1, 2, 0};
  for (std::size_t k = 0; k < 3; ++k) {
    const DirectCorrelogram direct(trains[0], trains[second[k]], 30);
    const RefractoryScores scores = refractory_scores(counts[k]);
    EXPECT_NEAR(scores.ratio, direct.ratio(), 1e-12);
    EXPECT_NEAR(scores.probability, direct.probability(), 1e-12);
    EXPECT_EQ(scores.ratio < 0.25, k != 1);
  }
}

}  // namespace
}  // namespace kokkosort::test
