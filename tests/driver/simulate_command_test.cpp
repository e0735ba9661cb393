// Runs `kokkosort simulate` and `kokkosort score` themselves.

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "driver/common_keys.hpp"
#include "driver/program_test.hpp"
#include "driver/simulate_deck.hpp"
#include "io/hdf5.hpp"
#include "kokkosort/io/trains_file.hpp"
#include "system/hdf5_contents.hpp"

namespace kokkosort::test {
namespace {

namespace fs = std::filesystem;

class SimulateCommand : public ProgramTest {
 protected:
  void SetUp() override { write_deck(""); }

  void write_deck(const std::string& more) const {
    write_text(deck(), "simulation: {channels: 8, units: 4, seconds: 2, rate_hz: 10, " + more +
                           "}\noutput: {folder: out}\n");
  }

  fs::path recording() const { return folder() / "recording.bin"; }
  fs::path truth() const { return folder() / "truth.h5"; }

  Contents truth_but_run() const {
    Contents contents = read_contents(truth());
    std::erase_if(contents, [](const auto& entry) { return entry.first.starts_with("/run"); });
    return contents;
  }
};

TEST_F(SimulateCommand, WritesRecordingProbeAndTruth) {
  const Finished finished = run("simulate DECK");
  ASSERT_EQ(finished.exit_code, 0) << finished.error;
  EXPECT_EQ(finished.error, "");
  for (const std::string part : {"60000 samples of 8 channels, 2.0 s", "units        4", "spikes",
                                 "recording.bin", "probe.json", "truth.h5", "times real time"})
    EXPECT_NE(finished.out.find(part), std::string::npos) << part << "\n" << finished.out;
  EXPECT_EQ(fs::file_size(recording()), 60000u * 8u * 2u);
  EXPECT_EQ(
      read_text(folder() / "probe.json"),
      "{\n\"chanMap\": [0, 1, 2, 3, 4, 5, 6, 7],\n\"xc\": [16, 48, 0, 32, 16, 48, 0, 32],\n"
      "\"yc\": [0, 0, 20, 20, 40, 40, 60, 60],\n\"kcoords\": [0, 0, 0, 0, 0, 0, 0, 0],\n\"n_chan\": 8\n}\n");
  hdf5::InputFile file(truth(), 1 << 24);
  const std::size_t n_spikes = file.open<std::int64_t>("truth/sample", 1).size();
  EXPECT_GT(n_spikes, 20u);
  EXPECT_EQ(file.open<std::int32_t>("truth/unit", 1).size(), n_spikes);
  EXPECT_EQ(file.open<float>("truth/amplitude", 1).size(), n_spikes);
  EXPECT_EQ(file.open<float>("templates", 3).shape, (hdf5::Shape{4, 121, 8}));
  EXPECT_EQ(file.attribute<std::int32_t>("templates", "peak_sample"), 30);
  for (const std::string name : {"x_um", "y_um", "z_um", "rate_hz", "amplitude_uv"})
    EXPECT_EQ(file.open<double>("units/" + name, 1).size(), 4u);
  EXPECT_EQ(file.open<double>("probe/x_um", 1).size(), 8u);
  EXPECT_EQ(file.attribute<double>("/", "sampling_rate_hz"), 30000.0);
  EXPECT_EQ(file.attribute<double>("/", "gain_to_uv"), 0.195);
  EXPECT_EQ(file.attribute<std::int64_t>("/", "n_samples"), 60000);
  EXPECT_EQ(file.attribute<std::int64_t>("/", "seed"), 1);
  EXPECT_TRUE(file.has_group("run"));
}

TEST_F(SimulateCommand, TheResultDoesNotDependOnThreads) {
  ASSERT_EQ(run("simulate DECK --quiet --threads 1").exit_code, 0);
  const std::string bytes = read_text(recording());
  const Contents contents = truth_but_run();
  EXPECT_GE(contents.size(), 15u);
  for (const std::string threads : {"2", "3"}) {
    const Finished finished = run("simulate DECK --quiet --overwrite --threads " + threads);
    ASSERT_EQ(finished.exit_code, 0) << finished.error;
    EXPECT_EQ(finished.out, "");
    EXPECT_TRUE(read_text(recording()) == bytes) << threads;
    EXPECT_TRUE(truth_but_run() == contents) << threads;
  }
  ASSERT_EQ(run("simulate DECK --quiet --overwrite seed=2").exit_code, 0);
  EXPECT_FALSE(read_text(recording()) == bytes);
}

TEST_F(SimulateCommand, RefusesBadDecks) {
  for (const std::string command : {"simulate DECK", "check DECK"}) {
    expect_refused(command + " simulation.layout=utah",
                   "simulation.layout is 'utah'; it must be one of neuropixels, linear, square, tetrode");
    expect_refused(command + " simulation.layout=tetrode simulation.channels=6",
                   "it must be a multiple of 4");
    expect_refused(command + " simulation.channels=0",
                   "simulation.channels is '0'; it must be a whole number");
    expect_refused(command + " simulation.shanks=3",
                   "simulation.shanks is 3; it must divide simulation.channels, 8");
    expect_refused(command + " simulation.seconds=-1",
                   "simulation.seconds is '-1'; it must be a number from");
    expect_refused(command + " simulation.refractory_ms=40",
                   "with simulation.refractory_ms = 40 it must be at most 22");
    expect_refused(command + " simulation.min_rate_hz=30",
                   "simulation.max_rate_hz is 25; it must be at least");
    expect_refused(command + " simulation.unts=4",
                   "unknown key 'simulation.unts'; the nearest known key is "
                   "simulation.units");
    expect_refused(command + " simulation.seconds=1e7 memory.host_limit_mb=100",
                   "memory.host_limit_mb = 100 is too small");
    expect_refused(command + " output.folder=/proc/kokkosort", "results cannot be written there");
  }
  write_deck("drift: 3");
  expect_refused("check DECK", "deck.yaml:1: unknown key 'simulation.drift'");
  expect_refused("cluster DECK", "this looks like a deck of simulate");
}

TEST_F(SimulateCommand, RefusesARecordingThatTheDiskDoesNotHold) {
  expect_refused("simulate DECK simulation.channels=4096 simulation.seconds=1e8 simulation.units=0",
                 "MB; the recording takes 23437500000 MB; set output.folder or simulation.seconds");
}

TEST_F(SimulateCommand, ChecksWithoutSimulating) {
  const Finished finished = run("check DECK");
  EXPECT_EQ(finished.exit_code, 0) << finished.error;
  EXPECT_NE(finished.out.find("would simulate 2 s of 8 channels with 4 units into "), std::string::npos)
      << finished.out;
  EXPECT_NE(finished.out.find("  noise_uv: 5\n"), std::string::npos) << finished.out;
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(SimulateCommand, ReplacesNoneOfItsFilesUnasked) {
  for (const std::string name : {"recording.bin", "probe.json", "truth.h5"}) {
    fs::create_directory(folder());
    write_text(folder() / name, "mine");
    for (const std::string command : {"simulate DECK", "check DECK"}) {
      const Finished finished = run(command);
      EXPECT_EQ(finished.exit_code, 2);
      EXPECT_NE(finished.error.find(name + ": exists; --overwrite replaces it"), std::string::npos)
          << finished.error;
    }
    EXPECT_EQ(read_text(folder() / name), "mine");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder()), fs::directory_iterator()), 1);
    fs::remove_all(folder());
  }
}

TEST_F(SimulateCommand, AFullDiskLeavesNothingBehind) {
  const Finished finished = run("simulate DECK", "ulimit -f 400;");
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_EQ(finished.error.find('\n'), finished.error.size() - 1) << finished.error;
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(SimulateCommand, HelpListsTheKeys) {
  const Finished finished = run("simulate --help");
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_NE(finished.out.find("simulation.noise_uv (a number from 0 to 100000) = 5"), std::string::npos);
  EXPECT_NE(run("check --help").out.find("simulate --help"), std::string::npos);
}

/// The deck that explains all keys has all of them, with their defaults.
TEST_F(SimulateCommand, TheBundledDeckHasAllDefaults) {
  const fs::path bundled = fs::path(KOKKOSORT_SOURCE_DIR) / "inputs" / "simulate.yaml";
  SimulateDeck loaded;
  const DeckKeys keys = simulate_keys(loaded);
  load_deck_with_output(bundled, {}, keys, loaded.output_folder);
  SimulateDeck defaults;
  defaults.output_folder = loaded.output_folder;
  EXPECT_EQ(keys.to_yaml(), simulate_keys(defaults).to_yaml());
  const std::string text = read_text(bundled);
  for (const DeckKey& key : keys.all())
    EXPECT_NE(text.find(key.name.substr(key.name.rfind('.') + 1) + ":"), std::string::npos) << key.name;
}

class ScoreCommand : public ProgramTest {
 protected:
  void SetUp() override {
    write("t.h5", "truth", {{100, 1000, 2000, 3000, 4000}, {0, 0, 1, 1, 5}});
    write("s.h5", "spikes", {{112, 1000, 2013, 3000, 9000}, {2, 2, 7, 7, 8}});
  }

  /// @param rate_hz  0: no such attribute
  void write(const std::string& name, const std::string& group, const SpikeTrains& trains,
             double rate_hz = 30000.0) const {
    fs::remove(data_ / name);
    hdf5::OutputFile file(data_ / name);
    file.group(group);
    file.write(group + "/sample", {trains.sample.size()}, trains.sample.data());
    file.write(group + "/unit", {trains.unit.size()}, trains.unit.data());
    if (rate_hz > 0.0) file.attribute("/", "sampling_rate_hz", rate_hz);
    file.close();
  }

  std::string files(const std::string& truth = "t.h5", const std::string& result = "s.h5") const {
    return "score '" + (data_ / truth).string() + "' '" + (data_ / result).string() + "' ";
  }
};

TEST_F(ScoreCommand, PrintsATableAndASummary) {
  const Finished finished = run(files());
  EXPECT_EQ(finished.exit_code, 0) << finished.error;
  EXPECT_EQ(finished.out,
            "    unit    spikes   sorted    spikes  accuracy    recall precision\n"
            "       0         2        2         2     1.000     1.000     1.000\n"
            "       1         2        7         2     0.333     0.500     0.500\n"
            "       5         1        -         0     0.000     0.000     0.000\n"
            "\n"
            "  true units         3\n"
            "  sorted units       3 of 5 spikes\n"
            "  accuracy above 0.8 1\n"
            "  accuracy above 0.5 1\n"
            "  mean accuracy      0.4444, median 0.3333\n"
            "  mean recall        0.5000, precision 0.5000\n"
            "  spikes match       within 0.4 ms, 12 samples\n");
}

TEST_F(ScoreCommand, PrintsOneLineOfJson) {
  EXPECT_EQ(run(files() + "--json").out,
            "{\"true_units\": 3, \"sorted_units\": 3, \"sorted_spikes\": 5, \"units_over_0_8\": 1, "
            "\"units_over_0_5\": 1, \"mean_accuracy\": 0.4444, \"median_accuracy\": 0.3333, \"mean_recall\": "
            "0.5000, "
            "\"mean_precision\": 0.5000}\n");
}

TEST_F(ScoreCommand, WritesATable) {
  const std::string table = "--csv '" + (data_ / "score.csv").string() + "' ";
  ASSERT_EQ(run(files() + table).exit_code, 0);
  EXPECT_EQ(read_text(data_ / "score.csv"),
            "unit,spikes,sorted_unit,sorted_spikes,hits,accuracy,recall,precision\n"
            "0,2,2,2,2,1.000000,1.000000,1.000000\n"
            "1,2,7,2,1,0.333333,0.500000,0.500000\n"
            "5,1,,0,0,0.000000,0.000000,0.000000\n");
  const std::string truth = read_text(data_ / "t.h5");
  expect_refused(files() + "--overwrite --csv '" + (data_ / "t.h5").string() + "'",
                 "would be replaced by the table");
  EXPECT_EQ(read_text(data_ / "t.h5"), truth);
  expect_refused(files() + table, "score.csv: exists; --overwrite replaces it, --csv takes another name");
  EXPECT_EQ(run(files() + table + "--overwrite").exit_code, 0);
  expect_refused(files() + "--csv '" + (data_ / "no/score.csv").string() + "'", "in a folder that is there");
  expect_refused(files() + "--overwrite --csv '" + data_.path().string() + "'", "--csv takes a file's name");
}

TEST_F(ScoreCommand, TakesTheSamplingRateFromWhereItIsKnown) {
  write("bare.h5", "truth", {{100, 1000}, {0, 0}}, 0.0);
  write("bare_s.h5", "spikes", {{119, 1000}, {0, 0}}, 0.0);
  write("fast.h5", "spikes", {{119, 1000}, {0, 0}}, 48000.0);
  expect_refused(files("bare.h5", "bare_s.h5"),
                 "has no attribute sampling_rate_hz, nor has the result; give --rate HZ");
  expect_refused(files("t.h5", "fast.h5"),
                 "fast.h5: sampling_rate_hz is 48000, that of " + (data_ / "t.h5").string() + " is 30000");
  expect_refused(files("bare.h5", "bare_s.h5") + "--rate 1e",
                 "--rate is '1e'; it must be a number from 100 to 10000000");
  const std::string found = "\"mean_recall\": 1.0000";
  EXPECT_NE(run(files("bare.h5", "fast.h5") + "--json").out.find(found), std::string::npos);
  EXPECT_NE(run(files("bare.h5", "bare_s.h5") + "--json --rate 48000").out.find(found), std::string::npos);
  EXPECT_EQ(run(files("bare.h5", "bare_s.h5") + "--json --rate 30000").out.find(found), std::string::npos);
}

TEST_F(ScoreCommand, RefusesFilesThatAreNotSortings) {
  expect_refused(files("none.h5"), "none.h5: there is no such file");
  expect_refused(files("t.h5", "t.h5"), "t.h5: spikes/sample");
  expect_refused(files("s.h5", "s.h5"), "s.h5: truth/sample");
  write_text(data_ / "text.h5", "no");
  expect_refused(files("t.h5", "text.h5"), "text.h5: is not an HDF5 file");
  write("uneven.h5", "spikes", {{1, 2, 3}, {0, 0}});
  expect_refused(files("t.h5", "uneven.h5"), "uneven.h5: spikes/unit: has 2 elements; spikes/sample has 3");
  write("empty.h5", "truth", {});
  expect_refused(files("empty.h5"), "empty.h5: truth/sample has no spikes; there is nothing to compare with");
  expect_refused("score '" + (data_ / "t.h5").string() + "'", "result is required");
}

TEST_F(ScoreCommand, OrderDoesNotMatterAndNothingFoundIsNoError) {
  const std::string expected = run(files()).out;
  write("s.h5", "spikes", {{9000, 3000, 2013, 1000, 112}, {8, 7, 7, 2, 2}});
  write("t.h5", "truth", {{4000, 100, 3000, 1000, 2000}, {5, 0, 1, 0, 1}});
  EXPECT_EQ(run(files()).out, expected);
  write("s.h5", "spikes", {});
  const Finished finished = run(files() + "--json");
  EXPECT_EQ(finished.exit_code, 0) << finished.error;
  EXPECT_NE(finished.out.find("\"mean_accuracy\": 0.0000"), std::string::npos);
}

TEST_F(ScoreCommand, ReadsWhatSimulateWrites) {
  write_text(deck(), "simulation: {channels: 4, units: 3, seconds: 2, rate_hz: 10}\noutput: {folder: out}\n");
  ASSERT_EQ(run("simulate DECK").exit_code, 0);
  const SpikeTrains truth = read_trains(folder() / "truth.h5", "truth/sample", "truth/unit").trains;
  write("s.h5", "spikes", truth);
  const Finished finished = run(files("out/truth.h5") + "--json");
  EXPECT_EQ(finished.exit_code, 0) << finished.error;
  EXPECT_NE(finished.out.find("\"true_units\": 3, \"sorted_units\": 3"), std::string::npos) << finished.out;
  EXPECT_NE(finished.out.find("\"mean_accuracy\": 1.0000"), std::string::npos) << finished.out;
}

}  // namespace
}  // namespace kokkosort::test
