#include "kokkosort/io/matched_file.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "io/hdf5.hpp"
#include "io/small_templates.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/io/features_file.hpp"

namespace kokkosort::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t limit = std::size_t{1} << 30;

TemplateSet some_templates() {
  const TemporaryFolder folder;
  SmallTemplates().write(folder / "t.h5");
  return read_templates(folder / "t.h5", "learned_templates", limit);
}

/// Spikes of two templates, of which features are on three channels.
Matching some_matching(std::size_t n_spikes) {
  Matching matching;
  matching.centres.x_um = {0, 32};
  matching.centres.y_um = {0, 20};
  matching.centres.channels = HostMatrix<std::int32_t>("kokkosort::test::channels", 2, 3);
  for (std::size_t i = 0; i < 6; ++i) matching.centres.channels.data()[i] = std::vector{0, 1, 2, 3, 2, 1}[i];
  for (std::size_t i = 0; i < n_spikes; ++i) {
    matching.sample.push_back(static_cast<std::int64_t>(10 * i));
    matching.unit.push_back(static_cast<std::int32_t>(i % 2));
    matching.amplitude.push_back(1.0f + static_cast<float>(i));
  }
  matching.features = HostTensor3<float>("kokkosort::test::features", n_spikes, 3, 2);
  std::iota(matching.features.data(), matching.features.data() + matching.features.size(), 0.0f);
  return matching;
}

void write_some(const fs::path& path, std::size_t n_spikes,
                const std::string& date = "2000-01-01T00:00:00Z") {
  RunRecord run;
  run.command = "match";
  run.date = date;
  PendingFile pending(path, false);
  write_matched(pending, some_templates(), some_matching(n_spikes), run);
}

TEST(MatchedFile, ClusteringReadsIt) {
  const TemporaryFolder folder;
  write_some(folder / "m.h5", 5);
  const SpikeFeatures spikes = read_features(folder / "m.h5", "matched", limit);
  const Matching matching = some_matching(5);
  ASSERT_EQ(spikes.n_spikes(), 5u);
  EXPECT_EQ(spikes.sampling_rate_hz, 30000.0);
  EXPECT_EQ(spikes.dmin_um, 20.0);
  EXPECT_EQ(spikes.dminx_um, 32.0);
  EXPECT_EQ(spikes.pcs.peak_sample, 2);
  EXPECT_EQ(spikes.probe.x_um, SmallTemplates().x_um);
  EXPECT_EQ(spikes.centres.y_um, matching.centres.y_um);
  EXPECT_EQ(spikes.centres.channels(1, 2), 1);
  EXPECT_EQ(spikes.file_order.size(), 0u);
  EXPECT_EQ(spikes.sample(4), 40);
  EXPECT_EQ(spikes.centre(3), 1);
  ASSERT_EQ(spikes.features.size(), matching.features.size());
  for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(spikes.features.data()[i], matching.features.data()[i]) << i;
}

template <class T>
std::vector<T> read_all(const fs::path& path, const std::string& name) {
  hdf5::InputFile file(path, limit);
  const hdf5::Dataset dataset = file.open<T>(name, 1);
  std::vector<T> values(dataset.size());
  file.read(dataset, values.data());
  return values;
}

TEST(MatchedFile, SpikesHaveTwoNames) {
  const TemporaryFolder folder;
  const fs::path path = folder / "m.h5";
  write_some(path, 5);
  const Matching matching = some_matching(5);
  for (const std::string at : {"spikes/", "matched/spikes/"}) {
    EXPECT_EQ(read_all<std::int64_t>(path, at + "sample"), matching.sample);
    EXPECT_EQ(read_all<std::int32_t>(path, at + "template"), matching.unit);
    EXPECT_EQ(read_all<float>(path, at + "amplitude"), matching.amplitude);
  }
  EXPECT_EQ(read_all<std::int32_t>(path, "matched/spikes/centre"), matching.unit);
}

TEST(MatchedFile, ItsTemplatesCanBeMatchedAgain) {
  const TemporaryFolder folder;
  write_some(folder / "m.h5", 5);
  const TemplateSet set = read_templates(folder / "m.h5", "templates", limit);
  EXPECT_EQ(std::vector<float>(set.templates.data(), set.templates.data() + set.templates.size()),
            SmallTemplates().templates);
  EXPECT_EQ(set.dmin_um, 20.0);
}

TEST(MatchedFile, NoSpikesAreAFileThatClusteringRefuses) {
  const TemporaryFolder folder;
  write_some(folder / "m.h5", 0);
  hdf5::InputFile file(folder / "m.h5", limit);
  EXPECT_EQ(file.open<float>("matched/spikes/features", 3).shape, (hdf5::Shape{0, 3, 2}));
  EXPECT_EQ(file.open<std::int64_t>("spikes/sample", 1).shape, (hdf5::Shape{0}));
  EXPECT_NE(message_of<InputError>([&] {
              read_features(folder / "m.h5", "matched", limit);
            }).find("has no spikes; there is nothing to cluster"),
            std::string::npos);
}

TEST(MatchedFile, TwoRunsDifferInTheRecordOfTheRunOnly) {
  const TemporaryFolder folder;
  write_some(folder / "a.h5", 3);
  write_some(folder / "b.h5", 3);
  write_some(folder / "c.h5", 3, "2024-12-31T23:59:59Z");
  EXPECT_EQ(read_text(folder / "a.h5"), read_text(folder / "b.h5"));
  EXPECT_NE(read_text(folder / "a.h5"), read_text(folder / "c.h5"));
}

}  // namespace
}  // namespace kokkosort::test
