#include "kokkosort/simulation/blob_features.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "kokkosort/clustering/sections.hpp"

namespace kokkosort {
namespace {

TEST(BlobFeatures, EverySectionHasItsSpikesAndChannels) {
  BlobOptions options;
  options.sections = 3;
  options.spikes = 50;
  options.channels = 5;
  const SpikeFeatures spikes = make_blob_features(options);
  EXPECT_EQ(spikes.n_spikes(), 150u);
  const std::vector<Section> sections = make_sections(spikes);
  ASSERT_EQ(sections.size(), 3u);
  for (const Section& section : sections) {
    EXPECT_EQ(section.spikes.size(), 50u);
    EXPECT_EQ(section.channels.size(), 5u);
  }
  for (std::size_t i = 1; i < spikes.n_spikes(); ++i) EXPECT_LE(spikes.sample(i - 1), spikes.sample(i));
}

TEST(BlobFeatures, ValuesAreClustersWithUnitNoise) {
  BlobOptions options;
  options.spikes = 4000;
  options.channels = 2;
  options.clusters = 1;
  options.jitter = 0.0;
  const SpikeFeatures spikes = make_blob_features(options);
  double square = 0.0;
  for (std::size_t value = 0; value < 12; ++value) {
    double sum = 0.0;
    double sum_of_squares = 0.0;
    for (std::size_t i = 0; i < 4000; ++i) {
      const double x = spikes.features(i, value / 6, value % 6);
      sum += x;
      sum_of_squares += x * x;
    }
    const double mean = sum / 4000.0;
    square += mean * mean;
    EXPECT_NEAR(sum_of_squares / 4000.0 - mean * mean, 1.0, 0.12);  // five standard errors
  }
  EXPECT_GT(std::sqrt(square), 0.45 * options.amplitude);
  EXPECT_LT(std::sqrt(square), 1.55 * options.amplitude);
}

TEST(BlobFeatures, SeedDecidesEverything) {
  BlobOptions options;
  options.spikes = 20;
  const SpikeFeatures first = make_blob_features(options);
  const SpikeFeatures again = make_blob_features(options);
  options.seed = 2;
  const SpikeFeatures other = make_blob_features(options);
  std::set<float> differences;
  for (std::size_t i = 0; i < first.features.size(); ++i) {
    EXPECT_EQ(first.features.data()[i], again.features.data()[i]);
    differences.insert(first.features.data()[i] - other.features.data()[i]);
  }
  EXPECT_GT(differences.size(), first.features.size() / 2);
}

}  // namespace
}  // namespace kokkosort
