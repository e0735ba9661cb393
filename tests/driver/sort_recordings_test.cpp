// `kokkosort sort` on recordings at the edge of what makes sense: right, or one clear line.

#include <algorithm>
#include <map>
#include <random>
#include <regex>
#include <utility>

#include "driver/sort_test.hpp"
#include "kokkosort/recording/probe_file.hpp"

namespace kokkosort::test {
namespace {

namespace fs = std::filesystem;

class SortRecordings : public SortTest {
 protected:
  void expect_inside(std::int64_t n) const {
    const std::vector<std::int64_t> samples = spike_samples();
    EXPECT_TRUE(std::all_of(samples.begin(), samples.end(), [n](auto s) { return s >= 0 && s < n; }));
  }
};

TEST_F(SortRecordings, OfOneSecond) {
  write_samples(data_ / "r.bin", part(0, 30000));
  write_deck(data_ / "r.bin", files().probe);
  sort();
  expect_inside(30000);
  EXPECT_GT(spike_samples().size(), 60u);
  EXPECT_GE(score(files().truth, 30000).over(0.8), 3u);
}

/// The last window is shorter than a waveform.
TEST_F(SortRecordings, WithALastWindowOfTenSamples) {
  constexpr std::int64_t n = 240010;
  write_samples(data_ / "r.bin", part(0, n));
  write_deck(data_ / "r.bin", files().probe);
  sort();
  expect_inside(n);
  EXPECT_GE(score(files().truth, n).over(0.8), 6u);
  const SpikeTrains found = trains();
  write_samples(data_ / "r.bin", part(0, n - 10));
  sort();
  const Score same = score_sorting(trains(), found, 0);
  EXPECT_EQ(same.sorted_units, same.units.size());
  EXPECT_GT(same.mean_accuracy(), 0.98);
}

/// As short as may be, and shorter.
TEST_F(SortRecordings, OfHardlyAnySamples) {
  write_samples(data_ / "r.bin", part(0, 200));
  write_deck(data_ / "r.bin", files().probe);
  sort("preprocessing.whitening_channels=1");
  const Finished whitened = run("sort DECK --quiet --overwrite");
  EXPECT_NE(whitened.exit_code, 1) << whitened.error;
  for (const std::string command : {"sort", "check"}) {
    const Finished finished = run(command + " DECK --overwrite detection.nt=301");
    EXPECT_EQ(finished.exit_code, 2);
    EXPECT_NE(
        finished.error.find("r.bin: 200 samples cannot be sorted; a waveform (detection.nt) alone has 301"),
        std::string::npos)
        << finished.error;
  }
}

TEST_F(SortRecordings, OfNoSamples) {
  write_text(data_ / "r.bin", "");
  write_deck(data_ / "r.bin", files().probe);
  for (const std::string command : {"sort", "check"}) {
    const Finished finished = run(command + " DECK");
    EXPECT_EQ(finished.exit_code, 2);
    EXPECT_NE(finished.error.find("r.bin: is empty; it must hold samples"), std::string::npos)
        << finished.error;
  }
}

/// The same second again and again: each neuron's spikes are a few snippets, each of which comes 20 times.
TEST_F(SortRecordings, OfIdenticalSnippets) {
  const std::vector<std::int16_t> second = part(30000, 60000);
  std::vector<std::int16_t> again;
  for (int k = 0; k < 20; ++k) again.insert(again.end(), second.begin(), second.end());
  write_samples(data_ / "r.bin", again);
  write_deck(data_ / "r.bin", files().probe);
  sort();
  expect_inside(600000);
  const SpikeTrains found = trains();
  EXPECT_GT(found.n_spikes(), 1000u);
  std::map<std::pair<std::int32_t, std::int64_t>, int> copies;  // by unit and time in the second
  for (std::size_t i = 0; i < found.n_spikes(); ++i)
    if (found.sample[i] > 30000 && found.sample[i] < 570000)
      ++copies[{found.unit[i], found.sample[i] % 30000}];
  std::size_t complete = 0;
  for (const auto& [spike, count] : copies) complete += count == 18 ? 1 : 0;
  EXPECT_GT(static_cast<double>(complete), 0.9 * static_cast<double>(copies.size()));
}

/// A sample of a window that whitening does not look at.
TEST_F(SortRecordings, OfASampleBeyondAllOthers) {
  std::vector<float> values(samples().begin(), samples().begin() + 150000 * n_channels);
  write_deck(data_ / "r.bin", files().probe, ", dtype: float32");
  for (const float value : {1e6f, 3e38f}) {
    values[100000 * n_channels + 5] = value;
    write_samples(data_ / "r.bin", values);
    const Finished finished = run(
        "sort DECK --quiet --overwrite preprocessing.min_whitening_windows=1 detection.learning_windows=1");
    if (value > 1e30f) {
      EXPECT_EQ(finished.exit_code, 2) << finished.error;
      EXPECT_NE(finished.error.find("are there samples far beyond all others?"), std::string::npos)
          << finished.error;
    } else {
      EXPECT_EQ(finished.exit_code, 0) << finished.error;
      EXPECT_GE(score(files().truth, 150000).over(0.8), 3u);
    }
  }
}

/// With centres half a micrometre apart there is still one column.
TEST_F(SortRecordings, OfOneColumnWithTinySpacing) {
  const SimulatedFiles column = simulated("layout: linear, channels: 8, units: 4, seconds: 8, rate_hz: 10");
  write_deck(column.recording, column.probe);
  sort();
  const std::vector<std::int64_t> usual = spike_samples();
  EXPECT_GE(score(column.truth).over(0.8), 3u);
  sort("detection.dminx_um=1");
  EXPECT_EQ(spike_samples(), usual);
}

/// Two columns on a shank, one of which sees no spike: its centres, and the section they make, have none.
TEST_F(SortRecordings, OfTwoColumnsOneOfWhichIsSilent) {
  constexpr std::uint64_t seed = 613;
  RecordProperty("seed", std::to_string(seed));
  const SimulatedFiles column = simulated("layout: linear, channels: 8, units: 4, seconds: 8, rate_hz: 10");
  const std::vector<std::int16_t> seen = read_samples(column.recording);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0.0, 40.0);
  std::vector<std::int16_t> both;
  for (std::size_t t = 0; t < seen.size() / 8; ++t) {
    both.insert(both.end(), seen.begin() + static_cast<std::ptrdiff_t>(8 * t),
                seen.begin() + static_cast<std::ptrdiff_t>(8 * (t + 1)));
    for (int c = 0; c < 8; ++c) both.push_back(static_cast<std::int16_t>(std::lround(normal(random))));
  }
  ProbeFile probe = read_probe(column.probe);
  for (std::size_t c = 0; c < 8; ++c) {
    probe.column.push_back(static_cast<std::int32_t>(8 + c));
    probe.probe.x_um.push_back(probe.probe.x_um[c] + 300.0);
    probe.probe.y_um.push_back(probe.probe.y_um[c]);
    probe.probe.shank.push_back(0);
  }
  write_text(data_ / "probe.json", to_kilosort_json(probe, 16));
  write_samples(data_ / "r.bin", both);
  write_deck(data_ / "r.bin", data_ / "probe.json");
  sort();
  EXPECT_GE(score(column.truth).over(0.8), 3u);
  hdf5::InputFile file(result(), 1 << 30);
  std::vector<std::int32_t> channel(n_units());
  file.read(file.open<std::int32_t>("units/channel", 1), channel.data());
  for (const std::int32_t c : channel) EXPECT_LT(c, 8);
}

TEST_F(SortRecordings, OfOneChannel) {
  const SimulatedFiles one = simulated(
      "channels: 1, units: 2, seconds: 5, rate_hz: 8, amplitude: uniform, min_amplitude_uv: 90, "
      "max_amplitude_uv: 200");
  write_deck(one.recording, one.probe);
  sort();
  EXPECT_GE(score(one.truth).over(0.8), 1u);
  SpikeTrains truth = read_trains(one.truth, "truth/sample", "truth/unit").trains;
  SpikeTrains found = trains();
  std::fill(truth.unit.begin(), truth.unit.end(), 0);  // whoever fired
  std::fill(found.unit.begin(), found.unit.end(), 0);
  EXPECT_GT(score_sorting(truth, found, score_tolerance(30000.0)).mean_accuracy(), 0.95);
}

TEST_F(SortRecordings, OfTwoShanks) {
  const SimulatedFiles two = simulated("channels: 16, shanks: 2, units: 6, seconds: 8, rate_hz: 10");
  write_deck(two.recording, two.probe);
  sort();
  EXPECT_GE(score(two.truth).over(0.8), 5u);
  hdf5::InputFile file(result(), 1 << 30);
  std::vector<double> x(n_units());
  file.read(file.open<double>("units/x_um", 1), x.data());
  EXPECT_LT(*std::min_element(x.begin(), x.end()), 60.0);
  EXPECT_GT(*std::max_element(x.begin(), x.end()), 240.0);
  for (const double position : x)
    EXPECT_FALSE(position > 60.0 && position < 240.0) << position << " is on no shank";
}

TEST_F(SortRecordings, OfADeadAndASaturatedChannel) {
  std::vector<std::int16_t> spoiled = samples();
  for (std::size_t i = 0; i < spoiled.size(); i += n_channels) {
    spoiled[i + 3] = 17;
    spoiled[i + 7] = static_cast<std::int16_t>(std::clamp(40 * spoiled[i + 7], -512, 511));
  }
  write_samples(data_ / "r.bin", spoiled);
  write_deck(data_ / "r.bin", files().probe);
  const std::string dead = "dead channels, left out (columns of the recording): 3";
  const std::string saturated =
      "saturated channels (columns of the recording): 7; input.exclude_channels leaves them out";
  EXPECT_EQ(sort().error, "kokkosort: warning: " + dead + "\nkokkosort: warning: " + saturated + "\n");
  EXPECT_NE(log().find("16 channels, 1 dead, 1 saturated"), std::string::npos);
  EXPECT_NE(log().find("warning: " + dead), std::string::npos);
  EXPECT_NE(log().find("warning: " + saturated), std::string::npos);
  const std::string page = read_text(folder() / "report.html");
  EXPECT_NE(page.find("Channel 3 is dead"), std::string::npos);
  EXPECT_NE(page.find("Channel 7 is saturated"), std::string::npos);
  EXPECT_EQ(page.find("input.exclude_channels"), std::string::npos);  // told once
  EXPECT_GE(score(files().truth).over(0.8), 6u);
  hdf5::InputFile file(result(), 1 << 30);
  std::vector<std::int32_t> channel(n_units());
  file.read(file.open<std::int32_t>("units/channel", 1), channel.data());
  EXPECT_EQ(std::count(channel.begin(), channel.end(), 3), 0);
}

TEST_F(SortRecordings, OfNoiseAlone) {
  constexpr std::uint64_t seed = 612;
  RecordProperty("seed", std::to_string(seed));
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0.0, 20.0);
  std::vector<std::int16_t> noise(90000 * n_channels);
  for (std::int16_t& sample : noise) sample = static_cast<std::int16_t>(std::lround(normal(random)));
  write_samples(data_ / "r.bin", noise);
  write_deck(data_ / "r.bin", files().probe);
  const std::string error = sort().error;
  EXPECT_NE(error.find("warning: too few peaks to learn universal templates from"), std::string::npos)
      << error;
  EXPECT_NE(error.find("warning: no spike was found; "), std::string::npos) << error;
  EXPECT_EQ(spike_samples().size(), 0u);
  EXPECT_EQ(n_units(), 0u);
  EXPECT_NE(log().find("generic ones; too few to learn from: "), std::string::npos);
  EXPECT_NE(read_text(folder() / "report.html").find("No units were found"), std::string::npos);
  EXPECT_TRUE(has("phy/params.py"));
  EXPECT_EQ(score(files().truth).mean_accuracy(), 0.0);
}

TEST_F(SortRecordings, OfZeros) {
  write_samples(data_ / "r.bin", std::vector<std::int16_t>(60000 * n_channels));
  write_deck(data_ / "r.bin", files().probe);
  const Finished finished = run("sort DECK --quiet");
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_EQ(finished.error,
            "kokkosort: " + (data_ / "r.bin").string() +
                ": no channel of the recording is alive: all 16 are constant wherever it was looked at; is "
                "input.dtype right, and are input.channels those of the probe?\n");
  EXPECT_FALSE(has("sorting.h5"));
}

/// Too few to learn templates from; the generic ones find them.
TEST_F(SortRecordings, OfFewSpikes) {
  const SimulatedFiles few = simulated(
      "channels: 8, units: 1, seconds: 4, rate_hz: 6, rate_sigma: 0, amplitude: uniform, min_amplitude_uv: "
      "120, "
      "max_amplitude_uv: 130");
  write_deck(few.recording, few.probe);
  const std::string error = sort().error;
  std::smatch told;
  ASSERT_TRUE(
      std::regex_search(error, told,
                        std::regex("warning: too few peaks to learn universal templates from, ([0-9]+) of "
                                   "the 60 that are needed: generic ones were used;")))
      << error;
  EXPECT_GE(std::stoi(told[1]), 15);
  EXPECT_LT(std::stoi(told[1]), 60);
  EXPECT_EQ(score(few.truth).over(0.9), 1u);
  EXPECT_EQ(n_units(), 1u);
}

}  // namespace
}  // namespace kokkosort::test
