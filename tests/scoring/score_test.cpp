// The score's own definition, by plain loops over all pairs of spikes. tests/system/score_test.cpp holds it
// against the answers of ../shared/tools/score.py.
#include "kokkosort/scoring/score.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>

namespace kokkosort::test {
namespace {

std::set<std::int32_t> labels(const SpikeTrains& trains) { return {trains.unit.begin(), trains.unit.end()}; }

std::int64_t count(const SpikeTrains& trains, std::int32_t unit) {
  std::int64_t n = 0;
  for (const std::int32_t other : trains.unit) n += other == unit ? 1 : 0;
  return n;
}

std::int64_t plain_hits(const SpikeTrains& truth, std::int32_t true_unit, const SpikeTrains& sorted,
                        std::int32_t sorted_unit, std::int64_t tolerance) {
  std::int64_t hits = 0;
  for (std::size_t i = 0; i < truth.sample.size(); ++i) {
    if (truth.unit[i] != true_unit) continue;
    for (std::size_t j = 0; j < sorted.sample.size(); ++j)
      if (sorted.unit[j] == sorted_unit && std::llabs(sorted.sample[j] - truth.sample[i]) <= tolerance) {
        ++hits;
        break;
      }
  }
  return hits;
}

void expect_as_plain_loops(const SpikeTrains& truth, const SpikeTrains& sorted, std::int64_t tolerance) {
  const Score score = score_sorting(truth, sorted, tolerance);
  ASSERT_EQ(score.units.size(), labels(truth).size());
  EXPECT_EQ(score.sorted_units, labels(sorted).size());
  EXPECT_EQ(score.sorted_spikes, sorted.sample.size());
  auto of_score = score.units.begin();
  for (const std::int32_t unit : labels(truth)) {
    const UnitScore& found = *of_score++;
    EXPECT_EQ(found.unit, unit);
    EXPECT_EQ(found.spikes, count(truth, unit));
    double best = 0.0;
    std::optional<std::int32_t> best_unit;
    std::int64_t best_hits = 0;
    for (const std::int32_t other : labels(sorted)) {
      const std::int64_t hits = plain_hits(truth, unit, sorted, other, tolerance);
      const double accuracy =
          static_cast<double>(hits) / static_cast<double>(count(truth, unit) + count(sorted, other) - hits);
      if (accuracy > best) best = accuracy, best_unit = other, best_hits = hits;
    }
    EXPECT_EQ(found.sorted_unit, best_unit);
    EXPECT_EQ(found.hits, best_hits);
    EXPECT_DOUBLE_EQ(found.accuracy(), best);
    EXPECT_DOUBLE_EQ(found.recall(), static_cast<double>(best_hits) / static_cast<double>(found.spikes));
    if (best_unit)
      EXPECT_DOUBLE_EQ(found.precision(),
                       static_cast<double>(best_hits) / static_cast<double>(count(sorted, *best_unit)));
    else
      EXPECT_EQ(found.precision(), 0.0);
  }
}

TEST(ScoreSorting, AsPlainLoopsOnRandomTrains) {
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u, 6u}) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto below = [&random](int n) {
      return static_cast<std::int32_t>(random() % static_cast<unsigned>(n));
    };
    SpikeTrains truth;
    SpikeTrains sorted;
    for (int i = 0; i < 300; ++i) {  // crowded, in no order, with gaps between labels, some negative
      truth.sample.push_back(below(3000));
      truth.unit.push_back(3 * below(7) - 4);
      if (below(4) == 0) continue;
      sorted.sample.push_back(truth.sample.back() + below(25) - 12);
      sorted.unit.push_back(below(5) == 0 ? below(10) : truth.unit.back() + 5);
    }
    for (const std::int64_t tolerance : {0, 1, 12}) expect_as_plain_loops(truth, sorted, tolerance);
  }
}

TEST(ScoreSorting, OfEqualAccuraciesTheSmallestUnitIsNamed) {
  const SpikeTrains truth{{100, 200, 300, 400}, {0, 0, 0, 0}};
  const Score score = score_sorting(truth, {{100, 200, 300, 400}, {9, 4, 4, 9}}, 12);
  EXPECT_EQ(score.units[0].sorted_unit, 4);
  EXPECT_EQ(score.units[0].accuracy(), 0.5);
}

TEST(ScoreSorting, ASortingWithoutSpikesFindsNothing) {
  const Score score = score_sorting({{100, 200, 300}, {1, 1, 2}}, {}, 12);
  ASSERT_EQ(score.units.size(), 2u);
  EXPECT_FALSE(score.units[0].sorted_unit);
  EXPECT_EQ(score.mean_accuracy(), 0.0);
  EXPECT_EQ(score.mean_precision(), 0.0);
  EXPECT_EQ(score.sorted_units, 0u);
}

TEST(ScoreSorting, SummaryByHand) {
  // Unit 0 is found whole, unit 1 by three of four with a foreign spike, unit 2 not at all.
  const SpikeTrains truth{{1000, 2000, 3000, 4000, 5000, 6000, 7000}, {0, 0, 1, 1, 1, 1, 2}};
  const SpikeTrains sorted{{1012, 1988, 3000, 4000, 5000, 9000}, {7, 7, 3, 3, 3, 3}};
  const Score score = score_sorting(truth, sorted, 12);
  EXPECT_DOUBLE_EQ(score.units[0].accuracy(), 1.0);
  EXPECT_DOUBLE_EQ(score.units[1].accuracy(), 3.0 / 5.0);
  EXPECT_DOUBLE_EQ(score.units[2].accuracy(), 0.0);
  EXPECT_EQ(score.over(0.8), 1u);
  EXPECT_EQ(score.over(0.6), 1u);  // more than it, not as much
  EXPECT_EQ(score.over(0.5), 2u);
  EXPECT_DOUBLE_EQ(score.mean_accuracy(), 1.6 / 3.0);
  EXPECT_DOUBLE_EQ(score.median_accuracy(), 0.6);
  EXPECT_DOUBLE_EQ(score.mean_recall(), 1.75 / 3.0);
  EXPECT_DOUBLE_EQ(score.mean_precision(), 1.75 / 3.0);
  const Score even = score_sorting({{1000, 2000}, {0, 1}}, {{1000}, {0}}, 12);
  EXPECT_DOUBLE_EQ(even.median_accuracy(), 0.5);
}

TEST(ScoreSorting, ToleranceIsTwoFifthsOfAMillisecond) {
  EXPECT_EQ(score_tolerance(30000.0), 12);
  EXPECT_EQ(score_tolerance(15000.0), 6);
  EXPECT_EQ(score_tolerance(32000.0), 13);  // 12.8
}

}  // namespace
}  // namespace kokkosort::test
