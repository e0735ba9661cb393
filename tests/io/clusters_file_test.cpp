#include "kokkosort/io/clusters_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/hdf5.hpp"
#include "io/probe_io.hpp"
#include "io/small_features.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/io/features_file.hpp"

namespace kokkosort::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t limit = std::size_t{1} << 30;

SpikeFeatures unsorted_features() {
  const TemporaryFolder folder;
  SmallFeatures small;
  small.sample = {30, 10, 20};
  small.write(folder / "small.h5");
  return read_features(folder / "small.h5", "detected", limit);
}

Clustering some_clustering() {
  Clustering clustering;
  clustering.labels = {0, 1, 2};
  clustering.templates = HostTensor3<float>("kokkosort::test::templates", 3, 4, 2);
  for (std::size_t i = 0; i < clustering.templates.size(); ++i)
    clustering.templates.data()[i] = static_cast<float>(i) + 0.5f;
  SectionReport with_tree{0, 16.0, 39.0, 2, 4, 2, 2, 2, 0, 2, {}};
  with_tree.tree = {2, {{0, 1, 0.25, Verdict::split_trough, 0.75}}};
  clustering.sections = {with_tree, {1, 16.0, 79.0, 1, 3, 1, 1, 1, 2, 1, {1, {}}}};
  clustering.times.add("neighbours", 0.5);
  return clustering;
}

LearnedTemplates some_templates() {
  LearnedTemplates learned;
  learned.templates = HostTensor3<float>("kokkosort::test::learned", 2, 4, 2);
  for (std::size_t i = 0; i < learned.templates.size(); ++i)
    learned.templates.data()[i] = static_cast<float>(i) - 3.5f;
  learned.template_of = {1, 0, 1};
  learned.shift_of = {0, -2, 3};
  return learned;
}

RunRecord some_run(const std::string& date) {
  RunRecord run;
  run.command = "cluster";
  run.deck = "seed: 1\n";
  run.versions = {{"KokkoSort", "1.2.3"}};
  run.backend = "Serial";
  run.device = "abacus";
  run.date = date;
  run.times.add("neighbours", 0.5);
  run.memory["Host"] = std::uint64_t{3} << 32;
  run.ledger.record("clustering", "features", Direction::up, 72);
  run.ledger.record("clustering", "labels", Direction::down, 12);
  return run;
}

void write_some(const fs::path& path, const std::string& date = "2000-01-01T00:00:00Z",
                bool overwrite = false) {
  PendingFile pending(path, overwrite);
  write_clusters(pending, unsorted_features(), {some_clustering(), some_templates()}, some_run(date));
}

template <class T>
std::vector<T> read_all(const fs::path& path, const std::string& name, std::size_t n_axes) {
  hdf5::InputFile file(path, limit);
  const hdf5::Dataset dataset = file.open<T>(name, n_axes);
  std::vector<T> values(dataset.size());
  file.read(dataset, values.data());
  return values;
}

TEST(ClustersFile, HoldsTheClusteringInTheFilesOrder) {
  const TemporaryFolder folder;
  const fs::path path = folder / "clusters.h5";
  write_some(path);
  EXPECT_EQ(read_all<std::int32_t>(path, "labels", 1), (std::vector<std::int32_t>{2, 0, 1}));
  const std::vector<float> templates = read_all<float>(path, "templates", 3);
  ASSERT_EQ(templates.size(), 24u);
  EXPECT_EQ(templates[23], 23.5f);
  EXPECT_EQ(read_all<std::int32_t>(path, "sections/shank", 1), (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(read_all<double>(path, "sections/y_um", 1), (std::vector<double>{39.0, 79.0}));
  EXPECT_EQ(read_all<std::int64_t>(path, "sections/spikes", 1), (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(read_all<std::int32_t>(path, "sections/first_unit", 1), (std::vector<std::int32_t>{0, 2}));
  EXPECT_EQ(read_all<std::int32_t>(path, "sections/units", 1), (std::vector<std::int32_t>{2, 1}));
  EXPECT_EQ(read_all<std::int32_t>(path, "sections/tree/section", 1), (std::vector<std::int32_t>{0}));
  EXPECT_EQ(read_all<std::int32_t>(path, "sections/tree/right", 1), (std::vector<std::int32_t>{1}));
  EXPECT_EQ(read_all<double>(path, "sections/tree/ratio", 1), (std::vector<double>{0.25}));
  EXPECT_EQ(read_all<std::int32_t>(path, "sections/tree/verdict", 1), (std::vector<std::int32_t>{3}));
  EXPECT_EQ(read_all<double>(path, "sections/tree/score", 1), (std::vector<double>{0.75}));
}

TEST(ClustersFile, HoldsWhatTheClustersTemplatesBecame) {
  const TemporaryFolder folder;
  const fs::path path = folder / "clusters.h5";
  write_some(path);
  const std::vector<float> templates = read_all<float>(path, "learned_templates", 3);
  ASSERT_EQ(templates.size(), 16u);
  EXPECT_EQ(templates[15], 11.5f);
  EXPECT_EQ(read_all<std::int32_t>(path, "learned_template_of", 1), (std::vector<std::int32_t>{1, 0, 1}));
  EXPECT_EQ(read_all<std::int32_t>(path, "learned_shift_of", 1), (std::vector<std::int32_t>{0, -2, 3}));
  const hdf5::InputFile file(path, limit);
  EXPECT_EQ(file.attribute<double>("/", "dmin_um"), 20.0);
  EXPECT_EQ(file.attribute<double>("/", "dminx_um"), 32.0);
}

TEST(ClustersFile, ProbeAndPcsAreTheInputs) {
  const TemporaryFolder folder;
  write_some(folder / "clusters.h5");
  hdf5::InputFile file(folder / "clusters.h5", limit);
  const SmallFeatures small;
  const Probe probe = read_probe(file);
  EXPECT_EQ(probe.x_um, small.x_um);
  EXPECT_EQ(probe.y_um, small.y_um);
  EXPECT_EQ(probe.shank, small.shank);
  const PrincipalComponents pcs = read_pcs(file);
  EXPECT_EQ(pcs.peak_sample, small.peak_sample);
  EXPECT_EQ(std::vector<float>(pcs.wPCA.data(), pcs.wPCA.data() + pcs.wPCA.size()), small.wPCA);
  EXPECT_EQ(pcs.wTEMP.extent(0), 3u);
  EXPECT_EQ(file.attribute<double>("/", "sampling_rate_hz"), 30000.0);
}

TEST(ClustersFile, RecordsTheRun) {
  const TemporaryFolder folder;
  write_some(folder / "clusters.h5");
  hdf5::InputFile file(folder / "clusters.h5", limit);
  EXPECT_EQ(file.attribute<double>("run/seconds", "neighbours"), 0.5);
  EXPECT_EQ(file.attribute<std::int64_t>("run/memory", "Host"), std::int64_t{3} << 32);
  EXPECT_TRUE(file.has("run/transfer_ledger"));
  const hdf5::Id id(H5Fopen((folder / "clusters.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  const hdf5::Id dataset(H5Dopen2(id.get(), "run/transfer_ledger", H5P_DEFAULT));
  const hdf5::Id record(H5Tcreate(H5T_COMPOUND, sizeof(std::uint64_t)));
  H5Tinsert(record.get(), "bytes", 0, H5T_NATIVE_UINT64);
  std::vector<std::uint64_t> bytes(2);
  ASSERT_GE(H5Dread(dataset.get(), record.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), 0);
  EXPECT_EQ(bytes, (std::vector<std::uint64_t>{72, 12}));
}

TEST(ClustersFile, TwoRunsDifferInTheRecordOfTheRunOnly) {
  const TemporaryFolder folder;
  write_some(folder / "a.h5", "2000-01-01T00:00:00Z");
  write_some(folder / "b.h5", "2000-01-01T00:00:00Z");
  write_some(folder / "c.h5", "2024-12-31T23:59:59Z");
  const std::string a = read_text(folder / "a.h5");
  EXPECT_EQ(a, read_text(folder / "b.h5"));  // no hidden times either
  EXPECT_NE(a, read_text(folder / "c.h5"));
}

TEST(PendingFile, LeavesNothingBehindUntilCommitted) {
  const TemporaryFolder folder;
  {
    const PendingFile pending(folder / "new/deep/result.h5", false);
    write_text(pending.temporary(), "half");
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
  {
    PendingFile pending(folder / "new/deep/result.h5", false);
    write_text(pending.temporary(), "whole");
    pending.commit();
  }
  EXPECT_EQ(read_text(folder / "new/deep/result.h5"), "whole");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "new/deep"), {}), 1);
}

TEST(PendingFile, KeepsAnOldResult) {
  const TemporaryFolder folder;
  const fs::path path = folder / "result.h5";
  write_text(path, "old");
  for (const auto& attempt : {+[](const fs::path& p) { PendingFile(p, false); },
                              +[](const fs::path& p) { check_output(p, false); }}) {
    const std::string message = message_of<InputError>([&] { attempt(path); });
    EXPECT_NE(message.find("result.h5: exists; --overwrite"), std::string::npos) << message;
  }
  { const PendingFile abandoned(path, true); }
  EXPECT_EQ(read_text(path), "old");
  PendingFile pending(path, true);
  write_text(pending.temporary(), "new");
  pending.commit();
  EXPECT_EQ(read_text(path), "new");
}

TEST(PendingFile, TheLaterOfTwoRunsIsRefused) {
  const TemporaryFolder folder;
  const fs::path path = folder / "result.h5";
  {
    PendingFile first(path, false);
    PendingFile second(path, false);
    write_text(first.temporary(), "first");
    write_text(second.temporary(), "second");
    first.commit();
    const std::string message = message_of<InputError>([&] { second.commit(); });
    EXPECT_NE(message.find("result.h5: exists; --overwrite"), std::string::npos) << message;
  }
  EXPECT_EQ(read_text(path), "first");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(PendingFile, RefusesPlacesThatTakeNoFile) {
  const TemporaryFolder folder;
  write_text(folder / "file", "");
  fs::create_directory(folder / "folder");
  for (const bool only_check : {true, false}) {
    const auto attempt = [&](const fs::path& path) {
      return message_of<InputError>([&] {
        if (only_check) return check_output(path, true);
        PendingFile(path, true);
      });
    };
    EXPECT_NE(attempt(folder / "file/result.h5").find("set output.folder"), std::string::npos);
    EXPECT_NE(attempt(folder / "file/deeper/result.h5").find("set output.folder"), std::string::npos);
    EXPECT_NE(attempt(folder / "folder").find("is a folder"), std::string::npos);
    // Not even root makes folders here.
    EXPECT_NE(attempt("/proc/kokkosort/result.h5").find("set output.folder"), std::string::npos);
    EXPECT_NE(attempt(folder / ("new/" + std::string(300, 'n') + "/result.h5")).find("set output.folder"),
              std::string::npos);
    EXPECT_FALSE(fs::exists(folder / "new"));
  }
}

}  // namespace
}  // namespace kokkosort::test
