#pragma once
// What the tests of `kokkosort sort` have in common.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "driver/program_test.hpp"
#include "kokkosort/io/trains_file.hpp"
#include "kokkosort/scoring/score.hpp"
#include "system/hdf5_contents.hpp"

namespace kokkosort::test {

/// What `kokkosort simulate` writes.
struct SimulatedFiles {
  std::filesystem::path recording;
  std::filesystem::path probe;
  std::filesystem::path truth;
};

/// A recording that is simulated once for all tests of a process. @param keys  of the group simulation
inline SimulatedFiles simulated(const std::string& keys) {
  static std::map<std::string, std::unique_ptr<TemporaryFolder>> made;
  std::unique_ptr<TemporaryFolder>& folder = made[keys];
  if (!folder) {
    folder = std::make_unique<TemporaryFolder>();
    write_text(*folder / "deck.yaml", "simulation: {" + keys + "}\noutput: {folder: .}\n");
    const std::string command =
        KOKKOSORT_BINARY " simulate --quiet '" + (*folder / "deck.yaml").string() + "'";
    if (std::system(command.c_str()) != 0) throw std::runtime_error("cannot simulate " + keys);
  }
  return {*folder / "recording.bin", *folder / "probe.json", *folder / "truth.h5"};
}

template <class T>
void write_samples(const std::filesystem::path& path, const std::vector<T>& samples) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(samples.data()),
             static_cast<std::streamsize>(samples.size() * sizeof(T)));
}

inline std::vector<std::int16_t> read_samples(const std::filesystem::path& path) {
  const std::string bytes = read_text(path);
  std::vector<std::int16_t> samples(bytes.size() / sizeof(std::int16_t));
  std::memcpy(samples.data(), bytes.data(), bytes.size());
  return samples;
}

/// Runs `kokkosort sort` on a recording of 10 s, 16 channels and 8 units, or parts of it.
class SortTest : public ProgramTest {
 protected:
  static constexpr std::size_t n_channels = 16;
  static constexpr std::int64_t n_samples = 300000;

  static SimulatedFiles files() { return simulated("channels: 16, units: 8, seconds: 10, rate_hz: 8"); }
  static const std::vector<std::int16_t>& samples() {
    static const std::vector<std::int16_t> all = read_samples(files().recording);
    return all;
  }
  /// Samples [first, last) of all channels.
  static std::vector<std::int16_t> part(std::int64_t first, std::int64_t last) {
    const auto at = [](std::int64_t sample) { return sample * static_cast<std::int64_t>(n_channels); };
    return {samples().begin() + at(first), samples().begin() + at(last)};
  }

  void write_deck(const std::filesystem::path& recording, const std::filesystem::path& probe,
                  const std::string& more_input = "") const {
    write_text(deck(), "input: {recording: '" + recording.string() + "', probe: '" + probe.string() +
                           "', sampling_rate_hz: 30000" + more_input + "}\noutput: {folder: out}\n");
  }
  void write_deck() const { write_deck(files().recording, files().probe, ", gain_to_uv: 0.195"); }

  std::filesystem::path result() const { return folder() / "sorting.h5"; }
  std::string log() const { return read_text(folder() / "kokkosort.log"); }
  bool has(const std::string& name) const { return std::filesystem::exists(folder() / name); }

  Finished sort(const std::string& options = "", const std::string& before = "") const {
    Finished finished = run("sort DECK --quiet --overwrite --fresh " + options, before);
    EXPECT_EQ(finished.exit_code, 0) << finished.error;
    EXPECT_EQ(finished.out, "");
    return finished;
  }

  /// Everything in sorting.h5 that tells of spikes and units.
  Contents spikes_and_units() const {
    Contents contents = read_contents(result());
    std::erase_if(contents, [](const auto& entry) {
      for (const std::string group : {"/spikes/", "/units/", "/similarity", "/templates/", "/pcs/"})
        if (entry.first.starts_with(group)) return entry.first == "/units/amplitude_uv";
      return true;
    });
    return contents;
  }
  Contents sorted(const std::string& options = "") const {
    sort(options);
    return spikes_and_units();
  }

  SpikeTrains trains() const { return read_trains(result(), "spikes/sample", "spikes/unit").trains; }
  std::vector<std::int64_t> spike_samples() const { return trains().sample; }
  std::size_t n_units() const {
    hdf5::InputFile file(result(), 1 << 30);
    return file.open<std::int32_t>("units/id", 1).size();
  }

  /// How well a sorting found the true units, with what is true before a sample alone.
  Score score(const std::filesystem::path& truth, std::int64_t before = n_samples) const {
    const SpikeTrains all = read_trains(truth, "truth/sample", "truth/unit").trains;
    SpikeTrains some;
    for (std::size_t i = 0; i < all.n_spikes(); ++i)
      if (all.sample[i] < before) {
        some.sample.push_back(all.sample[i]);
        some.unit.push_back(all.unit[i]);
      }
    return score_sorting(some, trains(), score_tolerance(30000.0));
  }
};

/// The same bytes everywhere; if not, where they differ is printed.
inline void expect_same(const std::map<std::string, std::string>& a,
                        const std::map<std::string, std::string>& b) {
  EXPECT_EQ(a.size(), b.size());
  EXPECT_FALSE(a.empty());
  for (const auto& [name, bytes] : a) {
    const auto other = b.find(name);
    ASSERT_NE(other, b.end()) << name;
    EXPECT_TRUE(bytes == other->second) << name << " differs";
  }
}

}  // namespace kokkosort::test
