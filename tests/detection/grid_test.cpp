// Detection's grid, on probes of every kind.
#include "kokkosort/detection/grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"
#include "templates/template_problem.hpp"

namespace kokkosort::test {
namespace {

double distance(const Probe& probe, std::size_t channel, const DetectionGrid& grid, std::size_t centre) {
  return std::hypot(probe.x_um[channel] - grid.centres.x_um[centre],
                    probe.y_um[channel] - grid.centres.y_um[centre]);
}

std::set<double> distinct(const std::vector<double>& values) { return {values.begin(), values.end()}; }

std::size_t n_centres(const DetectionGrid& grid) { return grid.centres.x_um.size(); }

TEST(DetectionGridTest, Neuropixels) {
  const DetectionGrid grid = make_detection_grid(staggered_probe(384), {});
  EXPECT_EQ(grid.dmin_um, 20.0);
  EXPECT_EQ(grid.dminx_um, 32.0);
  EXPECT_EQ(distinct(grid.centres.x_um), (std::set<double>{0, 16, 32, 48}));
  EXPECT_EQ(distinct(grid.centres.y_um).size(), 383u);
  EXPECT_EQ(n_centres(grid), 1532u);
  EXPECT_EQ(grid.weights.extent(1), 5u);
  EXPECT_EQ(grid.weights.extent(2), 10u);
  EXPECT_EQ(grid.neighbours.extent(1), 100u);
  EXPECT_TRUE(std::is_sorted(grid.centres.y_um.begin(), grid.centres.y_um.end()));
}

TEST(DetectionGridTest, OneColumn) {
  const DetectionGrid grid = make_detection_grid(linear_probe(8), {});
  EXPECT_EQ(distinct(grid.centres.x_um), (std::set<double>{0}));
  EXPECT_EQ(n_centres(grid), 15u);
  EXPECT_EQ(grid.centres.channels.extent(1), 8u) << "there are no more channels";
}

TEST(DetectionGridTest, OneChannel) {
  const DetectionGrid grid = make_detection_grid(linear_probe(1), {});
  ASSERT_EQ(n_centres(grid), 1u);
  EXPECT_EQ(grid.dmin_um, 20.0);
  EXPECT_EQ(grid.weights(0, 0, 0), 1.0f);
  EXPECT_EQ(grid.neighbours(0, 0), 0);
}

TEST(DetectionGridTest, Tetrode) {
  Probe probe = linear_probe(4);
  probe.x_um = {0, 20, 0, 20};
  probe.y_um = {0, 0, 20, 20};
  const DetectionGrid grid = make_detection_grid(probe, {});
  EXPECT_EQ(distinct(grid.centres.x_um), (std::set<double>{0, 16}));
  EXPECT_EQ(distinct(grid.centres.y_um), (std::set<double>{0, 10, 20}));
}

/// Columns that are shifted by half a gap are closer than either; a shift of a micrometre is none.
TEST(DetectionGridTest, SpacingOfStaggeredColumns) {
  Probe probe = linear_probe(40);
  for (std::size_t c = 0; c < 40; ++c) {
    probe.x_um[c] = 30.0 * static_cast<double>(c % 2);
    probe.y_um[c] = 25.0 * static_cast<double>(c / 2) + 12.5 * static_cast<double>(c % 2);
  }
  EXPECT_EQ(make_detection_grid(probe, {}).dmin_um, 12.5);
  for (std::size_t c = 0; c < 40; ++c)
    probe.y_um[c] = 25.0 * static_cast<double>(c / 2) + 1.0 * static_cast<double>(c % 2);
  EXPECT_EQ(make_detection_grid(probe, {}).dmin_um, 25.0);
}

TEST(DetectionGridTest, GapsAreWithinShanks) {
  Probe probe = two_shank_probe(20);
  for (std::size_t c = 1; c < 20; c += 2) probe.y_um[c] += 5.0;
  EXPECT_EQ(make_detection_grid(probe, {}).dmin_um, 20.0);
}

TEST(DetectionGridTest, RowsAreTheNearestChannels) {
  std::mt19937_64 random(411);
  const Probe probe = shuffle_channels(random, staggered_probe(60));
  const DetectionGrid grid = make_detection_grid(probe, {});
  for (std::size_t n = 0; n < n_centres(grid); ++n) {
    std::vector<std::pair<double, std::int32_t>> keys;
    for (std::size_t c = 0; c < 60; ++c)
      keys.emplace_back(distance(probe, c, grid, n), static_cast<std::int32_t>(c));
    std::sort(keys.begin(), keys.end());
    for (std::size_t row = 0; row < 10; ++row) EXPECT_EQ(grid.centres.channels(n, row), keys[row].second);
    EXPECT_LE(keys[0].first, 32.0);
  }
}

TEST(DetectionGridTest, WeightsAreGaussiansOfNorm1) {
  const Probe probe = staggered_probe(40);
  const DetectionGrid grid = make_detection_grid(probe, {});
  for (std::size_t n = 0; n < n_centres(grid); ++n)
    for (std::size_t k = 0; k < 5; ++k) {
      const double scale = 10.0 * static_cast<double>(k + 1);
      double sum = 0.0;
      for (std::size_t row = 0; row < 10; ++row) sum += std::pow(grid.weights(n, k, row), 2);
      EXPECT_NEAR(sum, 1.0, 1e-6);
      const auto d = [&](std::size_t row) {
        return distance(probe, static_cast<std::size_t>(grid.centres.channels(n, row)), grid, n);
      };
      for (std::size_t row = 1; row < 10; ++row)
        EXPECT_NEAR(grid.weights(n, k, row) / grid.weights(n, k, 0),
                    std::exp((d(0) * d(0) - d(row) * d(row)) / (scale * scale)), 1e-6);
    }
}

/// A scale much smaller than the distance of all channels.
TEST(DetectionGridTest, WeightsOfFarChannelsAreFinite) {
  DetectionOptions options;
  options.smallest_scale_um = 0.01;
  options.dmin_um = 30.0;
  const DetectionGrid grid = make_detection_grid(linear_probe(4), options);
  for (std::size_t n = 0; n < n_centres(grid); ++n) {
    double sum = 0.0;
    for (std::size_t row = 0; row < 4; ++row) sum += std::pow(grid.weights(n, 0, row), 2);
    EXPECT_NEAR(sum, 1.0, 1e-6) << n;
  }
}

TEST(DetectionGridTest, NeighboursAreTheNearestCentres) {
  const DetectionGrid grid = make_detection_grid(staggered_probe(96), {});
  for (std::size_t n = 0; n < n_centres(grid); n += 7) {
    std::vector<std::pair<double, std::int32_t>> keys;
    for (std::size_t i = 0; i < n_centres(grid); ++i)
      keys.emplace_back(std::hypot(grid.centres.x_um[i] - grid.centres.x_um[n],
                                   grid.centres.y_um[i] - grid.centres.y_um[n]),
                        static_cast<std::int32_t>(i));
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 0; i < 100; ++i)
      EXPECT_EQ(grid.neighbours(n, i), keys[i].first <= 200.0 ? keys[i].second : -1) << n << ' ' << i;
    EXPECT_EQ(grid.neighbours(n, 0), static_cast<std::int32_t>(n));
  }
}

/// A hundred centres of a thin long probe reach far beyond any neuron.
TEST(DetectionGridTest, FarCentresAreNoNeighbours) {
  const DetectionGrid grid = make_detection_grid(linear_probe(100), {});
  std::set<double> heights;
  for (std::size_t i = 0; i < grid.neighbours.extent(1); ++i)
    if (grid.neighbours(99, i) >= 0)
      heights.insert(grid.centres.y_um[static_cast<std::size_t>(grid.neighbours(99, i))]);
  EXPECT_EQ(*heights.begin(), grid.centres.y_um[99] - 200.0);
  EXPECT_EQ(*heights.rbegin(), grid.centres.y_um[99] + 200.0);
}

TEST(DetectionGridTest, ShanksDoNotMix) {
  const Probe probe = two_shank_probe(40);
  const DetectionGrid grid = make_detection_grid(probe, {});
  const auto shank = [&](std::size_t n) {
    return probe.shank[static_cast<std::size_t>(grid.centres.channels(n, 0))];
  };
  EXPECT_EQ(n_centres(grid), 2u * 39u);
  for (std::size_t n = 0; n < n_centres(grid); ++n) {
    EXPECT_EQ(shank(n), n < 39 ? 0 : 1);
    for (std::size_t row = 0; row < 10; ++row)
      EXPECT_EQ(probe.shank[static_cast<std::size_t>(grid.centres.channels(n, row))], shank(n));
    for (std::size_t i = 0; i < grid.neighbours.extent(1); ++i)
      if (grid.neighbours(n, i) >= 0) {
        EXPECT_EQ(shank(static_cast<std::size_t>(grid.neighbours(n, i))), shank(n));
      }
  }
}

/// A shank of too few channels has others' to fill its rows, which count for nothing.
TEST(DetectionGridTest, RowsOfASmallShank) {
  Probe probe = two_shank_probe(12);
  for (double& x : probe.x_um) x = 0.0;
  const DetectionGrid grid = make_detection_grid(probe, {});
  ASSERT_EQ(grid.centres.channels.extent(1), 10u);
  for (std::size_t n = 0; n < n_centres(grid); ++n)
    for (std::size_t row = 0; row < 10; ++row) {
      const std::int32_t shank = probe.shank[static_cast<std::size_t>(grid.centres.channels(n, row))];
      EXPECT_EQ(shank == (n < n_centres(grid) / 2 ? 0 : 1), row < 6);
      EXPECT_EQ(grid.weights(n, 4, row) > 0.0f, row < 6);
    }
}

/// Two groups of channels with nothing between them.
TEST(DetectionGridTest, CentresFarFromChannelsAreLeftOut) {
  Probe probe = linear_probe(10);
  for (std::size_t c = 5; c < 10; ++c) probe.y_um[c] += 1000.0;
  const DetectionGrid grid = make_detection_grid(probe, {});
  for (std::size_t n = 0; n < n_centres(grid); ++n)
    EXPECT_LE(distance(probe, static_cast<std::size_t>(grid.centres.channels(n, 0)), grid, n), 32.0);
  EXPECT_LT(n_centres(grid), 40u);
  EXPECT_GE(n_centres(grid), 9u + 9u + 6u);
}

TEST(DetectionGridTest, GivenSpacings) {
  DetectionOptions options;
  options.dmin_um = 40.0;
  options.dminx_um = 96.0;
  const DetectionGrid grid = make_detection_grid(staggered_probe(40), options);
  EXPECT_EQ(grid.dmin_um, 40.0);
  EXPECT_EQ(grid.dminx_um, 96.0);
  EXPECT_EQ(distinct(grid.centres.x_um), (std::set<double>{0, 48}));
  EXPECT_EQ(distinct(grid.centres.y_um).size(), 20u);
}

TEST(DetectionGridTest, TooFineSpacingsAreRefused) {
  for (const double dmin : {1e-4, 1e-300}) {
    DetectionOptions options;
    options.dmin_um = dmin;
    const std::string message =
        message_of<InputError>([&] { make_detection_grid(staggered_probe(384), options); });
    EXPECT_NE(message.find("detection.dmin_um"), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST(DetectionGridTest, NoCentreNearAChannelIsRefused) {
  Probe probe = linear_probe(2);
  probe.x_um = {0.0, 500.0};
  probe.y_um = {500.0, 0.0};
  DetectionOptions options;
  options.dmin_um = 5000.0;
  options.dminx_um = 5000.0;
  const std::string message = message_of<InputError>([&] { make_detection_grid(probe, options); });
  EXPECT_NE(message.find("detection.max_channel_um"), std::string::npos) << message;
}

}  // namespace
}  // namespace kokkosort::test
