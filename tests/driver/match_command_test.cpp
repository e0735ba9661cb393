// Runs `kokkosort match` itself.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "driver/program_test.hpp"
#include "io/hdf5.hpp"
#include "io/small_features.hpp"
#include "io/small_templates.hpp"
#include "system/hdf5_contents.hpp"
#include "system/shared_data.hpp"

namespace kokkosort::test {
namespace {

namespace fs = std::filesystem;

template <class T>
void write_flat(const fs::path& path, const std::vector<T>& values) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(T)));
}

class MatchCommand : public ProgramTest {
 protected:
  static constexpr std::size_t n_samples = 2000;
  static constexpr std::size_t period = 50;

  void SetUp() override {
    SmallTemplates().write(data_ / "t.h5");
    write_flat(data_ / "r.bin", traces_);
    write_deck("recording: r.bin, scale_to_sigma: 0.01");
  }

  void write_deck(const std::string& input) const {
    write_text(deck(), "input: {templates: t.h5, " + input + "}\noutput: {folder: out}\n");
  }

  /// The recording as an HDF5 dataset. @param scale_to_sigma  0: no such attribute
  void write_hdf5(const std::string& name, std::size_t n_channels, double scale_to_sigma) const {
    hdf5::OutputFile file(data_ / name);
    const std::vector<std::int32_t> values(traces_.begin(), traces_.end());
    file.write("traces", {values.size() / n_channels, n_channels}, values.data());
    if (scale_to_sigma != 0.0) file.attribute("traces", "scale_to_sigma", scale_to_sigma);
    file.close();
  }

  /// An HDF5 file whose object of a name is another file's of the same name.
  void write_link(const std::string& name, const std::string& object, const fs::path& to) const {
    hdf5::OutputFile(data_ / name).close();
    add_link(name, object, to);
  }

  void add_link(const std::string& name, const std::string& object, const fs::path& to) const {
    const hdf5::Id file(H5Fopen((data_ / name).c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    ASSERT_GE(
        H5Lcreate_external(to.c_str(), object.c_str(), file.get(), object.c_str(), H5P_DEFAULT, H5P_DEFAULT),
        0);
  }

  template <class T>
  std::vector<T> read_result(const std::string& name) const {
    hdf5::InputFile file(result(), 1 << 20);
    const hdf5::Dataset dataset = file.open<T>(name, 1);
    std::vector<T> values(dataset.size());
    file.read(dataset, values.data());
    return values;
  }

  /// Runs and expects the planted spikes, each once.
  void expect_planted(const std::string& options = "") const {
    SCOPED_TRACE(options);
    const Finished finished = run("match DECK --quiet --overwrite " + options);
    ASSERT_EQ(finished.exit_code, 0) << finished.error;
    EXPECT_EQ(finished.out + finished.error, "");
    const auto sample = read_result<std::int64_t>("spikes/sample");
    const auto unit = read_result<std::int32_t>("spikes/template");
    const auto amplitude = read_result<float>("spikes/amplitude");
    ASSERT_EQ(sample.size(), n_samples / period - 1);
    for (std::size_t i = 0; i < sample.size(); ++i) {
      EXPECT_EQ(sample[i], static_cast<std::int64_t>((i + 1) * period));
      EXPECT_EQ(unit[i], static_cast<std::int32_t>(i % 2));
      EXPECT_NEAR(amplitude[i], 1.0f, 0.01f);
    }
  }

  fs::path result() const { return folder() / "matched.h5"; }

  const std::vector<std::int16_t> traces_ = SmallTemplates().planted(n_samples, period);
};

TEST_F(MatchCommand, FindsSpikesAndTellsWhereTheResultIs) {
  const Finished finished = run("match DECK --report");
  ASSERT_EQ(finished.exit_code, 0) << finished.error;
  EXPECT_EQ(finished.error, "");
  for (const std::string part :
       {"recording    2000 samples of 4 channels, 0.1 s", "templates    2", "windows      1, of at most ",
        "spikes       39", "read", "write", "total", "times real time", "matched.h5", "share", "copies"})
    EXPECT_NE(finished.out.find(part), std::string::npos) << part << "\n" << finished.out;
  expect_planted();
}

TEST_F(MatchCommand, WindowsAndThreadsFindTheSame) {
  expect_planted("matching.window_samples=100 --threads 1");
  expect_planted("matching.window_samples=97 --threads 2");
  expect_planted("matching.feature_channels=1");
}

TEST_F(MatchCommand, EveryTypeOfFlatFileGivesTheSame) {
  write_flat(data_ / "r.bin", std::vector<std::int32_t>(traces_.begin(), traces_.end()));
  expect_planted("input.dtype=int32");
  std::vector<float> floats;
  for (const std::int16_t value : traces_) floats.push_back(0.01f * value);
  write_flat(data_ / "r.bin", floats);
  expect_planted("input.dtype=float32 input.scale_to_sigma=1");
}

TEST_F(MatchCommand, SeveralFilesAreOneRecording) {
  const auto cut = traces_.begin() + 4 * 51;  // through the first spike
  write_flat<std::int16_t>(data_ / "a.bin", {traces_.begin(), cut});
  write_flat<std::int16_t>(data_ / "b.bin", {cut, traces_.end()});
  write_deck("recording: [a.bin, b.bin], scale_to_sigma: 0.01");
  expect_planted();
}

TEST_F(MatchCommand, AnHdf5DatasetGivesTheSame) {
  write_hdf5("r.h5", 4, 0.01);
  write_deck("recording: r.h5, dataset: traces");
  expect_planted();
  write_hdf5("no_scale.h5", 4, 0.0);
  write_deck("recording: no_scale.h5, dataset: /traces, scale_to_sigma: 0.01");
  expect_planted();
}

TEST_F(MatchCommand, TheResultTellsWhatTheFilesTold) {
  write_hdf5("r.h5", 4, 0.01);
  write_deck("recording: r.h5, dataset: traces");
  const Finished checked = run("check DECK");
  ASSERT_EQ(checked.exit_code, 0) << checked.error;
  EXPECT_FALSE(fs::exists(folder()));
  EXPECT_NE(checked.out.find("would match 2 templates to 2000 samples of 4 channels into "),
            std::string::npos)
      << checked.out;
  for (const std::string part :
       {"scale_to_sigma: 0.01\n", "sampling_rate_hz: 30000\n", "dmin_um: 20\n", "dminx_um: 32\n"})
    EXPECT_NE(checked.out.find(part), std::string::npos) << part << checked.out;

  ASSERT_EQ(run("match DECK --quiet input.dmin_um=7").exit_code, 0);
  EXPECT_NE(read_text(result()).find("scale_to_sigma: 0.01\n"), std::string::npos);
  const hdf5::InputFile file(result(), 1 << 20);
  EXPECT_EQ(file.attribute<double>("matched", "dmin_um"), 7.0);
  EXPECT_EQ(file.attribute<double>("matched", "dminx_um"), 32.0);
}

TEST_F(MatchCommand, SpacingsMayComeFromTheProbe) {
  SmallTemplates small;
  small.left_out = {"dmin_um", "dminx_um"};
  small.dataset = "others";
  small.y_um = {0, 15, 30, 75};
  small.write(data_ / "no_spacing.h5");
  const Finished finished = run("check DECK input.templates_dataset=others input.templates='" +
                                (data_ / "no_spacing.h5").string() + "'");
  ASSERT_EQ(finished.exit_code, 0) << finished.error;
  EXPECT_NE(finished.out.find("dmin_um: 15\n"), std::string::npos) << finished.out;
  EXPECT_NE(finished.out.find("dminx_um: 32\n"), std::string::npos) << finished.out;
}

TEST_F(MatchCommand, ClusteringTakesTheSpikes) {
  expect_planted();
  write_text(data_ / "cluster.yaml", "input: {features: out/matched.h5, group: matched}\n");
  const std::string cluster = "cluster '" + (data_ / "cluster.yaml").string() + "'";
  const Finished finished = run(cluster);
  ASSERT_EQ(finished.exit_code, 0) << finished.error;
  EXPECT_NE(finished.out.find("spikes       39 (matched)"), std::string::npos) << finished.out;
  const std::string again = "input.templates='" + (data_ / "results/cluster/clusters.h5").string() + "'";
  const Finished second = run("match DECK --overwrite " + again);  // and matching takes its templates
  EXPECT_EQ(second.exit_code, 0) << second.error;
  EXPECT_EQ(read_result<std::int64_t>("spikes/sample").size(), 39u);
}

TEST_F(MatchCommand, NoSpikesAreAResultAndAWarning) {
  const Finished finished = run("match DECK --quiet input.scale_to_sigma=0.0001");
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_EQ(finished.error,
            "kokkosort: warning: no spike was found; is input.scale_to_sigma = 0.0001 right? "
            "matching.threshold = 8 "
            "may be too high\n");
  EXPECT_EQ(read_result<std::int64_t>("spikes/sample").size(), 0u);
  write_text(data_ / "cluster.yaml", "input: {features: out/matched.h5, group: matched}\n");
  EXPECT_EQ(run("cluster '" + (data_ / "cluster.yaml").string() + "'").exit_code, 2);
}

TEST_F(MatchCommand, RoundsThatAreTooFewAreAWarning) {
  write_flat(data_ / "r.bin", SmallTemplates().planted(n_samples, 3));
  const Finished finished = run("match DECK --quiet matching.max_peels=1");
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_EQ(finished.error,
            "kokkosort: warning: 1 of 1 windows had spikes left after 1 rounds; raise matching.max_peels\n");
}

TEST_F(MatchCommand, RecordingsOfAnyLength) {
  for (const std::size_t n : {1u, 4u, 5u, 6u, 53u}) {
    write_flat<std::int16_t>(data_ / "r.bin",
                             {traces_.begin(), traces_.begin() + static_cast<std::ptrdiff_t>(4 * n)});
    const Finished finished = run("match DECK --quiet --overwrite");
    EXPECT_EQ(finished.exit_code, 0) << n << finished.error;
    EXPECT_EQ(read_result<std::int64_t>("spikes/sample").size(), n < 53 ? 0u : 1u) << n;
  }
}

TEST_F(MatchCommand, OldResultsAreKept) {
  ASSERT_EQ(run("match DECK --quiet").exit_code, 0);
  for (const std::string command : {"match", "check"}) {
    const Finished finished = run(command + " DECK");
    EXPECT_EQ(finished.exit_code, 2);
    EXPECT_NE(finished.error.find("--overwrite"), std::string::npos) << finished.error;
  }
}

TEST_F(MatchCommand, InputsAreNotReplaced) {
  fs::create_directory(folder());
  for (const std::string input : {"t.h5", "r.bin"}) {
    fs::remove(result());
    fs::create_hard_link(data_ / input, result());
    for (const std::string command : {"match", "check"}) {
      const Finished finished = run(command + " DECK --overwrite");
      EXPECT_EQ(finished.exit_code, 2);
      EXPECT_NE(finished.error.find(input + ": is the input and would be replaced"), std::string::npos)
          << finished.error;
    }
  }
}

TEST_F(MatchCommand, WhatLinksInInputsLeadToIsNotReplaced) {
  fs::create_directory(folder());
  const auto expect_kept = [this](const std::string& options) {
    for (const std::string command : {"match", "check"}) {
      const Finished finished = run(command + " DECK --overwrite " + options);
      EXPECT_EQ(finished.exit_code, 2) << options;
      EXPECT_NE(finished.error.find("out/matched.h5: is the input and would be replaced"), std::string::npos)
          << options << finished.error;
    }
  };
  write_hdf5("out/matched.h5", 4, 0.01);
  write_link("link.h5", "traces", "out/matched.h5");
  const std::string traces = "input.dataset=traces input.recording='" + (data_ / "link.h5").string() + "'";
  expect_kept(traces);
  fs::remove(result());
  SmallTemplates().write(result());
  for (const std::string object : {"learned_templates", "probe", "pcs"}) {
    SmallTemplates without;
    without.left_out = {object};
    if (object == "probe") without.left_out = {"probe/x_um", "probe/y_um", "probe/shank"};
    if (object == "pcs") without.left_out = {"pcs/wPCA", "pcs/wTEMP"};
    fs::remove(data_ / "t.h5");
    without.write(data_ / "t.h5");
    if (object != "learned_templates") {
      const hdf5::Id file(H5Fopen((data_ / "t.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
      ASSERT_GE(H5Ldelete(file.get(), object.c_str(), H5P_DEFAULT), 0);
    }
    add_link("t.h5", object, result());
    expect_kept("");
  }
  fs::remove(data_ / "t.h5");
  SmallTemplates().write(data_ / "t.h5");  // a link that is not used does not matter
  add_link("t.h5", "other", result());
  EXPECT_EQ(run("match DECK --overwrite").exit_code, 0);
  write_hdf5("r.h5", 4, 0.01);
  write_link("elsewhere.h5", "traces", "r.h5");
  write_deck("recording: elsewhere.h5, dataset: traces");
  expect_planted();
}

TEST_F(MatchCommand, ClusteringDoesNotReplaceWhatLinksLeadTo) {
  fs::create_directory(folder());
  SmallFeatures().write(folder() / "clusters.h5");
  write_link("f.h5", "detected", "out/clusters.h5");
  for (const std::string object : {"probe", "pcs"}) add_link("f.h5", object, "out/clusters.h5");
  {
    const hdf5::Id file(H5Fopen((data_ / "f.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    const hdf5::Id scalar(H5Screate(H5S_SCALAR));
    const hdf5::Id rate(
        H5Acreate2(file.get(), "sampling_rate_hz", H5T_IEEE_F64LE, scalar.get(), H5P_DEFAULT, H5P_DEFAULT));
    const double hz = 30000.0;
    H5Awrite(rate.get(), H5T_NATIVE_DOUBLE, &hz);
  }
  write_text(deck(), "input: {features: f.h5}\noutput: {folder: out}\n");
  for (const std::string command : {"cluster", "check"}) {
    const Finished finished = run(command + " DECK --overwrite");
    EXPECT_EQ(finished.exit_code, 2);
    EXPECT_NE(finished.error.find("out/clusters.h5: is the input and would be replaced"), std::string::npos)
        << finished.error;
  }
}

TEST_F(MatchCommand, AttributesThatAreNotUsedMayBeWrong) {
  write_hdf5("r.h5", 4, -1.0);
  write_deck("recording: r.h5, dataset: traces");
  expect_refused("match DECK", "r.h5: traces, attribute scale_to_sigma: is -1");
  expect_planted("input.scale_to_sigma=0.01");
  SmallTemplates wrong;
  wrong.sampling_rate_hz = wrong.dmin_um = wrong.dminx_um = -1.0;
  wrong.write(data_ / "wrong.h5");
  const std::string templates =
      "input.scale_to_sigma=0.01 input.templates='" + (data_ / "wrong.h5").string() + "'";
  expect_planted(templates + " input.sampling_rate_hz=30000 input.dmin_um=20 input.dminx_um=32");
}

TEST_F(MatchCommand, FilesThatAreNoRecordingsAreNamed) {
  ASSERT_EQ(mkfifo((data_ / "pipe").c_str(), 0600), 0);
  write_hdf5("r.h5", 4, 0.01);
  write_text(data_ / "a.npy", "\x93NUMPY and more");
  const auto refused = [this](const std::string& recording, const std::string& part) {
    write_deck("recording: " + recording + ", scale_to_sigma: 0.01");
    for (const std::string command : {"match DECK", "check DECK"})
      expect_refused(command, part, "timeout 60");
  };
  refused("pipe", "pipe: is not a file");
  refused("pipe, dataset: traces", "pipe: is not a file");
  refused("[r.bin, pipe]", "pipe: is not a file");
  refused("[r.bin, r.h5]", "r.h5: is an HDF5 file, one of 2 that input.recording names; name it alone");
  refused("[r.h5, r.bin]", "r.h5: is an HDF5 file, one of 2");
  refused("[r.bin, r.h5], dataset: traces", "r.h5: is an HDF5 file, one of 2");
  refused("a.npy", "a.npy: is a NumPy file; write it with tofile()");
  refused("[r.bin, a.npy]", "a.npy: is a NumPy file");
}

TEST_F(MatchCommand, PathsThatBeginWithABracket) {
  write_flat(data_ / "[x].bin", traces_);
  for (const std::string path : {"'[x].bin'", "./[x].bin", "['[x].bin']"}) {
    write_text(deck(), "input:\n  templates: t.h5\n  scale_to_sigma: 0.01\n  recording: " + path +
                           "\noutput: {folder: out}\n");
    expect_planted();
  }
}

TEST_F(MatchCommand, AFullDiskLeavesNothingBehind) {
  const Finished finished = run("match DECK", "ulimit -f 4;");
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_EQ(finished.error.find('\n'), finished.error.size() - 1) << finished.error;
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(MatchCommand, ASummaryThatCannotBePrintedIsAWarning) {
  const Finished finished = run("match DECK > /dev/full; }", "{");
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_NE(finished.error.find("warning: " + result().string() + " is written; "), std::string::npos)
      << finished.error;
}

TEST_F(MatchCommand, CheckRefusesWhatMatchRefuses) {
  write_hdf5("r.h5", 4, 0.0);
  write_hdf5("wide.h5", 8, 0.01);
  SmallTemplates silent;
  silent.templates[0] = 0.0f;
  silent.write(data_ / "silent.h5");
  SmallTemplates no_rate;
  no_rate.left_out = {"sampling_rate_hz"};
  no_rate.write(data_ / "no_rate.h5");
  write_text(data_ / "odd.bin", "12345");
  const auto at = [this](const std::string& key, const std::string& name) {
    return " input." + key + "='" + (data_ / name).string() + "'";
  };
  for (const std::string command : {"match DECK", "check DECK"}) {
    expect_refused(command + at("recording", "none.bin"), "none.bin: there is no such file");
    expect_refused(command + at("recording", "odd.bin"), "odd.bin: has 5 bytes, 5 more than a whole number");
    expect_refused(command + " input.dtype=int8", "input.dtype is 'int8'; it must be one of int16, ");
    expect_refused(command + " input.dataset=traces", "r.bin: is not an HDF5 file");
    expect_refused(command + " input.scale_to_sigma=0", "r.bin: is a flat file; set input.scale_to_sigma");
    expect_refused(command + at("recording", "r.h5"),
                   "is an HDF5 file; datasets on 2 axes: traces; set input.dataset");
    expect_refused(command + " input.dataset=trace" + at("recording", "r.h5"),
                   "there is no dataset 'trace'; ");
    expect_refused(command + " input.dataset=traces input.scale_to_sigma=0" + at("recording", "r.h5"),
                   "r.h5: traces has no attribute scale_to_sigma; set input.scale_to_sigma: a stored sample "
                   "times it is in "
                   "standard deviations of the noise; are the traces whitened?");
    expect_refused(command + " input.dataset=traces" + at("recording", "wide.h5"),
                   "wide.h5: traces has 8 channels; the probe of " + (data_ / "t.h5").string() + " has 4");
    expect_refused(command + " input.dataset=traces input.recording=[a.h5,b.h5]",
                   "input.recording names 2 files");
    expect_refused(command + at("templates", "none.h5"), "none.h5: there is no such file");
    expect_refused(command + at("templates", "r.bin"), "r.bin: is not an HDF5 file");
    expect_refused(command + at("templates", "silent.h5"), "template 0 is zero on all channels");
    expect_refused(command + at("templates", "no_rate.h5"),
                   "has no attribute sampling_rate_hz; set input.sampling_rate_hz");
    expect_refused(command + " input.templates_dataset=templates", "datasets on 3 axes: learned_templates");
    expect_refused(command + " input.sampling_rate_hz=1",
                   "input.sampling_rate_hz is 1; it must be 0, or from 100 to ");
    expect_refused(command + " input.dmin_um=1e-4",
                   "input.dmin_um is 0.0001; it must be 0, or from 0.001 to ");
    expect_refused(command + " input.dmin_um=-1", "input.dmin_um is '-1'; it must be a number from 0 to ");
    expect_refused(command + " matching.window_samples=39", "it must be at least 40");
    expect_refused(command + " matching.max_peels=0", "matching.max_peels is '0'");
    expect_refused(command + " matching.treshold=8", "nearest known key is matching.threshold");
    expect_refused(command + " memory.device_limit_mb=1", "memory.device_limit_mb = 1 is too small");
    expect_refused(command + " output.folder=/proc/kokkosort", "results cannot be written there");
  }
}

TEST_F(MatchCommand, SamplesThatAreNotFiniteAreNamed) {
  std::vector<float> floats(traces_.begin(), traces_.end());
  floats[4 * 1234 + 2] = std::numeric_limits<float>::quiet_NaN();
  write_flat(data_ / "r.bin", floats);
  expect_refused("match DECK input.dtype=float32",
                 "r.bin: sample 1234, channel 2 is nan; samples must be finite");
  expect_refused("match DECK input.dtype=float32 matching.window_samples=100",
                 "sample 1234, channel 2 is nan");
}

TEST_F(MatchCommand, ChecksTheDeckOfTheCommandThatItIsFor) {
  expect_refused("match DECK input.group=matched", "unknown key 'input.group'");
  expect_refused("match DECK seed=2",
                 "unknown key 'seed', which decks of cluster, simulate, sort, sweep have; the nearest known");
  expect_refused("cluster DECK", ":1: unknown key 'input.templates'; this looks like a deck of match\n");
  write_text(deck(), "matching: {threshold: 9}\n");
  expect_refused("check DECK", "input.recording is missing; it must be a path, or a list of paths");
  SmallFeatures().write(data_ / "f.h5");
  write_text(deck(), "input: {features: f.h5}\n");
  EXPECT_EQ(run("check DECK").exit_code, 0);
}

TEST_F(MatchCommand, TheResultDoesNotDependOnThreadsOrMemory) {
  const fs::path recording = shared_data("np16_60s.h5");
  if (!fs::exists(recording)) GTEST_SKIP() << missing(recording);
  write_text(deck(), "input: {recording: '" + recording.string() +
                         "', dataset: whitened/traces, templates: '" + recording.string() +
                         "', templates_dataset: reference/kilosort4/learned_templates}\n" +
                         "output: {folder: out}\n");
  const auto result_of = [&](const std::string& options) {
    const Finished finished = run("match DECK --quiet --overwrite " + options);
    EXPECT_EQ(finished.exit_code, 0) << finished.error;
    Contents contents = read_contents(result());
    std::erase_if(contents, [](const auto& entry) { return entry.first.starts_with("/run"); });
    return contents;
  };
  const Contents expected = result_of("--threads 1");
  EXPECT_GE(expected.size(), 15u);
  for (const std::string options :
       {"--threads 1", "--threads 2", "--threads 3", "memory.device_limit_mb=200"})
    EXPECT_TRUE(result_of(options) == expected) << options;
}

TEST_F(MatchCommand, HelpListsTheKeys) {
  const Finished finished = run("match --help");
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_NE(finished.out.find("matching.threshold (a number from 0.1 to 1000) = 8"), std::string::npos);
  EXPECT_NE(finished.out.find("input.recording (a path, or a list of paths), required"), std::string::npos);
  EXPECT_NE(run("check --help").out.find("match --help"), std::string::npos);
}

}  // namespace
}  // namespace kokkosort::test
