#include "kokkosort/clustering/sections.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace kokkosort {
namespace {

struct Place {
  double x;
  double y;
  std::int32_t shank = 0;
};

/// One spike at each detection centre, whose rows are the nearest channels.
SpikeFeatures one_spike_per_centre(const std::vector<Place>& channels, const std::vector<Place>& centres,
                                   int rows) {
  SpikeFeatures spikes;
  spikes.dmin_um = 20.0;
  spikes.dminx_um = 32.0;
  for (const Place& channel : channels) {
    spikes.probe.x_um.push_back(channel.x);
    spikes.probe.y_um.push_back(channel.y);
    spikes.probe.shank.push_back(channel.shank);
  }
  spikes.sample = HostVector<std::int64_t>("kokkosort::test::sample", centres.size());
  spikes.centre = HostVector<std::int32_t>("kokkosort::test::centre", centres.size());
  spikes.features = HostTensor3<float>("kokkosort::test::features", centres.size(), rows, 1);
  spikes.centres.channels = HostMatrix<std::int32_t>("kokkosort::test::channels", centres.size(), rows);
  for (std::size_t c = 0; c < centres.size(); ++c) {
    spikes.centres.x_um.push_back(centres[c].x);
    spikes.centres.y_um.push_back(centres[c].y);
    spikes.sample(c) = static_cast<std::int64_t>(c);
    spikes.centre(c) = static_cast<std::int32_t>(c);
    std::vector<std::int32_t> order(channels.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i);
    const auto distance = [&](std::int32_t i) {
      const Place& channel = channels[static_cast<std::size_t>(i)];
      return std::hypot(channel.x - centres[c].x, channel.y - centres[c].y);
    };
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return distance(a) < distance(b); });
    for (int row = 0; row < rows; ++row)
      spikes.centres.channels(c, row) = order[static_cast<std::size_t>(row)];
  }
  return spikes;
}

/// What must hold for any sections: a partition of the spikes in order, and the union of their centres'
/// channels.
void expect_consistent(const SpikeFeatures& spikes, const std::vector<Section>& sections) {
  std::set<std::int64_t> seen;
  for (const Section& section : sections) {
    EXPECT_FALSE(section.spikes.empty());
    EXPECT_TRUE(std::is_sorted(section.spikes.begin(), section.spikes.end()));
    std::set<std::int32_t> channels;
    for (const std::int64_t i : section.spikes) {
      EXPECT_TRUE(seen.insert(i).second) << "spike " << i << " is in two sections";
      const auto centre = static_cast<std::size_t>(spikes.centre(static_cast<std::size_t>(i)));
      for (std::size_t row = 0; row < spikes.n_rows(); ++row)
        channels.insert(spikes.centres.channels(centre, row));
    }
    EXPECT_EQ(section.channels, std::vector<std::int32_t>(channels.begin(), channels.end()));
  }
  EXPECT_EQ(seen.size(), spikes.n_spikes());
}

const Section& section_of(const std::vector<Section>& sections, std::int64_t spike) {
  return *std::find_if(sections.begin(), sections.end(), [&](const Section& section) {
    return std::binary_search(section.spikes.begin(), section.spikes.end(), spike);
  });
}

std::vector<Place> column(double x, int n, double pitch, std::int32_t shank = 0) {
  std::vector<Place> places;
  for (int i = 0; i < n; ++i) places.push_back({x, pitch * i, shank});
  return places;
}

TEST(Sections, OneColumnHasCentresEveryTwoDmin) {
  const std::vector<Place> channels = column(16.0, 21, 20.0);  // y from 0 to 400
  const std::vector<Place> centres = column(16.0, 81, 5.0);
  const SpikeFeatures spikes = one_spike_per_centre(channels, centres, 3);
  const std::vector<Section> sections = make_sections(spikes);
  expect_consistent(spikes, sections);
  ASSERT_EQ(sections.size(), 11u);
  for (std::size_t s = 0; s < sections.size(); ++s) {
    EXPECT_EQ(sections[s].y_um, 19.0 + 40.0 * static_cast<double>(s));
    EXPECT_EQ(sections[s].x_um, 16.0);
  }
  for (std::size_t c = 0; c < centres.size(); ++c) {
    double nearest = sections[0].y_um;
    for (const Section& section : sections)
      if (std::abs(section.y_um - centres[c].y) < std::abs(nearest - centres[c].y)) nearest = section.y_um;
    EXPECT_EQ(section_of(sections, static_cast<std::int64_t>(c)).y_um, nearest)
        << "centre at " << centres[c].y;
  }
}

TEST(Sections, HalfwayGoesToTheLowerCentre) {
  const SpikeFeatures spikes =
      one_spike_per_centre(column(0.0, 11, 20.0), {{0.0, 39.0}, {0.0, 39.001}, {0.0, 79.0}}, 1);
  const std::vector<Section> sections = make_sections(spikes);
  EXPECT_EQ(section_of(sections, 0).y_um, 19.0);
  EXPECT_EQ(section_of(sections, 1).y_um, 59.0);
  EXPECT_EQ(section_of(sections, 2).y_um, 59.0);
}

TEST(Sections, ShanksNeverShareASection) {
  std::vector<Place> channels = column(0.0, 10, 20.0, 0);
  const std::vector<Place> other = column(60.0, 10, 20.0, 1);
  channels.insert(channels.end(), other.begin(), other.end());
  std::vector<Place> centres = column(0.0, 19, 10.0);
  const std::vector<Place> at_other = column(60.0, 19, 10.0);
  centres.insert(centres.end(), at_other.begin(), at_other.end());
  // Ten nearest channels reach over to the other shank.
  const SpikeFeatures spikes = one_spike_per_centre(channels, centres, 10);
  const std::vector<Section> sections = make_sections(spikes);
  expect_consistent(spikes, sections);
  for (const Section& section : sections)
    for (const std::int64_t i : section.spikes) EXPECT_EQ(section.shank, i < 19 ? 0 : 1);
  EXPECT_GE(sections.size(), 10u);
}

TEST(Sections, OneChannelIsOneSection) {
  const SpikeFeatures spikes = one_spike_per_centre({{5.0, 100.0}}, {{5.0, 100.0}, {5.0, 100.0}}, 1);
  const std::vector<Section> sections = make_sections(spikes);
  expect_consistent(spikes, sections);
  ASSERT_EQ(sections.size(), 1u);
  EXPECT_EQ(sections[0].x_um, 5.0);
  EXPECT_EQ(sections[0].y_um, 119.0);
}

TEST(Sections, DuplicatePositionsAreHarmless) {
  std::vector<Place> channels = column(0.0, 6, 20.0);
  channels.insert(channels.end(), channels.begin(), channels.begin() + 6);
  const SpikeFeatures spikes = one_spike_per_centre(channels, column(0.0, 6, 20.0), 4);
  expect_consistent(spikes, make_sections(spikes));
  const SpikeFeatures all_at_one =
      one_spike_per_centre({{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}}, {{0.0, 0.0}}, 3);
  EXPECT_EQ(make_sections(all_at_one).size(), 1u);
}

TEST(Sections, WideGridGetsSeveralColumns) {
  std::vector<Place> channels;
  for (int x = 0; x < 16; ++x)
    for (int y = 0; y < 4; ++y) channels.push_back({32.0 * x, 20.0 * y});
  const SpikeFeatures spikes = one_spike_per_centre(channels, channels, 5);
  const std::vector<Section> sections = make_sections(spikes);
  expect_consistent(spikes, sections);
  std::set<double> xs;
  for (const Section& section : sections) xs.insert(section.x_um);
  ASSERT_GE(xs.size(), 4u);
  for (auto x = std::next(xs.begin()); x != xs.end(); ++x)
    EXPECT_NEAR(*x - *std::prev(x), 64.0, 10.0);  // about every 2 · dminx
  for (std::size_t c = 0; c < channels.size(); ++c) {
    double nearest = *xs.begin();
    for (const double x : xs)
      if (std::abs(x - channels[c].x) < std::abs(nearest - channels[c].x) - 1e-9) nearest = x;
    EXPECT_EQ(section_of(sections, static_cast<std::int64_t>(c)).x_um, nearest)
        << "centre at " << channels[c].x;
  }
}

TEST(Sections, NarrowColumnsShareOne) {
  std::vector<Place> channels = column(0.0, 10, 20.0);
  const std::vector<Place> other = column(32.0, 10, 20.0);
  channels.insert(channels.end(), other.begin(), other.end());
  const std::vector<Section> sections = make_sections(one_spike_per_centre(channels, channels, 4));
  for (const Section& section : sections) EXPECT_EQ(section.x_um, 16.0);
}

TEST(Sections, SectionsWithoutSpikesAreLeftOut) {
  SpikeFeatures spikes =
      one_spike_per_centre(column(0.0, 21, 20.0), {{0.0, 10.0}, {0.0, 200.0}, {0.0, 390.0}}, 2);
  spikes.centre(1) = 2;
  const std::vector<Section> sections = make_sections(spikes);
  ASSERT_EQ(sections.size(), 2u);
  EXPECT_EQ(sections[0].spikes, std::vector<std::int64_t>{0});
  EXPECT_EQ(sections[1].spikes, (std::vector<std::int64_t>{1, 2}));
  EXPECT_LT(sections[0].y_um, sections[1].y_um);
}

}  // namespace
}  // namespace kokkosort
