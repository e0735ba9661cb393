// The score is that of ../shared/tools/score.py, whose answers stand here.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>

#include "kokkosort/io/trains_file.hpp"
#include "kokkosort/scoring/score.hpp"
#include "system/shared_data.hpp"

namespace kokkosort::test {
namespace {

TEST(Score, ByHand) {
  // Unit 5 is found but for one spike, and has a foreign one; 12 samples are 0.4 ms. Unit 9 is split in two.
  const SpikeTrains truth{{100, 200, 300, 400, 1000, 2000, 3000}, {5, 5, 5, 5, 9, 9, 9}};
  const SpikeTrains sorted{{112, 188, 313, 400, 700, 1000, 2000, 3000}, {1, 1, 1, 1, 1, 7, 7, 8}};
  const Score score = score_sorting(truth, sorted, 12);
  EXPECT_EQ(score.sorted_units, 3u);
  ASSERT_EQ(score.units.size(), 2u);
  EXPECT_DOUBLE_EQ(score.units[0].accuracy(), 3.0 / 6.0);
  EXPECT_DOUBLE_EQ(score.units[1].accuracy(), 2.0 / 3.0);
  EXPECT_EQ(score.over(0.5), 1u);
  EXPECT_DOUBLE_EQ(score.mean_accuracy(), 7.0 / 12.0);
}

/// n numbers below m, made the same way in Python.
std::vector<std::int64_t> scatter(std::int64_t n, std::int64_t a, std::int64_t b, std::int64_t m) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back((a * i * i + b * i) % m);
  return values;
}

/// Crowded, unordered and with several spikes of a unit near one true spike.
TEST(Score, AsThePythonToolOnScatteredTrains) {
  SpikeTrains truth;
  SpikeTrains sorted;
  truth.sample = scatter(400, 7, 131, 20000);
  for (const std::int64_t unit : scatter(400, 3, 5, 11))
    truth.unit.push_back(static_cast<std::int32_t>(unit));
  const std::vector<std::int64_t> shift = scatter(300, 5, 1, 27);
  for (std::size_t i = 0; i < 300; ++i) {
    sorted.sample.push_back(truth.sample[i] + shift[i] - 13);
    sorted.unit.push_back((truth.unit[i] + (i % 9 == 0 ? 1 : 0)) % 11);
  }
  for (const std::int64_t sample : scatter(150, 11, 17, 20000)) sorted.sample.push_back(sample);
  for (const std::int64_t unit : scatter(150, 1, 1, 7))
    sorted.unit.push_back(static_cast<std::int32_t>(unit + 4));
  const Score score = score_sorting(truth, sorted, 12);
  EXPECT_EQ(score.units.size(), 6u);
  EXPECT_EQ(score.sorted_units, 10u);
  EXPECT_EQ(score.over(0.8), 0u);
  EXPECT_EQ(score.over(0.5), 4u);
  EXPECT_NEAR(score.mean_accuracy(), 0.5557, 5e-5);
}

/// The sorting that Kilosort 4.1.7 made of the shared recording, which lies in its file.
TEST(Score, AsThePythonToolOnKilosortsSorting) {
  const std::filesystem::path path = shared_data("np64_120s_stages.h5");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << missing(path);
  const SpikeTrains truth = read_trains(path, "truth/sample", "truth/unit").trains;
  struct Expected {
    const char* group;
    const char* samples;
    std::size_t sorted_units;
    std::size_t over_8;
    std::size_t over_5;
    double mean;
  };
  for (const Expected& expected :
       {Expected{"detected", "detected/spikes/sample", 71, 23, 45, 0.6374},
        Expected{"matched", "matched/spikes/sample", 55, 39, 47, 0.7619},
        Expected{"merged", "reference/kilosort4/merged/sample", 51, 40, 46, 0.7603}}) {
    SCOPED_TRACE(expected.group);
    const SpikeTrains kilosort =
        read_trains(path, expected.samples, "reference/kilosort4/" + std::string(expected.group) + "/labels").trains;
    const Score score = score_sorting(truth, kilosort, score_tolerance(30000.0));
    EXPECT_EQ(score.units.size(), 60u);
    EXPECT_EQ(score.sorted_units, expected.sorted_units);
    EXPECT_EQ(score.over(0.8), expected.over_8);
    EXPECT_EQ(score.over(0.5), expected.over_5);
    EXPECT_NEAR(score.mean_accuracy(), expected.mean, 5e-5);
  }
}

}  // namespace
}  // namespace kokkosort::test
