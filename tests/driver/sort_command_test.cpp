// Runs `kokkosort sort` itself: what it writes, and what it leaves alone.

#include <algorithm>
#include <limits>
#include <set>

#include "driver/common_keys.hpp"
#include "driver/sort_deck.hpp"
#include "driver/sort_test.hpp"

namespace kokkosort::test {
namespace {

namespace fs = std::filesystem;

void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in\n" << text;
}

std::string last_line(const std::string& text) { return text.substr(text.rfind('\n', text.size() - 2) + 1); }

std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& file : fs::directory_iterator(folder))
    files[file.path().filename().string()] = read_text(file.path());
  return files;
}

class SortCommand : public SortTest {
 protected:
  void SetUp() override { write_deck(); }
};

TEST_F(SortCommand, FindsTheUnitsAndTellsWhereTheResultsAre) {
  const Finished finished = run("sort DECK --report");
  ASSERT_EQ(finished.exit_code, 0) << finished.error;
  expect_parts(finished.out,
               {"recording    300000 samples of 16 channels, 10.0 s", "detected", "units  ", "total",
                "times real time", "sorting.h5", "phy/params.py", "report.html", "kokkosort.log", "copies"});
  expect_parts(finished.out,
               {"launches", "floor", "share", "detection::search", "waited for", "memory, triad"});
  EXPECT_EQ(finished.out.find("  seconds\n"), std::string::npos);
  const Score found = score(files().truth);
  EXPECT_GE(found.over(0.8), 7u);
  EXPECT_GE(found.mean_accuracy(), 0.9);
  EXPECT_LE(n_units(), 11u);
  const std::vector<std::string> stages{"preprocessing",    "universal templates",
                                        "detection",        "clustering of detected spikes",
                                        "matching",         "clustering of matched spikes",
                                        "matching, pass 2", "clustering, pass 2",
                                        "curation",         "writing"};
  expect_parts(finished.error, stages);
  expect_parts(log(), stages);
  expect_parts(log(),
               {"  sort on ", "versions\n", "    Kokkos Kernels: ", "deck\n", "      rounds: 200\n",
                "seconds\n", "    detection::search: ", "bytes between host and device\n", "memory\n",
                "      process  ", "16 channels, 0 dead, 0 saturated", "  done: " + result().string()});
  expect_parts(read_text(folder() / "report.html"), {"<!DOCTYPE html>", "recording.bin", "µV",
                                                     ">units</dt><dd>" + std::to_string(n_units()) + "<"});
  for (const std::string name : {"params.py", "spike_times.npy", "templates.npy", "cluster_KSLabel.tsv"})
    EXPECT_TRUE(has("phy/" + name)) << name;
  EXPECT_FALSE(has("whitened.bin"));
}

TEST_F(SortCommand, RunsAndThreadsGiveTheSameBytes) {
  const auto contents_of = [this](const std::string& name, const std::string& options,
                                  const std::string& before = "") {
    sort("output.folder='" + (data_ / name).string() + "' " + options, before);
    std::map<std::string, std::string> contents = read_contents(data_ / name / "sorting.h5");
    std::erase_if(contents, [](const auto& entry) { return entry.first.starts_with("/run"); });
    for (const auto& [file, bytes] : files_of(data_ / name / "phy")) contents["phy/" + file] = bytes;
    return contents;
  };
  const auto once = contents_of("once", "--threads 1");
  EXPECT_TRUE(once.contains("/spikes/sample") && once.contains("phy/spike_times.npy"));
  expect_same(once, contents_of("again", "--threads 1"));
  expect_same(once, contents_of("threads", "--threads 2"));
  // These kernels of OpenBLAS round differently with rows and threads.
  const std::string haswell = "OPENBLAS_CORETYPE=Haswell";
  expect_same(contents_of("haswell", "--threads 1", haswell),
              contents_of("haswell_threads", "--threads 2", haswell));
}

TEST_F(SortCommand, WritesWhatTheDeckAsksFor) {
  write_samples(data_ / "short.bin", part(0, 60000));
  write_deck(data_ / "short.bin", files().probe);
  sort("output.phy=off output.report=off output.whitened=on");
  EXPECT_FALSE(has("phy"));
  EXPECT_FALSE(has("report.html"));
  EXPECT_EQ(fs::file_size(folder() / "whitened.bin"), 60000u * n_channels * sizeof(std::int16_t));
  EXPECT_GT(spike_samples().size(), 100u);
}

TEST_F(SortCommand, KeepsOldResultsUnlessAsked) {
  for (const std::string name : {"sorting.h5", "report.html", "whitened.bin", "phy"}) {
    fs::create_directory(folder());
    if (name == "phy") {
      fs::create_directory(folder() / name);
      write_text(folder() / "phy/params.py", "mine");
    } else {
      write_text(folder() / name, "mine");
    }
    for (const std::string command : {"sort", "check"}) {
      const Finished finished = run(command + " DECK output.whitened=on");
      EXPECT_EQ(finished.exit_code, 2);
      EXPECT_NE(finished.error.find(name + ": exists; --overwrite replaces it"), std::string::npos)
          << finished.error;
      EXPECT_EQ(std::distance(fs::directory_iterator(folder()), fs::directory_iterator()), 1) << name;
    }
    fs::remove_all(folder());
  }
  write_samples(data_ / "short.bin", part(0, 60000));
  write_deck(data_ / "short.bin", files().probe);
  sort("output.whitened=on");
  const std::string before = read_text(folder() / "phy/spike_times.npy");
  write_text(result(), "old");
  sort("output.whitened=on detection.threshold=20 matching.threshold=20");
  EXPECT_GT(read_text(result()).size(), 1000u);
  EXPECT_NE(read_text(folder() / "phy/spike_times.npy"), before);
  const std::string both = log();  // of two runs, the second behind the first
  EXPECT_NE(both.find("done: "), both.rfind("done: "));
}

TEST_F(SortCommand, InputsAreNotReplaced) {
  fs::create_directory(folder());
  for (const std::string name : {"sorting.h5", "report.html", "whitened.bin", "kokkosort.log"}) {
    fs::create_hard_link(files().probe, folder() / name);
    for (const std::string command : {"sort", "check"}) {
      const Finished finished = run(command + " DECK --overwrite");
      EXPECT_EQ(finished.exit_code, 2);
      EXPECT_NE(finished.error.find("probe.json: is the input and would be replaced"), std::string::npos)
          << finished.error;
    }
    fs::remove(folder() / name);
  }
}

/// What is left of a run that failed: the log, which says so, and checkpoints, if a stage was done.
class FailedSort : public SortCommand {
 protected:
  void expect_log_alone(const Finished& finished, const std::string& reason) const {
    EXPECT_EQ(finished.error.find('\n'), finished.error.size() - 1) << finished.error;
    EXPECT_NE(finished.error.find(reason), std::string::npos) << finished.error;
    ASSERT_TRUE(has("kokkosort.log"));
    for (const auto& entry : fs::directory_iterator(folder()))
      EXPECT_TRUE(entry.path().filename() == "kokkosort.log" || entry.path().filename() == "checkpoints")
          << entry;
    expect_parts(log(), {"deck\n", "preprocessing  ", "seconds\n", "    recording::whitening: ", "memory\n"});
    expect_parts(last_line(log()), {"  failed: ", reason});
  }
};

TEST_F(FailedSort, ASampleThatIsNoNumber) {
  std::vector<float> values(samples().begin(), samples().end());
  values[static_cast<std::size_t>(290000 * 16 + 5)] = std::numeric_limits<float>::quiet_NaN();
  write_samples(data_ / "nan.bin", values);
  write_deck(data_ / "nan.bin", files().probe, ", dtype: float32");
  const Finished finished =
      run("sort DECK --quiet output.whitened=on preprocessing.min_whitening_windows=1 "
          "detection.learning_windows=1");
  EXPECT_EQ(finished.exit_code, 2);
  expect_log_alone(finished, "nan.bin: sample 290000");
  expect_parts(log(), {"universal templates  ", " s  did not end\n"});
  EXPECT_LT(log().rfind("Z  detection  "), log().find("did not end"));
}

TEST_F(FailedSort, AFullDisk) {
  // A limit on the size of files fails as a full disk does.
  write_samples(data_ / "short.bin", part(0, 60000));
  write_deck(data_ / "short.bin", files().probe);
  for (const std::string options : {"", "output.whitened=on", "output.report=off"}) {
    const Finished finished = run("sort DECK --quiet " + options, "ulimit -f 60;");
    EXPECT_EQ(finished.exit_code, 1) << options;
    expect_log_alone(finished, "File too large");
    fs::remove_all(folder());
  }
}

TEST_F(FailedSort, ADiskThatTakesAllButTheFeatures) {
  sort();
  const auto names = [](const fs::path& folder) {
    std::set<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder)) found.insert(entry.path().filename());
    return found;
  };
  const auto before = files_of(folder() / "phy");
  const std::string old_result = read_text(result());
  const std::set<fs::path> old_names = names(folder());
  const std::size_t block = 512;  // bytes that sh counts in
  const std::size_t most = (before.at("pc_features.npy").size() - 1) / block;
  ASSERT_LT(std::max(old_result.size(), read_text(folder() / "report.html").size()), most * block);

  const Finished finished = run("sort DECK --quiet --overwrite", "ulimit -f " + std::to_string(most) + ";");
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_EQ(finished.error.find('\n'), finished.error.size() - 1) << finished.error;
  EXPECT_NE(finished.error.find("pc_features.npy: File too large"), std::string::npos) << finished.error;
  EXPECT_TRUE(read_text(result()) == old_result);
  expect_same(before, files_of(folder() / "phy"));
  EXPECT_EQ(names(folder()), old_names);
}

TEST_F(FailedSort, AMemoryLimitThatIsTooSmall) {
  const Finished finished =
      run("sort DECK --quiet memory.host_limit_mb=1 detection.pcs=16 detection.threshold=1");
  EXPECT_EQ(finished.exit_code, 2);
  expect_parts(finished.error, {"warning: memory.host_limit_mb is 1, and spikes are expected to take about"});
  expect_log_alone({finished.exit_code, "", last_line(finished.error)},
                   "raise detection.threshold or memory.host");
}

TEST_F(SortCommand, CheckWritesNothingAndPrintsTheDeck) {
  const Finished finished = run("check DECK curation.min_ghost_share=0.7");
  EXPECT_EQ(finished.exit_code, 0) << finished.error;
  expect_parts(finished.out, {"would sort 300000 samples of 16 channels into ", "  min_ghost_share: 0.7\n",
                              "  nt: 61\n", "  peak_sample: 20\n", "  channels: 16\n", "  report: \"on\"\n"});
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(SortCommand, HelpListsTheKeys) {
  expect_parts(run("sort --help").out,
               {"detection.threshold (a number from 0.1 to 1000) = 7", "output.report"});
}

/// The deck that explains all keys has all of them, with their defaults; the demo's names what it must.
TEST_F(SortCommand, TheBundledDecksAreGood) {
  const fs::path inputs = fs::path(KOKKOSORT_SOURCE_DIR) / "inputs";
  SortDeck loaded;
  const DeckKeys keys = sort_keys(loaded);
  const std::string before = keys.to_yaml();
  load_deck_with_output(inputs / "recording.yaml", {}, keys, loaded.output_folder);
  loaded.recording.clear();
  loaded.probe.clear();
  loaded.output_folder.clear();
  EXPECT_EQ(keys.to_yaml(), before);
  const std::string text = read_text(inputs / "recording.yaml");
  for (const DeckKey& key : keys.all()) {
    expect_parts(text, {key.name.substr(key.name.rfind('.') + 1) + ": "});
    const std::string value = key.get();
    EXPECT_TRUE(value.empty() || key.set(value, "/")) << key.name;
  }
  SortDeck demo;
  load_deck_with_output(inputs / "demo.yaml", {}, sort_keys(demo), demo.output_folder);
  EXPECT_EQ(demo.recording.front().lexically_normal(),
            demo.output_folder.lexically_normal() / "recording.bin");
  EXPECT_EQ(demo.sampling_rate_hz, 30000.0);
}

}  // namespace
}  // namespace kokkosort::test
