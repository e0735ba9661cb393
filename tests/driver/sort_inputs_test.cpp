// `kokkosort sort` on the same recording in other files: the same sorting. And what it refuses.

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/sort_test.hpp"
#include "kokkosort/recording/probe_file.hpp"

namespace kokkosort::test {
namespace {

namespace fs = std::filesystem;

/// The first 4 s.
class SortInputs : public SortTest {
 protected:
  static constexpr std::int64_t n = 120000;

  void SetUp() override {
    write_samples(data_ / "r.bin", samples_);
    write_deck(data_ / "r.bin", files().probe);
  }

  void expect_sorted_as(const Contents& expected, const std::string& options = "") const {
    SCOPED_TRACE(options);
    expect_same(expected, sorted(options));
  }
  static std::string named(const std::string& key, const fs::path& path) {
    return key + "='" + path.string() + "' ";
  }

  const std::vector<std::int16_t> samples_ = part(0, n);
  const ProbeFile probe_ = read_probe(files().probe);
};

TEST_F(SortInputs, SampleTypesGiveTheSameSorting) {
  const Contents expected = sorted();
  write_samples(data_ / "f.bin", std::vector<float>(samples_.begin(), samples_.end()));
  expect_sorted_as(expected, named("input.recording", data_ / "f.bin") + "input.dtype=float32");
  write_samples(data_ / "i.bin", std::vector<std::int32_t>(samples_.begin(), samples_.end()));
  expect_sorted_as(expected, named("input.recording", data_ / "i.bin") + "input.dtype=int32");
  std::vector<std::uint16_t> shifted;
  for (const std::int16_t sample : samples_) shifted.push_back(static_cast<std::uint16_t>(sample + 32768));
  write_samples(data_ / "u.bin", shifted);
  const std::string unsigned_file = named("input.recording", data_ / "u.bin") + "input.dtype=uint16 ";
  expect_sorted_as(expected, unsigned_file + "input.offset=32768");
  sort(unsigned_file);  // the filter takes the offset away
  EXPECT_GE(score(files().truth, n).over(0.8), 6u);
}

TEST_F(SortInputs, SeveralFilesAreOneRecording) {
  const Contents expected = sorted();
  write_samples(data_ / "a.bin", part(0, 50001));
  write_samples(data_ / "b.bin", part(50001, 50002));
  write_samples(data_ / "c.bin", part(50002, n));
  expect_sorted_as(
      expected, fmt::format("input.recording=\"[{0}/a.bin, {0}/b.bin, {0}/c.bin]\"", data_.path().string()));
}

TEST_F(SortInputs, AnHdf5DatasetGivesTheSame) {
  const Contents expected = sorted();
  hdf5::OutputFile file(data_ / "r.h5");
  const std::vector<std::int32_t> values(samples_.begin(), samples_.end());
  file.group("raw");
  file.write("raw/traces", {static_cast<std::size_t>(n), n_channels}, values.data());
  file.attribute("/", "sampling_rate_hz", 30000.0);
  file.close();
  write_text(deck(), "input: {recording: r.h5, dataset: raw/traces, probe: '" + files().probe.string() +
                         "'}\noutput: {folder: out}\n");
  expect_sorted_as(expected);
  EXPECT_NE(read_text(result()).find("sampling_rate_hz: 30000\n"), std::string::npos);
}

TEST_F(SortInputs, ATimeRangeIsSortedAsAFileOfItsOwn) {
  constexpr std::int64_t first = 45000;
  constexpr std::int64_t last = 105000;
  write_samples(data_ / "part.bin", part(first, last));
  Contents expected = sorted(named("input.recording", data_ / "part.bin"));
  const std::vector<std::int64_t> times = spike_samples();
  Contents found = sorted("input.time_range_s='[1.5, 3.5]'");
  const std::vector<std::int64_t> later = spike_samples();
  ASSERT_EQ(times.size(), later.size());
  EXPECT_GT(times.size(), 100u);
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_EQ(later[i], times[i] + first);  // of the whole file
  expected.erase("/spikes/sample");
  found.erase("/spikes/sample");
  expect_same(expected, found);
  const hdf5::InputFile file(result(), 1 << 20);
  EXPECT_EQ(file.attribute<std::int64_t>("recording", "first_sample"), first);
  EXPECT_EQ(file.attribute<std::int64_t>("recording", "n_samples"), last - first);
}

/// In a file of 69 GB, of which 8 MB exist.
TEST_F(SortInputs, ATimeRangeBeyondTwoToTheThirtyOneSamples) {
  constexpr std::int64_t second = 71581;  // 2 s later 31 bits are full
  constexpr std::int64_t first = second * 30000;
  static_assert(first < std::int64_t{1} << 31 && first + n > std::int64_t{1} << 31);
  const auto bytes_of = [](std::int64_t samples) {
    return static_cast<std::uintmax_t>(samples) * 2 * n_channels;
  };
  write_text(data_ / "sparse.bin", "");
  std::error_code error;
  fs::resize_file(data_ / "sparse.bin", bytes_of(first), error);
  if (error) GTEST_SKIP() << "NOT TESTED: " << error.message();
  std::ofstream(data_ / "sparse.bin", std::ios::binary | std::ios::app)
      .write(reinterpret_cast<const char*>(samples_.data()), static_cast<std::streamsize>(bytes_of(n)));

  Contents expected = sorted();
  const std::vector<std::int64_t> times = spike_samples();
  Contents found =
      sorted(named("input.recording", data_ / "sparse.bin") + "input.time_range_s='[71581, 71585]'");
  const std::vector<std::int64_t> later = spike_samples();
  ASSERT_EQ(times.size(), later.size());
  EXPECT_GT(times.size(), 200u);
  for (std::size_t i = 0; i < times.size(); ++i) ASSERT_EQ(later[i], times[i] + first);
  expected.erase("/spikes/sample");
  found.erase("/spikes/sample");
  expect_same(expected, found);
  const std::string phy = read_text(folder() / "phy/spike_times.npy");
  std::vector<std::int64_t> in_phy(times.size());
  ASSERT_GT(phy.size(), 8 * in_phy.size());
  std::memcpy(in_phy.data(), phy.data() + phy.size() - 8 * in_phy.size(), 8 * in_phy.size());
  EXPECT_EQ(in_phy, later);
}

TEST_F(SortInputs, ExcludedChannelsAreAsIfTheProbeHadThemNot) {
  const ProbeFile fewer = without_columns(probe_, {{3, 12}, ""});
  write_text(data_ / "fewer.json", to_kilosort_json(fewer, n_channels));
  const Contents expected = sorted(named("input.probe", data_ / "fewer.json") + "input.channels=16");
  expect_sorted_as(expected, "input.exclude_channels='[12, 3]'");
}

TEST_F(SortInputs, ProbesOfEveryFormatGiveTheSame) {
  const Contents expected = sorted();
  const Probe& probe = probe_.probe;
  std::vector<std::string> positions;
  for (std::size_t c = 0; c < n_channels; ++c)
    positions.push_back(fmt::format("{}, {}", probe.x_um[c], probe.y_um[c]));
  write_text(data_ / "probe.prb",
             fmt::format("channel_groups = {{0: {{'channels': list(range(16)), 'geometry': [({})]}}}}\n",
                         fmt::join(positions, "), (")));
  expect_sorted_as(expected, named("input.probe", data_ / "probe.prb"));
  write_text(
      data_ / "pi.json",
      fmt::format(
          "{{\"specification\": \"probeinterface\", \"version\": \"0.2.21\", \"probes\": [{{\"ndim\": 2, "
          "\"si_units\": \"um\", \"contact_positions\": [[{}]], \"device_channel_indices\": [{}]}}]}}\n",
          fmt::join(positions, "], ["), fmt::join(probe_.column, ", ")));
  expect_sorted_as(expected, named("input.probe", data_ / "pi.json"));
}

/// Beside the probe's channels the recording has one of another device.
TEST_F(SortInputs, SpikeGlxFilesTellAllThatIsNeeded) {
  const Contents expected = sorted();
  std::vector<std::int16_t> with_sync;
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    with_sync.push_back(samples_[i]);
    if (i % n_channels == n_channels - 1) with_sync.push_back(static_cast<std::int16_t>(i / 1000 % 64));
  }
  write_samples(data_ / "run_g0_t0.imec0.ap.bin", with_sync);
  std::string geometry = "~snsGeomMap=(NP1000,1,0,70)";
  std::string settings = "~imroTbl=(0,16)";
  for (std::size_t c = 0; c < n_channels; ++c) {
    geometry += fmt::format("(0:{}:{}:1)", probe_.probe.x_um[c], probe_.probe.y_um[c]);
    settings += fmt::format("({} 0 0 500 250 1)", c);
  }
  write_text(
      data_ / "run_g0_t0.imec0.ap.meta",
      "typeThis=imec\nimDatPrb_pn=NP1000\nimDatPrb_type=0\nimAiRangeMax=0.6\nimMaxInt=512\nimSampRate=30000\n"
      "nSavedChans=17\nsnsApLfSy=16,0,1\nsnsSaveChanSubset=all\n" +
          settings + "\n" + geometry + "\n");
  write_text(deck(), "input: {recording: run_g0_t0.imec0.ap.bin}\noutput: {folder: out}\n");
  expect_sorted_as(expected);
  const hdf5::InputFile file(result(), 1 << 20);
  EXPECT_EQ(file.attribute<std::int64_t>("recording", "n_columns"), 17);
  EXPECT_NEAR(file.attribute<double>("recording", "gain_to_uv"), 0.6 / 512 / 500 * 1e6, 1e-9);
}

/// With given universal templates detection does not depend on windows; matching may change a few spikes.
TEST_F(SortInputs, WindowsOfOtherLengthsGiveTheSameSpikes) {
  sort();
  fs::copy(result(), data_ / "pcs.h5");
  const std::string given = named("detection.universal_templates", data_ / "pcs.h5");
  sort(given);
  const Finished refused = run("check DECK --overwrite " + given + "detection.nt=41");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.error.find("detection.nt is 41; that of "), std::string::npos) << refused.error;
  const SpikeTrains expected = trains();
  const std::string before = log();
  EXPECT_GT(expected.n_spikes(), 300u);
  for (const int length : {17001, 100000}) {
    sort(given + fmt::format("detection.window_samples={0} matching.window_samples={0}", length));
    const SpikeTrains found = trains();
    const Score same = score_sorting(expected, found, 0);
    EXPECT_EQ(same.sorted_units, same.units.size());
    EXPECT_GT(same.mean_accuracy(), 0.99) << length;
    const auto detected = [](const std::string& text) {
      const std::size_t at = text.rfind("Z  detection  ");
      return text.substr(text.find("real time", at), 30);
    };
    EXPECT_EQ(detected(log()), detected(before)) << length;
  }
}

TEST_F(SortInputs, WrongDecksAreRefused) {
  const auto refused = [this](const std::string& options, const std::string& part) {
    for (const std::string command : {"sort DECK ", "check DECK "}) expect_refused(command + options, part);
  };
  refused("input.recording=/nowhere/r.bin", "/nowhere/r.bin: there is no such file");
  refused("input.probe=/nowhere/p.json", "/nowhere/p.json: there is no such file");
  refused("input.sampling_rate_hz=1e6", "a waveform of 2 ms has 2001 samples, at most 1001 can be sorted");
  refused("input.channels=8",
          "probe.json: the probe has 16 channels, and the recording 8 columns; set input.ch");
  refused("input.channels=8 input.exclude_channels='[0, 1, 2, 3, 4, 5, 6, 7]'",
          "probe.json: channel 7 of the probe is column 15 of the recording (from 0), which has 8 columns");
  refused("input.channels=7",
          "r.bin: has 3840000 bytes, 10 more than a whole number of samples of 7 channels");
  refused("input.channels=17", "r.bin: ");
  refused("input.dtype=float", "input.dtype is 'float'; it must be one of int16, uint16, int32, float32");
  refused("input.sampling_rate_hz=0", "input.sampling_rate_hz is missing, and ");
  refused("input.sampling_rate_hz=50", "input.sampling_rate_hz is 50; it must be from 3000");
  refused("preprocessing.highpass_hz=15000", "preprocessing.highpass_hz is 15000; it must be below half of");
  refused("detection.nt=60", "detection.nt is 60; it must be odd");
  refused("detection.nt=7", "detection.nt is 7; it must be odd, and at least 9");
  refused("detection.nt=21 detection.peak_sample=21",
          "detection.peak_sample is 21; it must be below detection.nt, 21");
  refused("detection.nt=9 detection.pcs=10", "detection.pcs is 10; it must be at most detection.nt, 9");
  refused("input.time_range_s='[1, 4.5]'", "input.time_range_s is [1, 4.5]; it must be a part of ");
  refused("input.time_range_s='[5, 0]'", "r.bin, which has 4 s");
  refused("input.time_range_s='[1, 1.00001]'", "input.time_range_s is [1, 1.00001]; it must be a part of ");
  refused("input.time_range_s='[2, 1]'", "input.time_range_s is '[2, 1]'; it must be two numbers");
  refused("input.time_range_s='[0, 1e12]'",
          "input.time_range_s is [0, 1000000000000]; it must be a part of ");
  refused("input.time_range_s='[1, 1.001]'",
          "r.bin: 30 samples cannot be sorted; a waveform (detection.nt) alone has 61");
  refused("input.exclude_channels='[16]'", "input.exclude_channels");
  refused("input.exclude_channels='[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]'",
          "input.exclude_channels");
  refused("input.dataset=traces", "r.bin");
  refused(fmt::format("input.dataset=traces input.recording='[{0}, {0}]'", (data_ / "r.bin").string()),
          "input.recording names 2 files; name one with input.dataset");
  refused("detection.universal_templates=/nowhere/t.h5", "/nowhere/t.h5: there is no such file");
  refused(named("detection.universal_templates", data_ / "r.bin"), "r.bin: is not an HDF5 file");
  refused("curation.min_ghost_shar=1", "the nearest known key is curation.min_ghost_share");
  write_text(deck(), "input: {recording: r.bin, sampling_rate_hz: 30000}\noutput: {folder: out}\n");
  refused("", "input.probe is missing, and ");
  write_samples(data_ / "odd.bin", std::vector<std::int16_t>(samples_.begin(), samples_.end() - 3));
  write_deck(data_ / "odd.bin", files().probe);
  refused("", "odd.bin: ");
}

}  // namespace
}  // namespace kokkosort::test
