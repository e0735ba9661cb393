#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "io/temporary_folder.hpp"
#include "kokkosort/simulation/simulate.hpp"

namespace kokkosort::test {

constexpr ProbeLayout all_layouts[] = {ProbeLayout::neuropixels, ProbeLayout::linear, ProbeLayout::square,
                                       ProbeLayout::tetrode};

/// A recording without noise whose stored samples are 0.01 µV.
inline SimulationOptions clean() {
  SimulationOptions options;
  options.channels = 8;
  options.units = 3;
  options.seconds = 3.0;
  options.gain_to_uv = 0.01;
  options.noise_uv = options.correlated_noise_uv = 0.0;
  return options;
}

/// The bytes that write_traces() writes.
inline std::string traces_bytes(const Simulation& simulation, int threads = 2,
                                std::size_t chunk_bytes = RenderOptions().chunk_bytes) {
  const TemporaryFolder folder;
  RenderOptions options;
  options.threads = threads;
  options.chunk_bytes = chunk_bytes;
  write_traces(simulation, folder / "r.bin", options);
  return read_text(folder / "r.bin");
}

/// [samples, channels], as stored.
inline std::vector<std::int16_t> traces_of(const Simulation& simulation) {
  const std::string bytes = traces_bytes(simulation);
  std::vector<std::int16_t> traces(bytes.size() / sizeof(std::int16_t));
  std::memcpy(traces.data(), bytes.data(), bytes.size());
  return traces;
}

}  // namespace kokkosort::test
