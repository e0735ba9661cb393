#include "kokkosort/io/phy_folder.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/interruption.hpp"
#include "io/pending_folder.hpp"
#include "io/small_sorting.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort::test {
namespace {

namespace fs = std::filesystem;

class PhyFolder : public testing::Test {
 protected:
  void write(const SmallSorting& small, bool overwrite = false) const {
    write_phy(phy(), overwrite, small.recording(), small.sorting);
  }

  /// What NumPy would take from a file. @param head  its type and shape, as NumPy writes them
  template <class T>
  std::vector<T> values(const std::string& name, const std::string& head) const {
    const std::string bytes = read_text(phy() / (name + ".npy"));
    const std::size_t end = bytes.find('\n') + 1;
    EXPECT_NE(bytes.substr(0, end).find(head + ", }"), std::string::npos)
        << name << ": " << bytes.substr(0, end);
    std::vector<T> found((bytes.size() - end) / sizeof(T));
    std::memcpy(found.data(), bytes.data() + end, found.size() * sizeof(T));
    return found;
  }

  std::set<std::string> around() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) names.insert(entry.path().filename());
    return names;
  }

  std::string refusal(bool overwrite) const {
    const std::string message = message_of<InputError>([&] { write(SmallSorting(), overwrite); });
    EXPECT_EQ(message_of<InputError>([&] { check_phy(phy(), overwrite); }), message);
    return message;
  }

  fs::path phy() const { return folder_ / "phy"; }

  TemporaryFolder folder_;
};

std::string head(const std::string& type, const std::string& shape) {
  return "'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape;
}

TEST_F(PhyFolder, HasTheFilesOfKilosort) {
  write(SmallSorting());
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(phy())) names.insert(entry.path().filename());
  const std::set<std::string> expected{"amplitudes.npy",
                                       "channel_map.npy",
                                       "channel_positions.npy",
                                       "channel_shanks.npy",
                                       "cluster_Amplitude.tsv",
                                       "cluster_ContamPct.tsv",
                                       "cluster_KSLabel.tsv",
                                       "cluster_group.tsv",
                                       "kept_spikes.npy",
                                       "params.py",
                                       "pc_feature_ind.npy",
                                       "pc_features.npy",
                                       "similar_templates.npy",
                                       "spike_clusters.npy",
                                       "spike_detection_templates.npy",
                                       "spike_positions.npy",
                                       "spike_templates.npy",
                                       "spike_times.npy",
                                       "templates.npy",
                                       "templates_ind.npy",
                                       "whitening_mat.npy",
                                       "whitening_mat_dat.npy",
                                       "whitening_mat_inv.npy"};
  EXPECT_EQ(names, expected);
  EXPECT_EQ(around(), (std::set<std::string>{"phy"}));
}

TEST_F(PhyFolder, HoldsTheSpikes) {
  const SmallSorting small;
  write(small);
  const auto times = values<std::int64_t>("spike_times", head("<i8", "(40,)"));
  const auto positions = values<float>("spike_positions", head("<f4", "(40, 2)"));
  ASSERT_EQ(times.size(), 40u);
  ASSERT_EQ(positions.size(), 80u);
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(times[i], small.sorting.sample[i] + 1000);
    EXPECT_EQ(positions[2 * i], small.sorting.x_um[i]);
    EXPECT_EQ(positions[2 * i + 1], small.sorting.y_um[i]);
  }
  EXPECT_EQ(values<std::int32_t>("spike_clusters", head("<i4", "(40,)")), small.sorting.unit);
  EXPECT_EQ(values<std::int32_t>("spike_templates", head("<i4", "(40,)")), small.sorting.unit);
  EXPECT_EQ(values<std::int32_t>("spike_detection_templates", head("<i4", "(40,)")), small.sorting.matched);
  EXPECT_EQ(values<float>("amplitudes", head("<f4", "(40,)")), small.sorting.amplitude);
  EXPECT_EQ(values<char>("kept_spikes", head("|b1", "(40,)")), std::vector<char>(40, 1));
}

TEST_F(PhyFolder, HoldsTheTemplates) {
  const SmallSorting small;
  write(small);
  const auto waveforms = values<float>("templates", head("<f4", "(3, 5, 5)"));
  const auto channels = values<std::int64_t>("templates_ind", head("<i8", "(3, 5)"));
  ASSERT_EQ(waveforms.size(), 75u);
  ASSERT_EQ(channels.size(), 15u);
  for (std::size_t u = 0, i = 0; u < 3; ++u)
    for (std::size_t t = 0; t < 5; ++t)
      for (std::size_t c = 0; c < 5; ++c, ++i) {
        EXPECT_NEAR(waveforms[i], waveform_reference(small.sorting.templates, small.pcs.wPCA, u, t, c), 1e-6);
        EXPECT_EQ(channels[u * 5 + c], static_cast<std::int64_t>(c));
      }
  const auto similarity = values<float>("similar_templates", head("<f4", "(3, 3)"));
  EXPECT_EQ(similarity,
            std::vector<float>(small.sorting.similarity.data(), small.sorting.similarity.data() + 9));
}

TEST_F(PhyFolder, FeaturesHaveComponentsBeforeChannels) {
  const SmallSorting small;
  write(small);
  const auto features = values<float>("pc_features", head("<f4", "(40, 2, 3)"));
  ASSERT_EQ(features.size(), 240u);
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t p = 0; p < 2; ++p)
      for (std::size_t row = 0; row < 3; ++row)
        EXPECT_EQ(features[(i * 2 + p) * 3 + row], small.sorting.features(i, row, p));
  EXPECT_EQ(values<std::uint32_t>("pc_feature_ind", head("<u4", "(3, 3)")),
            (std::vector<std::uint32_t>{0, 1, 2, 1, 2, 3, 2, 3, 4}));
}

/// The same units in another order: a spike's features stay its own, on its unit's channels.
TEST_F(PhyFolder, TheOrderOfUnitsChangesNoFeature) {
  SmallSorting small;
  write(small);
  const auto features = values<float>("pc_features", head("<f4", "(40, 2, 3)"));
  const auto channels = values<std::uint32_t>("pc_feature_ind", head("<u4", "(3, 3)"));
  const std::vector<std::int32_t> unit = small.sorting.unit;

  const std::vector<std::size_t> to{2, 0, 1};
  const HostMatrix<std::int32_t> moved("kokkosort::test::unit_channels", 3, 3);
  for (std::size_t u = 0; u < 3; ++u)
    for (std::size_t row = 0; row < 3; ++row) moved(to[u], row) = small.sorting.unit_channels(u, row);
  small.sorting.unit_channels = moved;
  for (std::int32_t& u : small.sorting.unit) u = static_cast<std::int32_t>(to[static_cast<std::size_t>(u)]);
  for (Unit& u : small.sorting.units) u.spikes = 0;
  for (const std::int32_t u : small.sorting.unit) ++small.sorting.units[static_cast<std::size_t>(u)].spikes;
  write(small, true);
  EXPECT_EQ(values<float>("pc_features", head("<f4", "(40, 2, 3)")), features);
  const auto moved_channels = values<std::uint32_t>("pc_feature_ind", head("<u4", "(3, 3)"));
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t row = 0; row < 3; ++row)
      EXPECT_EQ(moved_channels[static_cast<std::size_t>(small.sorting.unit[i]) * 3 + row],
                channels[static_cast<std::size_t>(unit[i]) * 3 + row]);
}

TEST_F(PhyFolder, HoldsTheChannels) {
  write(SmallSorting());
  EXPECT_EQ(values<std::int64_t>("channel_map", head("<i8", "(5,)")),
            (std::vector<std::int64_t>{5, 0, 1, 3, 2}));
  EXPECT_EQ(values<float>("channel_positions", head("<f4", "(5, 2)")),
            (std::vector<float>{0, 0, 32, 0, 0, 20, 32, 20, 0, 40}));
  EXPECT_EQ(values<float>("channel_shanks", head("<f4", "(5,)")), (std::vector<float>{0, 0, 0, 1, 1}));
}

TEST_F(PhyFolder, TheWhiteningMatrixTimesItsInverseIsOneWhereChannelsLive) {
  for (const bool swapped : {false, true}) {  // the largest number of a column is not on the diagonal
    SmallSorting small;
    auto& whitening = small.preparation.whitening;
    if (swapped)
      for (std::size_t c = 0; c < 5; ++c) std::swap(whitening(0, c), whitening(2, c));
    write(small, swapped);
    const auto matrix = values<float>("whitening_mat", head("<f4", "(5, 5)"));
    const auto inverse = values<float>("whitening_mat_inv", head("<f4", "(5, 5)"));
    ASSERT_EQ(matrix.size(), 25u);
    ASSERT_EQ(inverse.size(), 25u);
    EXPECT_EQ(values<float>("whitening_mat_dat", head("<f4", "(5, 5)")), matrix);
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j < 5; ++j) {
        EXPECT_EQ(matrix[i * 5 + j], static_cast<float>(whitening(i, j)));
        double sum = 0.0;
        for (std::size_t k = 0; k < 5; ++k) sum += whitening(i, k) * inverse[k * 5 + j];
        EXPECT_NEAR(sum, i == j && i != SmallSorting::dead ? 1.0 : 0.0, 1e-6) << i << " " << j;
        if (i == SmallSorting::dead || j == SmallSorting::dead) {
          EXPECT_EQ(inverse[i * 5 + j], i == j ? 1.0f : 0.0f);
        }
      }
  }
}

TEST_F(PhyFolder, AChannelThatIsACopyOfAnotherHasAnInverse) {
  SmallSorting small;
  auto& whitening = small.preparation.whitening;
  for (std::size_t c = 0; c < 5; ++c) whitening(1, c) = whitening(0, c);
  for (std::size_t c = 0; c < 5; ++c) whitening(c, 1) = whitening(c, 0);
  write(small);
  const auto inverse = values<float>("whitening_mat_inv", head("<f4", "(5, 5)"));
  ASSERT_EQ(inverse.size(), 25u);
  // W W⁺ W = W
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 5; ++j) {
      double sum = 0.0;
      for (std::size_t k = 0; k < 5; ++k)
        for (std::size_t l = 0; l < 5; ++l) sum += whitening(i, k) * inverse[k * 5 + l] * whitening(l, j);
      EXPECT_NEAR(sum, whitening(i, j), 1e-3 * 0.2) << i << " " << j;
    }
}

TEST_F(PhyFolder, TablesHaveARowForEachUnit) {
  SmallSorting small;
  for (std::size_t i = 0; i < 10; ++i)
    small.sorting.templates.data()[i] = i < 2 ? 3.0f + static_cast<float>(i) : 0.0f;
  write(small);
  EXPECT_EQ(read_text(phy() / "cluster_KSLabel.tsv"), "cluster_id\tKSLabel\n0\tgood\n1\tmua\n2\tgood\n");
  EXPECT_EQ(read_text(phy() / "cluster_group.tsv"), read_text(phy() / "cluster_KSLabel.tsv"));
  EXPECT_EQ(read_text(phy() / "cluster_ContamPct.tsv"), "cluster_id\tContamPct\n0\t0.0\n1\t6.2\n2\t12.5\n");
  EXPECT_EQ(read_text(phy() / "cluster_Amplitude.tsv").substr(0, 27), "cluster_id\tAmplitude\n0\t5.0\n");
}

TEST_F(PhyFolder, ParametersSayHowToReadTheRecording) {
  SmallSorting small;
  small.files = {folder_ / "recording.bin", "/data/it's.bin"};
  small.dtype = "uint16";
  write(small);
  EXPECT_EQ(read_text(phy() / "params.py"),
            "dat_path = ['../recording.bin', '/data/it\\x27s.bin']\n"
            "n_channels_dat = 6\ndtype = 'uint16'\noffset = 0\nsample_rate = 30000\nhp_filtered = False\n");
}

TEST_F(PhyFolder, ARecordingThatPhyCannotReadIsNotNamed) {
  SmallSorting small;
  small.files = {folder_ / "recording.h5"};
  small.dtype = "";
  write(small);
  EXPECT_EQ(read_text(phy() / "params.py").substr(0, 14), "dat_path = []\n");
}

TEST_F(PhyFolder, NoSpikes) {
  write(SmallSorting(0, 0));
  values<std::int64_t>("spike_times", head("<i8", "(0,)"));
  values<float>("templates", head("<f4", "(0, 5, 5)"));
  values<float>("pc_features", head("<f4", "(0, 2, 3)"));
  values<float>("whitening_mat_inv", head("<f4", "(5, 5)"));
  EXPECT_EQ(read_text(phy() / "cluster_group.tsv"), "cluster_id\tKSLabel\n");
}

TEST_F(PhyFolder, AnOldSortingIsReplacedOnDemand) {
  write(SmallSorting());
  fs::create_directories(phy() / ".phy/memcache");
  write_text(phy() / ".phy/memcache/x.pkl", "");
  write_text(phy() / "phy.log", "");
  write_text(phy() / "cluster_info.tsv", "");
  EXPECT_NE(refusal(false).find("phy: exists; --overwrite"), std::string::npos);
  EXPECT_TRUE(fs::exists(phy() / "phy.log"));
  write(SmallSorting(2, 10), true);
  EXPECT_EQ(values<std::int64_t>("spike_times", head("<i8", "(10,)")).size(), 10u);
  EXPECT_FALSE(fs::exists(phy() / "phy.log"));
  EXPECT_EQ(around(), (std::set<std::string>{"phy"}));
}

TEST_F(PhyFolder, WhatIsNoSortingIsNotReplaced) {
  write_text(phy(), "a file");
  EXPECT_NE(refusal(true).find("is not a folder; remove it"), std::string::npos);
  fs::remove(phy());
  fs::create_directory(phy());
  EXPECT_NE(refusal(true).find("has no params.py"), std::string::npos);
  write_text(phy() / "params.py", "");
  write_text(phy() / "recording.dat", "precious");
  EXPECT_NE(refusal(true).find("holds recording.dat, which is no part of a sorting; remove it, or set"),
            std::string::npos);
  fs::remove(phy() / "recording.dat");
  fs::create_directory(phy() / "notes");
  EXPECT_NE(refusal(true).find("holds notes"), std::string::npos);
  fs::remove(phy() / "notes");
  write(SmallSorting(), true);
  EXPECT_EQ(around(), (std::set<std::string>{"phy"}));
}

TEST_F(PhyFolder, AFullDiskLeavesTheOldSorting) {
  write(SmallSorting(2, 10));
  for (const auto& [bytes, file] : {std::pair(400, ".npy"), std::pair(900, "pc_features.npy")}) {
    SCOPED_TRACE(bytes);
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit small = before;
    small.rlim_cur = static_cast<rlim_t>(bytes);  // of a file
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const std::string message = message_of<std::runtime_error>([&] { write(SmallSorting(), true); });
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, handler);
    EXPECT_NE(message.find(std::string(file) + ": File too large"), std::string::npos) << message;
    EXPECT_EQ(values<std::int64_t>("spike_times", head("<i8", "(10,)")).size(), 10u);
    EXPECT_EQ(around(), (std::set<std::string>{"phy"}));
  }
}

TEST_F(PhyFolder, WhatIsNotCommittedIsGone) {
  const SmallSorting small;
  const SortedRecording recording = small.recording();
  { const PendingPhy begun(phy(), false, recording, small.sorting); }
  EXPECT_TRUE(around().empty());
  {
    PendingPhy complete(phy(), false, recording, small.sorting);
    complete.complete();
    EXPECT_FALSE(fs::exists(phy()));
  }
  EXPECT_TRUE(around().empty());
}

TEST_F(PhyFolder, HoldsManyBlocksOfFeatures) {
  const SmallSorting small(3, 9000);
  write(small);
  const auto features = values<float>("pc_features", head("<f4", "(9000, 2, 3)"));
  ASSERT_EQ(features.size(), 54000u);
  for (std::size_t i = 0; i < 9000; ++i)
    for (std::size_t p = 0; p < 2; ++p)
      for (std::size_t row = 0; row < 3; ++row)
        ASSERT_EQ(features[(i * 2 + p) * 3 + row], small.sorting.features(i, row, p)) << i;
}

TEST_F(PhyFolder, ACheckLeavesNothing) {
  check_phy(folder_ / "new/deep/phy", false);
  EXPECT_TRUE(around().empty());
  EXPECT_NE(
      message_of<InputError>([&] { check_phy("/proc/kokkosort/phy", false); }).find("set output.folder"),
      std::string::npos);
}

TEST_F(PhyFolder, TheLaterOfTwoRunsIsRefused) {
  const auto any = [](const fs::path&) { return std::string(); };
  {
    PendingFolder first(phy(), false, any);
    PendingFolder second(phy(), false, any);
    write_text(first.temporary() / "a", "first");
    write_text(second.temporary() / "a", "second");
    first.commit();
    EXPECT_NE(message_of<InputError>([&] { second.commit(); }).find("exists; --overwrite"),
              std::string::npos);
  }
  EXPECT_EQ(read_text(phy() / "a"), "first");
  EXPECT_EQ(around(), (std::set<std::string>{"phy"}));
}

TEST_F(PhyFolder, AnInterruptionLeavesNothing) {
  const pid_t pid = fork();
  if (pid == 0) {
    clean_up_when_interrupted();
    const PendingFolder pending(folder_ / "new/deep/phy", false, {});
    for (int i = 0; i < 200; ++i) write_text(pending.temporary() / ("file" + std::to_string(i)), "half");
    fs::create_directories(pending.temporary() / "a/b");
    write_text(pending.temporary() / "a/b/c", "half");
    write_text(folder_ / "reached", "");
    std::raise(SIGTERM);
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  EXPECT_EQ(around(), (std::set<std::string>{"reached"}));
}

/// Also writes what tests/python/read_phy.py reads, where KOKKOSORT_EXAMPLE_FOLDER says.
TEST_F(PhyFolder, GoesWithTheSortingFile) {
  const char* const wanted = std::getenv("KOKKOSORT_EXAMPLE_FOLDER");
  const fs::path folder = wanted != nullptr ? fs::path(wanted) : folder_.path();
  for (const std::string name : {"some", "none"}) {
    const fs::path place = folder / name;
    fs::create_directories(place);
    SmallSorting small = name == "some" ? SmallSorting(7, 500, 3) : SmallSorting(0, 0);
    small.files = {place / "recording (\xc3\xa9'1).bin"};
    SmallSorting::write_recording(small.files[0]);
    PendingFile pending(place / "sorting.h5", true);
    write_sorting(pending, small.recording(), small.sorting, {});
    pending.commit();
    write_phy(place / "phy", true, small.recording(), small.sorting);
    EXPECT_TRUE(fs::exists(place / "phy/params.py"));
  }
}

}  // namespace
}  // namespace kokkosort::test
