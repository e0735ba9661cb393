#include "kokkosort/templates/split_by_template.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace kokkosort::test {
namespace {

constexpr std::size_t n_channels = 4;
constexpr std::size_t n_rows = 2;
constexpr std::size_t n_pcs = 3;

/// How many spikes one cluster has of one template.
struct Part {
  std::int32_t matched;
  std::int32_t cluster;
  int spikes;
};

struct MatchedClusters {
  SpikeFeatures spikes;
  std::vector<std::int32_t> labels;
};

/// Spikes of these parts in turn, one of each; template k has rows on channels k and k + 1.
MatchedClusters mix(const std::vector<Part>& parts) {
  std::vector<std::pair<std::int32_t, std::int32_t>> of;  // template and cluster of each spike
  std::vector<int> left;
  for (const Part& part : parts) left.push_back(part.spikes);
  for (bool any = true; any;) {
    any = false;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (left[k] == 0) continue;
      --left[k];
      of.emplace_back(parts[k].matched, parts[k].cluster);
      any = true;
    }
  }
  MatchedClusters result;
  SpikeFeatures& spikes = result.spikes;
  const std::size_t n_templates = n_channels - 1;
  spikes.probe = {std::vector<double>(n_channels, 0.0), {0.0, 20.0, 40.0, 60.0}, {0, 0, 0, 0}};
  spikes.centres.x_um.assign(n_templates, 0.0);
  spikes.centres.channels = HostMatrix<std::int32_t>("kokkosort::test::rows", n_templates, n_rows);
  for (std::size_t k = 0; k < n_templates; ++k)
    for (std::size_t row = 0; row < n_rows; ++row)
      spikes.centres.channels(k, row) = static_cast<std::int32_t>(k + row);
  spikes.sample = HostVector<std::int64_t>("kokkosort::test::sample", of.size());
  spikes.centre = HostVector<std::int32_t>("kokkosort::test::centre", of.size());
  spikes.features = HostTensor3<float>("kokkosort::test::features", of.size(), n_rows, n_pcs);
  std::mt19937_64 random(4);
  std::normal_distribution<float> value;
  for (std::size_t i = 0; i < of.size(); ++i) {
    spikes.sample(i) = static_cast<std::int64_t>(100 * i);
    spikes.centre(i) = of[i].first;
    result.labels.push_back(of[i].second);
    for (std::size_t k = 0; k < n_rows * n_pcs; ++k)
      spikes.features.data()[i * n_rows * n_pcs + k] = value(random);
  }
  return result;
}

/// The unit of each template and cluster. Fails if spikes of one such part have several.
std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> units_of_parts(const MatchedClusters& mixed,
                                                                             const SpikeUnits& units) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> unit_of;
  for (std::size_t i = 0; i < mixed.labels.size(); ++i) {
    const auto [place, is_new] = unit_of.insert({{mixed.spikes.centre(i), mixed.labels[i]}, units.labels[i]});
    EXPECT_EQ(place->second, units.labels[i]) << "spike " << i;
  }
  return unit_of;
}

TEST(SplitByTemplate, ClusterOfTwoTemplatesIsTwoUnits) {
  const MatchedClusters mixed = mix({{0, 0, 200}, {1, 0, 49}, {2, 1, 30}});
  const SpikeUnits units = split_by_template(mixed.spikes, mixed.labels, {});
  auto unit_of = units_of_parts(mixed, units);
  EXPECT_EQ(units.n_units(), 3u);
  EXPECT_NE((unit_of[{0, 0}]), (unit_of[{1, 0}]));
  EXPECT_NE((unit_of[{1, 0}]), (unit_of[{2, 1}]));
}

TEST(SplitByTemplate, TemplateOfTwoClustersIsTwoUnits) {
  const MatchedClusters mixed = mix({{0, 0, 200}, {0, 1, 50}});
  const SpikeUnits units = split_by_template(mixed.spikes, mixed.labels, {});
  EXPECT_EQ(units.n_units(), 2u);
}

TEST(SplitByTemplate, TooFewSpikesJoinTheTemplatesLargestUnit) {
  // By number, and by share.
  for (const auto& [most, few] : {std::pair(100, 9), std::pair(1000, 49)}) {
    const MatchedClusters mixed = mix({{0, 0, few}, {0, 1, most}, {1, 0, most}});
    const SpikeUnits units = split_by_template(mixed.spikes, mixed.labels, {});
    auto unit_of = units_of_parts(mixed, units);
    EXPECT_EQ(units.n_units(), 2u) << few << " of " << most;
    EXPECT_EQ((unit_of[{0, 0}]), (unit_of[{0, 1}]));
  }
}

TEST(SplitByTemplate, TemplateWithOneSpikeIsAUnit) {
  const MatchedClusters mixed = mix({{0, 0, 1}, {2, 0, 100}});
  const SpikeUnits units = split_by_template(mixed.spikes, mixed.labels, {});
  EXPECT_EQ(units.n_units(), 2u);
}

TEST(SplitByTemplate, NoSpikes) {
  const MatchedClusters mixed = mix({});
  const SpikeUnits units = split_by_template(mixed.spikes, mixed.labels, {});
  EXPECT_EQ(units.n_units(), 0u);
}

TEST(SplitByTemplate, MeansAreOfTheUnitsSpikes) {
  const MatchedClusters mixed = mix({{0, 0, 40}, {1, 0, 30}, {1, 2, 20}, {2, 1, 3}, {2, 2, 50}});
  const SpikeUnits units = split_by_template(mixed.spikes, mixed.labels, {});
  ASSERT_EQ(units.n_units(), 4u);
  for (std::size_t unit = 0; unit < units.n_units(); ++unit)
    for (std::size_t channel = 0; channel < n_channels; ++channel)
      for (std::size_t p = 0; p < n_pcs; ++p) {
        double sum = 0.0;
        double n = 0.0;
        for (std::size_t i = 0; i < units.labels.size(); ++i) {
          if (units.labels[i] != static_cast<std::int32_t>(unit)) continue;
          n += 1.0;
          for (std::size_t row = 0; row < n_rows; ++row)
            if (static_cast<std::size_t>(mixed.spikes.centre(i)) + row == channel)
              sum += mixed.spikes.features(i, row, p);
        }
        EXPECT_NEAR(units.means(unit, channel, p), sum / n, 1e-6) << unit << " " << channel << " " << p;
      }
}

}  // namespace
}  // namespace kokkosort::test
