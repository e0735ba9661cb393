#pragma once

#include <cstddef>
#include <filesystem>

#include "driver/deck_key.hpp"
#include "kokkosort/simulation/simulate.hpp"

namespace kokkosort {

/// What `kokkosort simulate` is asked to do.
struct SimulateDeck {
  SimulationOptions simulation;
  std::filesystem::path output_folder;
  std::size_t host_limit_bytes = std::size_t{16} << 30;
  int threads = 0;  // 0: the backend's choice

  std::filesystem::path recording() const { return output_folder / "recording.bin"; }
  std::filesystem::path probe() const { return output_folder / "probe.json"; }
  std::filesystem::path truth() const { return output_folder / "truth.h5"; }
};

/// The deck's keys, bound to its fields: the one list of them. The deck must outlive the keys and stay where
/// it is.
DeckKeys simulate_keys(SimulateDeck& deck);

}  // namespace kokkosort
