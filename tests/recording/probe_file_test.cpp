#include "kokkosort/recording/probe_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "recording/probe_inputs.hpp"
#include "recording/probe_samples.hpp"

namespace kokkosort::test {
namespace {

TEST(KilosortProbe, IsRead) {
  expect_probe(read_probe_text(kilosort_json), {3, 1, 0}, {0, 16.5, 0}, {0, 20, 40}, {0, 0, 1});
  const std::string bare = R"({"xc": [5], "yc": [6], "chanMap": [2147483647]})";
  for (const std::string start : {"", "\n \t\r", "\xef\xbb\xbf"})
    expect_probe(read_probe_text(start + bare), {2147483647}, {5}, {6}, {0});
}

TEST(KilosortProbe, IsWrittenAndReadBack) {
  const ProbeFile probe = read_probe_text(kilosort_json);
  const std::string text = to_kilosort_json(probe, 385);
  EXPECT_EQ(
      text,
      "{\n\"chanMap\": [3, 1, 0],\n\"xc\": [0, 16.5, 0],\n\"yc\": [0, 20, 40],\n\"kcoords\": [0, 0, 1],\n"
      "\"n_chan\": 385\n}\n");
  ProbeFile thirds = probe;
  thirds.probe.x_um[1] = 100.0 / 3.0;
  expect_probe(read_probe_text(to_kilosort_json(thirds, 4)), probe.column, thirds.probe.x_um,
               probe.probe.y_um, probe.probe.shank);
}

TEST(KilosortProbe, MistakesAreNamed) {
  const auto error = [](const std::string& what, const std::string& instead) {
    return probe_error(with(kilosort_json, what, instead));
  };
  EXPECT_TRUE(
      begins(error("\"xc\"", "\"x\""), "xc: is missing; Kilosort's JSON has chanMap, xc, yc, kcoords"));
  EXPECT_TRUE(begins(error("[0.0, 16.5, 0]", "7"), "xc: is no list"));
  EXPECT_TRUE(begins(error("16.5", "null"), "xc[1]: is null; it must be a number"));
  EXPECT_TRUE(begins(error("16.5", "\"16\""), "xc[1]: is no number; it must be a number"));
  EXPECT_TRUE(begins(error("16.5, ", ""), "xc: has 2 elements, but chanMap has 3; they must agree"));
  EXPECT_TRUE(begins(error("[0, 20, 40.0]", "[0]"), "yc: has 1 element, but chanMap has 3; they must agree"));
  EXPECT_TRUE(begins(error("[0.0, 0, 1]", "[0, 0, 1, 1]"), "kcoords: has 4 elements, but chanMap has 3"));
  EXPECT_TRUE(
      begins(error("[3, 1", "[3, -1"), "chanMap: holds -1; it must be a column of the recording, from 0"));
  EXPECT_TRUE(begins(error("[3, 1", "[3, 1.5"), "chanMap: holds 1.5; it must be a column"));
  EXPECT_TRUE(begins(error("[3, 1", "[3, 2147483648"), "chanMap: holds 2147483648; it must be a column"));
  EXPECT_TRUE(
      begins(error("[3, 1", "[3, 3"), "chanMap: holds column 3 twice; each channel has one of its own"));
  EXPECT_TRUE(begins(error("[0.0, 0, 1]", "[0.5, 0, 1]"), "kcoords: holds 0.5; it must be a whole number"));
  EXPECT_TRUE(
      begins(error("[0.0, 0, 1]", "[1e10, 0, 1]"), "kcoords: holds 10000000000; it must be a whole number"));
  EXPECT_TRUE(begins(error("16.5", "1e8"),
                     "xc: the channel of column 1 is at 100000000; it must be a position in micrometres"));
  EXPECT_TRUE(
      begins(error("40.0", "2e6"), "yc: spans 2000000 um, over a metre; positions must be micrometres"));
  const std::string in_millimetres = R"({"chanMap": [0, 1, 2], "xc": [0, 0, 0], "yc": [0, 0.02, 0.04]})";
  EXPECT_TRUE(begins(probe_error(in_millimetres),
                     "yc: spans 0.04 um with xc, less than one; positions must be micrometres"));
  EXPECT_TRUE(begins(error("40.0", "NaN"),
                     "line 1, column 60: is not a finite number; give every channel a position"));
  EXPECT_TRUE(begins(error("40.0", "-Infinity"), "line 1, column 61: is not a finite number"));
  EXPECT_TRUE(
      begins(error("4}", "2}"), "n_chan: is 2, but chanMap has 3 channels; it must be as many or more"));
  EXPECT_TRUE(begins(error("4}", "[]}"), "n_chan: is no number"));
  EXPECT_TRUE(begins(probe_error(R"({"chanMap": [], "xc": [], "yc": []})"), "chanMap: has no channels"));
  EXPECT_EQ(error("4}", "3}"), "");
}

TEST(KilosortProbe, ChannelsInOnePlaceAreNamed) {
  const auto error = [](const std::string& x, const std::string& shank) {
    return probe_error(fmt::format(
        R"({{"chanMap": [8, 6, 4, 2], "xc": [{}], "yc": [0, 5, 5, 0], "kcoords": [{}]}})", x, shank));
  };
  EXPECT_TRUE(
      begins(error("1, 2, 2, 3", "0, 0, 0, 0"),
             "xc, yc: the channels of columns 6 and 4 are both at (2, 5) of shank 0; give each its own"));
  EXPECT_EQ(error("1, 2, 2, 3", "0, 0, 1, 0"), "");  // on two shanks
  EXPECT_TRUE(begins(error("1, 2, 2, 3", "0, 1, 1, 0"),
                     "xc, yc: all 2 channels of shank 1 are at (2, 5); give each its own position"));
  EXPECT_EQ(probe_error(R"({"chanMap": [8, 6], "xc": [0, 0], "yc": [0, 0], "kcoords": [0, 1]})"),
            "");  // two wires
}

TEST(ProbeInterface, IsRead) {
  // Contact b is not connected; the second probe is in mm, and shank 2.
  expect_probe(read_probe_text(probeinterface_json), {2, 0, 5, 7, 6}, {0, 10, 250, 0, 0}, {0, 50, 0, 0, 100},
               {0, 0, 1, 2, 2});
}

TEST(ProbeInterface, ShankIdsAreNumbersOrNames) {
  const auto shanks = [](const std::string& ids) {
    return read_probe_text(with(probeinterface_json, R"(["0", "0", "0", "1"])", ids)).probe.shank;
  };
  EXPECT_EQ(shanks(R"(["4", "4", "1", "3"])"), (std::vector<std::int32_t>{4, 1, 3, 5, 5}));
  EXPECT_EQ(shanks(R"([4, 4, 1, 3])"), (std::vector<std::int32_t>{4, 1, 3, 5, 5}));
  EXPECT_EQ(shanks(R"(["b", "c", "a", "b"])"), (std::vector<std::int32_t>{0, 2, 0, 3, 3}));
  EXPECT_EQ(shanks(R"(["1", "1", "-1", "1"])"), (std::vector<std::int32_t>{0, 1, 0, 2, 2}));
  EXPECT_EQ(shanks("null"), (std::vector<std::int32_t>{0, 0, 0, 1, 1}));
  EXPECT_EQ(read_probe_text(with(probeinterface_json, "\"shank_ids\"", "\"old_ids\"")).probe.shank,
            (std::vector<std::int32_t>{0, 0, 0, 1, 1}));
}

TEST(ProbeInterface, MistakesAreNamed) {
  const auto error = [](const std::string& what, const std::string& instead) {
    return probe_error(with(probeinterface_json, what, instead));
  };
  EXPECT_TRUE(
      begins(error("\"device_channel_indices\"", "\"wiring\""),
             "probes[0].device_channel_indices: is missing; give each contact's column of the recording"));
  EXPECT_TRUE(begins(error("[2, -1, 0, 5]", "null"), "probes[0].device_channel_indices: is missing"));
  EXPECT_TRUE(
      begins(error("[2, -1, 0, 5]", "[2, 0, 5]"),
             "probes[0].device_channel_indices: has 3 elements, but contact_positions has 4; they must"));
  EXPECT_TRUE(begins(error("[7, 6]", "[7, 5]"), "device_channel_indices: holds column 5 twice"));
  EXPECT_TRUE(begins(error("[7, 6]", "[7, -2]"), "device_channel_indices: holds -2; it must be a column"));
  EXPECT_TRUE(begins(error("[7, 6]", "[7, true]"), "probes[1].device_channel_indices[1]: is no number"));
  EXPECT_TRUE(begins(error("\"contact_positions\"", "\"positions\""),
                     "probes[0].contact_positions: is missing; give each contact's x and y"));
  EXPECT_TRUE(begins(error("[10.0, 50.0]", "[10.0, 50.0, 0.0]"),
                     "probes[0].contact_positions[2]: has 3 coordinates; it must be x and y (Probe.to_2d"));
  EXPECT_TRUE(
      begins(error("[10.0, 50.0]", "[10.0]"), "probes[0].contact_positions[2]: has 1 coordinate; it"));
  EXPECT_TRUE(begins(error("[10.0, 50.0]", "10"), "probes[0].contact_positions[2]: is no list"));
  EXPECT_TRUE(
      begins(error("[10.0, 50.0]", "[10.0, \"\"]"), "probes[0].contact_positions[2][1]: is no number"));
  EXPECT_TRUE(
      begins(error("[10.0, 50.0]", "[0.0, 0.0]"),
             "contact_positions: all 2 channels of shank 0 are at (0, 0); give each its own position"));
  EXPECT_TRUE(
      begins(error("[0.0, 0.1]", "[0.0, 1e5]"), "contact_positions: the channel of column 6 is at 1"));
  EXPECT_TRUE(begins(error("\"mm\"", "\"ft\\n\""), "probes[1].si_units: is 'ft?'; it must be um, mm or m"));
  EXPECT_TRUE(begins(error("\"mm\"", "1"), "probes[1].si_units: is no unit; it must be um, mm or m"));
  EXPECT_TRUE(begins(error("\"mm\"", "\"m\""), ""));
  EXPECT_TRUE(
      begins(error(R"(["", ""])", R"([""])"), "probes[1].shank_ids: has 1 element, but contact_positions"));
  EXPECT_TRUE(begins(error(R"(["", ""])", R"(["", []])"), "probes[1].shank_ids[1]: is no name of a shank"));
  EXPECT_TRUE(begins(error(R"(["", ""])", "0"), "probes[1].shank_ids: is no list"));
  EXPECT_TRUE(begins(probe_error(R"({"probes": []})"), "probes: no contact is wired to a channel"));
  EXPECT_TRUE(begins(probe_error(R"({"probes": [3]})"), "probes[0]: is no probe (an object)"));
  EXPECT_TRUE(begins(probe_error(R"({"probes": {}})"), "probes: is no list"));
  EXPECT_TRUE(
      begins(probe_error(R"({"probes": [{"contact_positions": [[0, 0]], "device_channel_indices": [-1]}]})"),
             "probes: no contact is wired to a channel; set device_channel_indices"));
}

TEST(ProbeFile, WhatIsNoProbeIsRefused) {
  EXPECT_TRUE(begins(probe_error(""), "is empty"));
  EXPECT_TRUE(
      begins(probe_error(" \n"), "is no probe; it must be JSON of ProbeInterface or Kilosort, or a .prb"));
  EXPECT_TRUE(begins(probe_error("[1, 2]"), "is no probe; it must be JSON"));
  EXPECT_TRUE(
      begins(probe_error("{}"), "is no probe; ProbeInterface's JSON has 'probes', Kilosort's has chanMap"));
  EXPECT_TRUE(
      begins(probe_error("{\"xc\": [1,\n 2"), "line 2, column 2: this is no JSON; is the file complete?"));
  EXPECT_TRUE(begins(probe_error("{\"xc\": [1e999]}"), "is no JSON: a number is too large"));
  EXPECT_TRUE(
      begins(probe_error("MATLAB 5.0 MAT-file"), "is a MATLAB or HDF5 file, not a probe; save it as"));
  EXPECT_TRUE(begins(probe_error("\x89HDF\r\n"), "is a MATLAB or HDF5 file"));
  EXPECT_TRUE(
      begins(probe_error("{\"xc\": " + std::string(1000000, '[')), "is nested too deeply for a probe"));
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "{\"a\":";
  EXPECT_TRUE(begins(probe_error(deep), "is nested too deeply for a probe"));
  std::string wide = "{\"xc\": [0";
  for (int i = 0; i < 4000000; ++i) wide += ",0";
  EXPECT_TRUE(begins(probe_error(wide + "]}"), "holds too many values for a probe"));
}

TEST(ProbeFile, OnlyFilesOfReasonableSizeAreRead) {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& name) {
    return message_of<InputError>([&] { read_probe(folder / name); });
  };
  EXPECT_NE(error("none").find("none: there is no such file"), std::string::npos);
  EXPECT_NE(error("").find("is not a file"), std::string::npos);  // the folder
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_NE(error("pipe").find("pipe: is not a file"), std::string::npos);
  std::filesystem::create_symlink("loop", folder / "loop");
  EXPECT_NE(error("loop").find("loop: cannot be looked at: Too many levels"), std::string::npos)
      << error("loop");
  write_text(folder / "large", "{");
  std::filesystem::resize_file(folder / "large", (64 << 20) + 1);
  EXPECT_NE(error("large").find("large: is larger than 64 MB; is it the right file?"), std::string::npos);
}

TEST(LinearProbe, IsOneColumn) {
  expect_probe(linear_probe(3, 20.0), {0, 1, 2}, {0, 0, 0}, {0, 20, 40}, {0, 0, 0});
}

TEST(WithoutColumns, LeavesTheOthersInOrder) {
  const ProbeFile probe = read_probe_text(kilosort_json);
  expect_probe(without_columns(probe, {{}, "k"}), {3, 1, 0}, {0, 16.5, 0}, {0, 20, 40}, {0, 0, 1});
  expect_probe(without_columns(probe, {{1, 1}, "k"}), {3, 0}, {0, 0}, {0, 40}, {0, 1});
  const auto error = [&](const std::vector<std::int64_t>& excluded) {
    return message_of<InputError>([&] { without_columns(probe, {excluded, "input.exclude"}); });
  };
  EXPECT_EQ(error({3, 2}), "input.exclude: 2 is the column of no channel; the probe has columns 0 to 3");
  EXPECT_TRUE(
      begins(error({(std::int64_t{1} << 32) + 1}), "input.exclude: 4294967297 is the column of no channel"));
  EXPECT_TRUE(begins(error({-1}), "input.exclude: -1 is the column of no channel"));
  EXPECT_EQ(error({0, 1, 3}), "input.exclude: names all 3 channels; leave one at least");
}

}  // namespace
}  // namespace kokkosort::test
