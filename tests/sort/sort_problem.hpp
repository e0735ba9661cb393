#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "kokkosort/recording/memory_recording.hpp"
#include "kokkosort/sort.hpp"
#include "simulation/simulation_problem.hpp"

namespace kokkosort::test {

/// Remembers what it was told.
class HeardProgress final : public Progress {
 public:
  void begin(const std::string& stage, std::int64_t) override { stages.push_back(stage); }
  void resume(std::int64_t samples) override { resumed.push_back(samples); }
  void advance(std::int64_t) override {}
  void end(const std::string&) override {}
  void note(const std::string& text) override { notes.push_back(text); }

  std::vector<std::string> stages;
  std::vector<std::int64_t> resumed;
  std::vector<std::string> notes;
};

/// A recording of 8 channels, 4 units and 4 s, sorted in windows of 0.3 s.
class SortProblem {
 public:
  SortProblem() {
    SimulationOptions simulated;
    simulated.channels = 8;
    simulated.units = 4;
    simulated.seconds = 4.0;
    simulated.rate_hz = 15.0;
    const Simulation simulation = simulate(simulated);
    probe = simulation.probe;
    samples = traces_of(simulation);
    column.resize(probe.x_um.size());
    std::iota(column.begin(), column.end(), 0);
    options.detection.window_samples = options.matching.window_samples = 9000;
    options.preprocessing.window_samples = 9000;
  }

  /// @param recording  of `samples`
  template <class Exec>
  SortResult sort(Recording& recording, Checkpoints* checkpoints = nullptr) {
    StageTimes times;
    TransferLedger ledger;
    progress = {};
    return sort_recording(Exec(), {recording, probe, column, 30000.0}, options, times, ledger, progress,
                          checkpoints);
  }
  template <class Exec>
  SortResult sort(Checkpoints* checkpoints = nullptr) {
    MemoryRecording recording(samples, probe.x_um.size());
    return sort<Exec>(recording, checkpoints);
  }

  Probe probe;
  std::vector<std::int32_t> column;
  std::vector<std::int16_t> samples;
  SortOptions options;
  HeardProgress progress;
};

template <class T>
bool same_values(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}
template <class View>
requires requires(const View& view) { view.span(); }
bool same_values(const View& a, const View& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(*a.data())) == 0;
}

/// To the last bit.
inline void expect_same_sorting(const SortResult& a, const SortResult& b) {
  EXPECT_EQ(a.detected_spikes, b.detected_spikes);
  EXPECT_EQ(a.unfinished_windows, b.unfinished_windows);
  EXPECT_TRUE(same_values(a.preparation.whitening, b.preparation.whitening));
  EXPECT_TRUE(same_values(a.pcs.wPCA, b.pcs.wPCA));
  EXPECT_TRUE(same_values(a.matched_templates, b.matched_templates));
  EXPECT_TRUE(same_values(a.sorting.sample, b.sorting.sample));
  EXPECT_TRUE(same_values(a.sorting.unit, b.sorting.unit));
  EXPECT_TRUE(same_values(a.sorting.matched, b.sorting.matched));
  EXPECT_TRUE(same_values(a.sorting.amplitude, b.sorting.amplitude));
  EXPECT_TRUE(same_values(a.sorting.x_um, b.sorting.x_um));
  EXPECT_TRUE(same_values(a.sorting.y_um, b.sorting.y_um));
  EXPECT_TRUE(same_values(a.sorting.unit_channels, b.sorting.unit_channels));
  EXPECT_TRUE(same_values(a.sorting.features, b.sorting.features));
  EXPECT_TRUE(same_values(a.sorting.templates, b.sorting.templates));
  EXPECT_TRUE(same_values(a.sorting.similarity, b.sorting.similarity));
}

}  // namespace kokkosort::test
