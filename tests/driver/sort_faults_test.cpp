// `kokkosort sort` when things go wrong on the way: killed, stopped, a full disk, files that go. What is run
// again ends with what an undisturbed run writes, byte for byte outside /run.

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <random>
#include <set>
#include <string>

#include "driver/sort_test.hpp"
#include "io/folder_lock.hpp"

namespace kokkosort::test {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

/// A recording of 20 s, with a checkpoint behind every window.
class SortFaults : public SortTest {
 protected:
  static SimulatedFiles recording() { return simulated("channels: 8, units: 5, seconds: 20, rate_hz: 8"); }

  void SetUp() override {
    if (const char* const given = std::getenv("KOKKOSORT_SEED")) seed = std::stoull(given);
    setenv("OMP_WAIT_POLICY", "passive", 1);  // threads that wait for a busy machine's cores do not take them
    std::cout << "seed " << seed << " (KOKKOSORT_SEED)\n";
    random.seed(seed);
    fs::copy_file(recording().recording, data_ / "r.bin");
    write_deck(data_ / "r.bin", recording().probe);
  }

  static std::string line(const std::string& options = "") {
    return "sort DECK --quiet --threads 2 output.checkpoint_s=0 " + options;
  }
  Finished go_on(const std::string& options = "") const {
    Finished finished = run(line(options));
    EXPECT_EQ(finished.exit_code, 0) << finished.error;
    return finished;
  }

  /// All that a run writes but the record of the run; names of other files stand for themselves.
  Files results() const {
    Files files;
    for (const auto& entry : fs::directory_iterator(folder()))
      files[entry.path().filename().string()] = "there";
    if (has("sorting.h5")) files.merge(read_contents(result()));
    std::erase_if(files, [](const auto& entry) { return entry.first.starts_with("/run"); });
    if (has("phy"))
      for (const auto& entry : fs::directory_iterator(folder() / "phy"))
        files["phy/" + entry.path().filename().string()] = read_text(entry.path());
    return files;
  }

  /// What an undisturbed run writes into the same folder, which is empty again then, and the seconds it
  /// takes.
  Files undisturbed(const std::string& options = "") {
    const auto start = std::chrono::steady_clock::now();
    go_on(options);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    Files files = results();
    EXPECT_TRUE(files.contains("/spikes/sample") && files.contains("phy/params.py"));
    EXPECT_GT(files["/spikes/sample"].size(), 500u);
    fs::remove_all(folder());
    return files;
  }

  double moment() { return std::uniform_real_distribution<double>(0.02, 1.1 * seconds)(random); }

  /// Runs until a signal comes at some moment. @return the exit code; 0: it was done before
  Finished run_until(const std::string& signal, double moment, const std::string& options = "") const {
    return run(line(options), "timeout --preserve-status -s " + signal + " " + std::to_string(moment));
  }

  bool log_says(const std::string& words) const { return log().find(words) != std::string::npos; }

  std::uint64_t seed = std::random_device()();
  std::mt19937_64 random;
  double seconds = 0.0;
};

TEST_F(SortFaults, KilledAtTwentyMoments) {
  const Files expected = undisturbed();
  int killed = 0;
  int resumed = 0;
  for (int i = 0; i < 20; ++i) {
    const double at = moment();
    SCOPED_TRACE("killed after " + std::to_string(at) + " s");
    const Finished first = run_until("KILL", at);
    if (first.exit_code != 0) {
      ++killed;
      go_on();
      if (log_says("from a checkpoint")) ++resumed;
    }
    expect_same(expected, results());
    fs::remove_all(folder());
  }
  std::cout << killed << " runs killed, " << resumed << " resumed, 0 bytes lost\n";
  EXPECT_GE(killed, 8);
  EXPECT_GE(resumed, killed / 2);
}

/// The same folder all the time, as a cluster that takes its nodes away does.
/// The same folder all the time, as a cluster that takes its nodes away does. Each run comes farther.
TEST_F(SortFaults, KilledAgainAndAgain) {
  const Files expected = undisturbed();
  int kills = 0;
  for (double share = 0.1; kills < 100; ++kills, share += 0.02)
    if (run_until("KILL", share * seconds).exit_code == 0) break;
  EXPECT_LT(kills, 100);
  EXPECT_GE(kills, 2);
  expect_same(expected, results());
}

class SortKilledAtRenames : public SortFaults {
 protected:
  /// A few seconds, a checkpoint at the end of each stage.
  static std::string line(const std::string& options) {
    return "sort DECK --quiet --threads 2 input.time_range_s='[0, 4]' output.whitened=on " + options;
  }
  Finished killed_at(int rename, const std::string& options) const {
    return run(line(options),
               "env LD_PRELOAD=" KOKKOSORT_KILL_AT_RENAME " KILL_AT_RENAME=" + std::to_string(rename));
  }
  /// @return what was expected of the folder, which is empty again then
  Files expected() {
    EXPECT_EQ(run(line("")).exit_code, 0);
    Files files = results();
    fs::remove_all(folder());
    return files;
  }
};

TEST_F(SortKilledAtRenames, OfNewResults) {
  const Files files = expected();
  int kills = 0;
  for (; killed_at(kills + 1, "").exit_code != 0; ++kills) {
    ASSERT_LT(kills, 100);
    EXPECT_EQ(run(line("")).exit_code, 0) << "killed before rename " << kills + 1;
    expect_same(files, results());
    fs::remove_all(folder());
  }
  EXPECT_EQ(kills, 10 + 4);  // checkpoints, and results
}

/// Who asked for old results to be replaced need not ask again when some of them are.
TEST_F(SortKilledAtRenames, OfResultsThatReplaceOldOnes) {
  const Files files = expected();
  ASSERT_EQ(run(line("curation.merge=off output.checkpoints=until_done")).exit_code, 0);
  fs::copy(folder(), data_ / "old", fs::copy_options::recursive);
  const Files old = results();
  int kills = 0;
  int half_done = 0;
  for (; killed_at(kills + 1, "--overwrite").exit_code != 0; ++kills) {
    ASSERT_LT(kills, 100);
    SCOPED_TRACE("killed before rename " + std::to_string(kills + 1));
    if (has(".kokkosort.commit")) {
      ++half_done;
      EXPECT_EQ(run(line("")).exit_code, 0);
    } else {
      Files kept = results();
      std::erase_if(kept, [&](const auto& entry) { return !old.contains(entry.first); });
      expect_same(old, kept);
      EXPECT_NE(run(line("")).error.find("exists; --overwrite replaces it"), std::string::npos);
      EXPECT_EQ(run(line("--overwrite")).exit_code, 0);
    }
    expect_same(files, results());
    fs::remove_all(folder());
    fs::copy(data_ / "old", folder(), fs::copy_options::recursive);
  }
  EXPECT_EQ(half_done, 5);  // a folder is first tried as a new one
  EXPECT_EQ(kills, 10 + 5);
}

TEST_F(SortFaults, StoppedBySignals) {
  const Files expected = undisturbed();
  int stopped = 0;
  for (int i = 0; i < 9; ++i) {
    const bool by_scheduler = i % 3 != 0;
    const double at = moment();
    SCOPED_TRACE("stopped after " + std::to_string(at) + " s");
    const Finished first = run_until(by_scheduler ? "TERM" : "INT", at);
    if (first.exit_code != 0) {
      EXPECT_EQ(first.exit_code, by_scheduler ? 143 : 130) << first.error;
      EXPECT_FALSE(has("sorting.h5") || has("phy") || has("report.html"));
      if (!first.error.empty()) {  // else it had not begun, or was writing
        ++stopped;
        EXPECT_NE(first.error.find("stopped by SIG"), std::string::npos) << first.error;
        EXPECT_EQ(first.error.find('\n'), first.error.size() - 1) << first.error;
        EXPECT_TRUE(log_says("stopped by SIG") && log_says("seconds\n"));
      }
      go_on();
    }
    expect_same(expected, results());
    fs::remove_all(folder());
  }
  EXPECT_GE(stopped, 3);
}

/// A disk of its own in memory, that is full at some point and then is made larger.
TEST_F(SortFaults, AFullDisk) {
  const std::string disk = folder().string();
  const std::string alone = "unshare --user --map-root-user --mount sh -ec ";
  if (std::system(("mkdir -p '" + disk + "'; " + alone + "'mount -t tmpfs -o size=1m tmpfs \"" + disk +
                   "\"' 2> /dev/null")
                      .c_str()) != 0) {
    fs::remove_all(folder());
    GTEST_SKIP() << "no file system can be mounted here: the full disk was NOT tested";
  }
  fs::remove_all(folder());
  const Files expected = undisturbed();
  const std::string results_size = "1300k";
  std::set<int> codes;
  for (const std::string size : {"16k", "300k", "900k", results_size.c_str()}) {
    SCOPED_TRACE(size);
    fs::create_directories(folder());
    const std::string command =
        "'" KOKKOSORT_BINARY "' sort '" + deck().string() + "' --quiet --threads 2 output.checkpoint_s=0 ";
    // The results are copied out of the disk, which goes with the shell.
    const std::string script = "mount -t tmpfs -o size=" + size + " tmpfs " + disk + "; code=0; " + command +
                               " 2> " + disk + ".error || code=$?; ls -A " + disk + " > " + disk +
                               ".left; mount -o remount,size=100m " + disk + "; [ $code = 0 ] || " + command +
                               "; cp -a " + disk + " " + disk + ".copy; exit $code";
    write_text(data_ / "script.sh", script);
    const int status = std::system((alone + "'. " + (data_ / "script.sh").string() + "'").c_str());
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    codes.insert(code);
    const std::string error = read_text(disk + ".error");
    EXPECT_TRUE(code == 0 || code == 1 || code == 2) << code;
    if (code != 0) {
      // One line, behind the warning that so little room may not do where it is much too little.
      const std::string fault = error.substr(error.rfind("kokkosort: "));
      EXPECT_NE(fault.find("No space left on device"), std::string::npos) << error;
      EXPECT_EQ(fault.find('\n'), fault.size() - 1) << error;
      EXPECT_EQ(error.find("are expected to be written") != std::string::npos, fault.size() < error.size())
          << error;
      const std::string left = read_text(disk + ".left");
      for (const std::string name : {"sorting.h5", "phy", "report.html"})
        EXPECT_EQ(left.find(name), std::string::npos) << left;
    }
    fs::remove_all(folder());
    fs::rename(disk + ".copy", folder());
    expect_same(expected, results());
    fs::remove_all(folder());
  }
  EXPECT_TRUE(codes.contains(1));
}

/// The recording is cut half way, as a network that goes away does, and comes back.
TEST_F(SortFaults, ARecordingThatGoesAndComesBack) {
  const Files expected = undisturbed();
  const fs::path file = data_ / "r.bin";
  const std::string samples = read_text(file);
  const auto time = fs::last_write_time(file);
  bool was_cut = false;
  for (int attempt = 0; attempt < 20 && !was_cut; ++attempt) {
    const double at = std::uniform_real_distribution<double>(0.2, 0.6)(random) * seconds;
    const Finished cut = run(line(), "(sleep " + std::to_string(at) + "; truncate -s 30m '" + file.string() +
                                         "'; truncate -s 4m '" + file.string() + "') &");
    was_cut = cut.exit_code == 2 && cut.error.find("when it was opened") != std::string::npos;
    if (was_cut) {
      EXPECT_NE(cut.error.find("r.bin: ends at byte"), std::string::npos) << cut.error;
      EXPECT_TRUE(log_says("failed: "));
      EXPECT_FALSE(has("sorting.h5") || has("phy"));
    }
    std::system("sleep 0.5");
    write_text(file, samples);
    fs::last_write_time(file, time);
    if (!was_cut) fs::remove_all(folder());
  }
  ASSERT_TRUE(was_cut);
  go_on();
  EXPECT_TRUE(log_says("from a checkpoint"));
  expect_same(expected, results());
}

TEST_F(SortFaults, DamagedCheckpointsAreNotUsed) {
  const Files expected = undisturbed();
  go_on();
  for (const std::string name : {"sorting.h5", "phy", "report.html", "kokkosort.log"})
    fs::remove_all(folder() / name);
  std::vector<fs::path> checkpoints;
  for (const auto& entry : fs::directory_iterator(folder() / "checkpoints"))
    checkpoints.push_back(entry.path());
  ASSERT_GT(checkpoints.size(), 10u);
  for (std::size_t i = 0; i < checkpoints.size(); ++i) {
    std::string bytes = read_text(checkpoints[i]);
    if (i % 4 == 0) bytes.resize(std::uniform_int_distribution<std::size_t>(0, bytes.size() - 1)(random));
    if (i % 4 == 1) bytes[std::uniform_int_distribution<std::size_t>(0, bytes.size() - 1)(random)] ^= 4;
    write_text(checkpoints[i], bytes);
  }
  go_on();
  EXPECT_TRUE(log_says(": is damaged, and not used") || log_says("is not used: "));
  expect_same(expected, results());
}

class SortResumes : public SortFaults {
 protected:
  /// What the last run said, of which stages were taken from checkpoints.
  std::string last_log() const {
    const std::string all = log();
    return all.substr(all.rfind("  sort on "));
  }
  bool was_restored(const std::string& stage) const {
    const std::string log = last_log();
    const std::size_t at = log.find("Z  " + stage);
    return at != std::string::npos &&
           log.substr(at, log.find('\n', at) - at).find("from a checkpoint") != std::string::npos;
  }
};

TEST_F(SortResumes, AChangedDeckRepeatsWhatDependsOnIt) {
  struct Change {
    std::string options;
    std::vector<std::string> restored;
    std::vector<std::string> repeated;
  };
  const std::string clustering = "clustering of detected spikes";
  const std::vector<Change> changes = {
      {"curation.merge=off",
       {"preprocessing", "universal templates", clustering, "clustering, pass 3"},
       {"curation"}},
      {"output.report=off memory.device_limit_mb=2000 threads=1", {"clustering, pass 3"}, {"curation"}},
      {"matching.passes=2", {clustering, "clustering, pass 2"}, {"matching, pass 2", "curation"}},
      {"matching.threshold=8", {"preprocessing", clustering}, {"matching", "clustering, pass 3"}},
      {"clustering.seeds=20", {"preprocessing", "detection"}, {clustering, "matching"}},
      {"templates.min_correlation=0.95", {"detection"}, {clustering, "matching"}},
      {"detection.threshold=8", {"preprocessing"}, {"universal templates", "detection", clustering}},
      {"seed=2", {"preprocessing"}, {"universal templates", "detection"}},
      {"preprocessing.highpass_hz=400", {}, {"preprocessing", "detection", clustering}},
      {"input.time_range_s='[0, 10]'", {}, {"preprocessing", "detection", clustering}},
  };
  go_on();
  const fs::path before = data_ / "before";
  fs::rename(folder(), before);
  for (const Change& change : changes) {
    SCOPED_TRACE(change.options);
    const Files expected = undisturbed(change.options);
    fs::copy(before, folder(), fs::copy_options::recursive);
    go_on("--overwrite " + change.options);
    for (const std::string& stage : change.restored) EXPECT_TRUE(was_restored(stage)) << stage << last_log();
    for (const std::string& stage : change.repeated) EXPECT_FALSE(was_restored(stage)) << stage << last_log();
    Files found = results();
    if (change.options.find("report=off") != std::string::npos) found.erase("report.html");
    expect_same(expected, found);
    fs::remove_all(folder());
  }
}

TEST_F(SortResumes, SaysWhereItGoesOn) {
  go_on();
  const Finished again = run("sort DECK --overwrite");
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_NE(again.out.find("resumed      at matching, pass 3"), std::string::npos) << again.out;
  EXPECT_NE(again.error.find("from a checkpoint: "), std::string::npos) << again.error;
  EXPECT_NE(read_text(result()).find("resumed_at"), std::string::npos);
  go_on("--overwrite --fresh");
  EXPECT_FALSE(was_restored("preprocessing"));
}

TEST_F(SortResumes, NotAfterTheRecordingHasChanged) {
  go_on();
  std::string samples = read_text(data_ / "r.bin");
  samples[samples.size() / 2] ^= 1;
  write_text(data_ / "r.bin", samples);
  go_on("--overwrite");
  EXPECT_FALSE(was_restored("preprocessing"));
  EXPECT_TRUE(log_says("is not used: 'file of the recording: "));
}

TEST_F(SortResumes, CheckpointsAreKeptAsTheDeckSays) {
  go_on("output.checkpoints=until_done");
  EXPECT_FALSE(has("checkpoints"));
  go_on("--overwrite output.checkpoints=off");
  EXPECT_FALSE(has("checkpoints"));
  go_on("--overwrite");
  EXPECT_TRUE(has("checkpoints/detection-0000.checkpoint"));
}

TEST_F(SortResumes, OneRunAtATime) {
  fs::create_directories(folder());
  {
    const FolderLock other(folder());
    ASSERT_TRUE(other.is_held());
    const Finished refused = run(line());
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.error.find("another run is writing"), std::string::npos) << refused.error;
    EXPECT_TRUE(fs::is_empty(folder()));
  }
  go_on();
}

TEST_F(SortResumes, WhatIsInTheWayIsNamedBeforeAnythingIsDone) {
  const auto refused = [this](const std::string& words) {
    for (const std::string command : {"sort", "check"}) {
      const Finished finished = run(command + " DECK --quiet");
      EXPECT_EQ(finished.exit_code, 2);
      EXPECT_NE(finished.error.find(words), std::string::npos) << finished.error;
      EXPECT_EQ(std::distance(fs::directory_iterator(folder()), fs::directory_iterator()), 1);
    }
    fs::remove_all(folder());
  };
  fs::create_directories(folder() / ".kokkosort.commit/mine");
  refused(".kokkosort.commit: is a folder; remove it");
  fs::create_directories(folder());
  write_text(folder() / "checkpoints", "mine");
  refused("checkpoints: is not a folder; remove it");
}

/// What killed runs leave under hidden names goes with the next one.
TEST_F(SortResumes, RemnantsGo) {
  fs::create_directories(folder() / ".phy.AbCd12");
  write_text(folder() / ".phy.AbCd12/params.py", "half");
  write_text(folder() / ".sorting.h5.AbCd12", "half");
  write_text(folder() / ".sorting.h5.mine", "not ours");
  fs::create_directories(folder() / "checkpoints");
  write_text(folder() / "checkpoints/detection-0000.checkpoint.unfinished", "half");
  go_on();
  EXPECT_FALSE(has(".phy.AbCd12") || has(".sorting.h5.AbCd12"));
  EXPECT_FALSE(has("checkpoints/detection-0000.checkpoint.unfinished"));
  EXPECT_TRUE(has(".sorting.h5.mine"));
}

}  // namespace
}  // namespace kokkosort::test
