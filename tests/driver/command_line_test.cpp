// Runs the program itself.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "driver/program_test.hpp"
#include "io/hdf5.hpp"
#include "io/small_features.hpp"
#include "io/temporary_folder.hpp"
#include "system/shared_data.hpp"

namespace kokkosort::test {
namespace {

namespace fs = std::filesystem;

class CommandLine : public ProgramTest {
 protected:
  void SetUp() override { SmallFeatures().write(data_ / "f.h5"), write_deck(); }

  void write_deck(const std::string& more = "") {
    write_text(deck(), "input: {features: f.h5}\noutput: {folder: out}\n" + more);
  }

  fs::path result() const { return folder() / "clusters.h5"; }
};

TEST_F(CommandLine, ClustersAndTellsWhereTheResultIs) {
  const Finished finished = run("cluster DECK --report");
  EXPECT_EQ(finished.exit_code, 0) << finished.error;
  EXPECT_EQ(finished.error, "");
  for (const std::string part : {"spikes       3", "channels     4", "sections", "units", "templates", "total",
                                 "times real time", "clusters.h5", "share", "copies"})
    EXPECT_NE(finished.out.find(part), std::string::npos) << part << "\n" << finished.out;
  hdf5::InputFile file(result(), 1 << 20);
  EXPECT_EQ(file.open<std::int32_t>("labels", 1).size(), 3u);
}

TEST_F(CommandLine, SweepsAndWritesFileAndTable) {
  write_text(data_ / "deck.yaml",
             "sweep: {kernel: seeding, parameter: [host_draws, block], values: [[false, true], [64, 8, 1]], repeats: 3,\n"
             "        problem: {points: 150, features: 12, clusters: 3, sections: 2}}\n"
             "seeding: {seeds: 10}\noutput: {folder: out}\n");
  EXPECT_EQ(run("check DECK").exit_code, 0);
  const Finished finished = run("sweep DECK");
  ASSERT_EQ(finished.exit_code, 0) << finished.error;
  EXPECT_NE(finished.out.find("host_draws = 1, block = 8: the answer is right"), std::string::npos) << finished.out;
  hdf5::InputFile file(data_ / "out/sweep.h5", 1 << 20);
  std::vector<std::int64_t> blocks(6);
  file.read(file.open<std::int64_t>("tunables/block", 1), blocks.data());
  EXPECT_EQ(blocks, (std::vector<std::int64_t>{64, 8, 1, 64, 8, 1}));
  EXPECT_EQ(file.open<double>("seconds", 2).shape, (hdf5::Shape{6, 3}));
  const std::string table = read_text(data_ / "out/sweep.csv");
  EXPECT_NE(table.find("\nblock,trials,seeds,host_draws,median_s,"), std::string::npos) << table;
  EXPECT_NE(table.find("\n8,0,10,1,"), std::string::npos) << table;
  EXPECT_NE(table.find("# problem: 2 sections, 300 points, at most 12 features\n"), std::string::npos) << table;
  EXPECT_EQ(run("sweep DECK").exit_code, 2);  // the result is there
}

TEST_F(CommandLine, SweepsPointsOfAFile) {
  write_text(data_ / "deck.yaml",
             "sweep: {kernel: neighbours, parameter: tile_spikes, values: [1, 2], repeats: 1, problem: {input: f.h5}}\n"
             "output: {folder: out}\n");
  expect_refused("sweep DECK sweep.problem.section=7", "sweep.problem.section is 7; ");
  const Finished refused = run("sweep DECK --quiet sweep.kernel=seeding sweep.parameter=seeds sweep.values=[100]");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.error.find("seeds = 100: a section has 3 points"), std::string::npos) << refused.error;
  EXPECT_FALSE(fs::exists(result().parent_path()));
  EXPECT_EQ(run("sweep DECK --quiet").exit_code, 0);
}

TEST_F(CommandLine, SweepsAreNotLargerThanTheHostAllows) {
  write_text(data_ / "deck.yaml", "sweep: {kernel: seeding, parameter: block, values: 8}\noutput: {folder: out}\n");
  for (const std::string command : {"sweep", "check"}) {
    expect_refused(command + " DECK memory.host_limit_mb=1 sweep.problem.points=100000000", "memory.host_limit_mb is 1: ");
    expect_refused(command + " DECK sweep.problem.clusters=100000 sweep.problem.features=100000", "memory.host_limit_mb");
  }
}

TEST_F(CommandLine, QuietSaysNothing) {
  const Finished finished = run("cluster DECK --quiet");
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_EQ(finished.out + finished.error, "");
}

TEST_F(CommandLine, ADeckMayComeThroughAPipe) {
  const std::string pipe = "cat '" + (data_ / "deck.yaml").string() + "' |";
  const std::string paths = " /dev/stdin input.features='" + (data_ / "f.h5").string() + "' output.folder='" +
                            result().parent_path().string() + "'";
  for (const std::string command : {"check", "cluster"}) {
    const Finished finished = run(command + paths, pipe);
    EXPECT_EQ(finished.exit_code, 0) << command << ": " << finished.error;
  }
}

TEST_F(CommandLine, AnOldResultIsReplacedOnlyOnDemand) {
  ASSERT_EQ(run("cluster DECK").exit_code, 0);
  const std::string before = read_text(result());
  const Finished finished = run("cluster DECK");
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_NE(finished.error.find("--overwrite"), std::string::npos);
  EXPECT_EQ(read_text(result()), before);
  EXPECT_EQ(run("cluster DECK --overwrite").exit_code, 0);
}

TEST_F(CommandLine, TheInputIsNotReplaced) {
  fs::create_directory(data_ / "out");
  fs::rename(data_ / "f.h5", result());
  const Finished finished = run("cluster DECK --overwrite input.features='" + result().string() + "'");
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_NE(finished.error.find("is the input"), std::string::npos) << finished.error;
}

TEST_F(CommandLine, AFullDiskLeavesNothingBehind) {
  // A limit on the size of files fails as a full disk does.
  const Finished finished = run("cluster DECK", "ulimit -f 4;");
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_EQ(finished.error.find('\n'), finished.error.size() - 1) << finished.error;
  EXPECT_NE(finished.error.find("File too large"), std::string::npos) << finished.error;
  EXPECT_FALSE(fs::exists(result().parent_path()));
}

/// Starts kokkosort, sends a signal as soon as a folder is there and waits. @return what waitpid() tells
int interrupt(const std::string& deck, const fs::path& folder, int signal) {
  const pid_t pid = fork();
  if (pid == 0) {
    execl(KOKKOSORT_BINARY, KOKKOSORT_BINARY, "cluster", deck.c_str(), "--quiet", nullptr);
    _exit(127);
  }
  int status = 0;
  while (!fs::exists(folder) || fs::is_empty(folder)) {  // the file that becomes the result
    if (waitpid(pid, &status, WNOHANG) == pid) return status;
    usleep(1000);
  }
  kill(pid, signal);
  waitpid(pid, &status, 0);
  return status;
}

TEST_F(CommandLine, AnInterruptionLeavesNothingBehind) {
  const fs::path deck = data_ / "slow.yaml";
  write_text(deck, "input: {features: '" KOKKOSORT_SOURCE_DIR
                   "/inputs/demo_features.h5'}\n"
                   "output: {folder: made/deep}\nclustering: {trials: 16, subset_stride: 1}\n");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = interrupt(deck.string(), data_ / "made/deep", signal);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << signal << " " << status;
    EXPECT_FALSE(fs::exists(data_ / "made")) << signal;
  }
}

TEST_F(CommandLine, ASummaryThatCannotBePrintedIsAWarning) {
  const Finished finished = run("cluster DECK --report > /dev/full; }", "{");
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_NE(finished.error.find("warning: " + result().string() + " is written; "), std::string::npos)
      << finished.error;
  EXPECT_EQ(finished.error.find('\n'), finished.error.size() - 1) << finished.error;
  EXPECT_TRUE(fs::exists(result()));
  EXPECT_EQ(run("info > /dev/full; }", "{").exit_code, 1);
}

TEST_F(CommandLine, ThreadsOfTheEnvironmentAreBounded) {
  for (const std::string variable :
       {"OMP_NUM_THREADS=513", "OMP_NUM_THREADS=30000", "KOKKOS_NUM_THREADS=512"}) {
    const Finished finished = run("check DECK", variable);
    EXPECT_EQ(finished.exit_code, 0) << variable << finished.error;
    EXPECT_EQ(finished.error, "") << variable;
  }
  EXPECT_EQ(run("check DECK --threads 512").exit_code, 0);
  expect_refused("check DECK --threads 513", "threads is '513'; it must be a whole number from 0 to 512");
}

TEST_F(CommandLine, SettingsOfKokkosInTheEnvironment) {
  expect_refused("cluster DECK", "KOKKOS_NUM_THREADS is 'x'; it must be a whole number from 1 to 512",
                 "KOKKOS_NUM_THREADS=x");
  expect_refused("cluster DECK", "KOKKOS_NUM_THREADS is '513'", "KOKKOS_NUM_THREADS=513");
  expect_refused("check DECK", "KOKKOS_DEVICE_ID is '-1'", "KOKKOS_DEVICE_ID=-1");
  expect_refused("check DECK", "KOKKOS_DEVICE_ID) is 999; ", "KOKKOS_DEVICE_ID=999");
  expect_refused("check DECK", "differ", "KOKKOS_TOOLS_LIBS=/a.so KOKKOS_PROFILE_LIBRARY=/b.so");
  for (const std::string variable :
       {"KOKKOS_DISABLE_WARNINGS=x", "KOKKOS_MAP_DEVICE_ID_BY=x", "KOKKOS_PRINT_CONFIGURATION=x",
        "KOKKOS_TUNE_INTERNALS=x", "KOKKOS_VISIBLE_DEVICES=x"}) {
    const Finished finished = run("check DECK", variable);
    EXPECT_EQ(finished.exit_code, 0) << variable << finished.error;
    EXPECT_EQ(finished.error, "") << variable;
  }
  EXPECT_EQ(run("check DECK --threads 1 --device 0", "KOKKOS_NUM_THREADS=x KOKKOS_DEVICE_ID=x").exit_code, 0);
}

TEST_F(CommandLine, CheckRefusesWhatClusterRefuses) {
  for (const std::string command : {"cluster", "check"}) {
    expect_refused(command + " DECK memory.device_limit_mb=1", "memory.device_limit_mb = 1 is too small");
    expect_refused(command + " DECK output.folder=/proc/kokkosort", "results cannot be written there");
    expect_refused(command + " DECK output.folder=" + std::string(300, 'n'), "File name too long");
    fs::create_symlink(data_.path(), data_ / "here");
    fs::create_hard_link(data_ / "f.h5", data_ / "clusters.h5");
    const Finished finished =
        run(command + " DECK --overwrite output.folder='" + (data_ / "here").string() + "'");
    EXPECT_EQ(finished.exit_code, 2);
    EXPECT_NE(finished.error.find("is the input"), std::string::npos) << finished.error;
    fs::remove(data_ / "here");
    fs::remove(data_ / "clusters.h5");
  }
}

TEST_F(CommandLine, ADeckThatCannotBeNamed) {
  for (const std::string command : {"cluster", "check"}) {
    expect_refused(command + " ''", "the deck's name is empty");
    expect_refused(command + " deck.yaml", "the current folder is gone",
                   "mkdir '" + (data_ / "gone").string() + "'; cd '" + (data_ / "gone").string() +
                       "'; rmdir '" + (data_ / "gone").string() + "';");
  }
}

TEST_F(CommandLine, CheckWritesNothingAndPrintsTheDeck) {
  const Finished finished = run("check DECK clustering.seeds=17 --threads 1");
  EXPECT_EQ(finished.exit_code, 0) << finished.error;
  EXPECT_NE(finished.out.find("  seeds: 17\n"), std::string::npos) << finished.out;
  EXPECT_NE(finished.out.find("threads: 1\n"), std::string::npos) << finished.out;
  EXPECT_FALSE(fs::exists(result().parent_path()));
}

TEST_F(CommandLine, InfoMeasuresCeilings) {
  const Finished finished = run("info --ceilings");
  ASSERT_EQ(finished.exit_code, 0) << finished.error;
  for (const std::string name : {"memory, copy", "memory, triad", "f32, multiply-adds", "f32, matrix product",
                                 "launch, waited for", "launch, queued"}) {
    const std::size_t at = finished.out.find(name);
    ASSERT_NE(at, std::string::npos) << name << "\n" << finished.out;
    EXPECT_GT(std::stod(finished.out.substr(at + name.size())), 0.0) << name;
  }
  EXPECT_NE(finished.out.find("link to the device"), std::string::npos);
}

TEST_F(CommandLine, InfoListsDevices) {
  const Finished finished = run("info");
  EXPECT_EQ(finished.exit_code, 0);
  for (const std::string part :
       {"KokkoSort", "Kokkos Kernels", "HDF5", "--device N", "memory.device_limit_mb"})
    EXPECT_NE(finished.out.find(part), std::string::npos) << part;
}

/// The bytes of every dataset outside /run, by name.
std::map<std::string, std::vector<char>> datasets_of(const fs::path& path) {
  using Datasets = std::map<std::string, std::vector<char>>;
  const auto visit = [](hid_t file, const char* name, const H5L_info_t*, void* to) -> herr_t {
    const hdf5::Id object(H5Oopen(file, name, H5P_DEFAULT));
    if (std::string(name).starts_with("run/") || H5Iget_type(object.get()) != H5I_DATASET) return 0;
    const hdf5::Id type(H5Dget_type(object.get()));
    const hdf5::Id space(H5Dget_space(object.get()));
    std::vector<char>& bytes = (*static_cast<Datasets*>(to))[name];
    bytes.resize(H5Tget_size(type.get()) *
                 static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())));
    return H5Dread(object.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
  };
  Datasets datasets;
  const hdf5::Id file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  EXPECT_GE(H5Lvisit(file.get(), H5_INDEX_NAME, H5_ITER_INC, visit, &datasets), 0);
  return datasets;
}

TEST_F(CommandLine, TheResultDoesNotDependOnThreadsMemoryOrBlasKernels) {
  write_text(deck(), "input: {features: '" + demo_features().string() + "'}\n");
  const auto result_of = [&](const std::string& name, const std::string& options,
                             const std::string& variable = "") {
    const Finished finished = run("cluster DECK --quiet output.folder='" + (data_ / name).string() + "' " + options, variable);
    EXPECT_EQ(finished.exit_code, 0) << finished.error;
    return datasets_of(data_ / name / "clusters.h5");
  };
  const auto expected = result_of("first", "--threads 1");
  EXPECT_GE(expected.size(), 20u);
  EXPECT_EQ(result_of("again", "--threads 1"), expected);
  EXPECT_EQ(result_of("threads", "--threads 2"), expected);
  EXPECT_EQ(result_of("scratch", "clustering.max_chunk_dots=999"), expected);
  EXPECT_EQ(result_of("batches", "clustering.max_chunk_dots=999 memory.device_limit_mb=10"), expected);
  EXPECT_EQ(result_of("haswell", "--threads 2", "OPENBLAS_CORETYPE=Haswell"), expected);
}

TEST_F(CommandLine, HelpListsTheKeys) {
  const Finished finished = run("cluster --help");
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_NE(finished.out.find("clustering.seeds (a whole number from 1 to 200) = 200"), std::string::npos);
  EXPECT_EQ(run("--version").exit_code, 0);
}

TEST_F(CommandLine, BadUsage) {
  expect_refused("", "which command?");
  expect_refused("clutser", "there is no command 'clutser'; of sort, cluster, match, simulate, score, check, sweep, info the nearest is cluster");
  expect_refused("sort DECK", "this looks like a deck of cluster");
  expect_refused("cluster", "deck");
  expect_refused("cluster DECK --fast", "--fast");
  expect_refused("cluster DECK --device x", "--device is 'x'; it must be a whole number from 0\n");
  expect_refused("cluster DECK --device -1", "--device is '-1'; it must be a whole number from 0\n");
  expect_refused("cluster DECK --device 1000", "is 1000; ");
  expect_refused("cluster DECK --threads x", "threads is 'x'");
  expect_refused("cluster DECK clustering.seeds", "section.key=value");
  expect_refused("cluster DECK clustering.seds=3", "nearest known key is clustering.seeds");
  expect_refused("cluster DECK clustering.seeds=0", "from 1 to 200");
  expect_refused("cluster /nowhere/deck.yaml", "there is no such deck");
  expect_refused("cluster '" + (data_ / "f.h5").string() + "'", "is not a deck");
}

TEST_F(CommandLine, BadInput) {
  expect_refused("cluster DECK input.features=none.h5", "none.h5: there is no such file");
  expect_refused("check DECK input.group=matched", "groups with spikes: detected");
  expect_refused("cluster DECK memory.device_limit_mb=1", "memory.device_limit_mb");
  expect_refused("cluster DECK output.folder='" + (data_ / "f.h5/out").string() + "'", "set output.folder");
  SmallFeatures small;
  small.features[3] = 1e20f;
  fs::remove(data_ / "f.h5");
  small.write(data_ / "f.h5");
  expect_refused("cluster DECK", "spike 0, row 1, component 1 is 1e+20");
  write_deck("seed: -1\n");
  expect_refused("cluster DECK", "deck.yaml:3: seed is '-1'");
}

}  // namespace
}  // namespace kokkosort::test
