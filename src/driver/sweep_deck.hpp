#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "driver/deck_key.hpp"
#include "sweep/run_sweep.hpp"

namespace kokkosort {

/// What `kokkosort sweep` is asked to do.
struct SweepDeck {
  std::string kernel;
  std::vector<std::string> parameters;
  std::vector<std::vector<std::int64_t>> values;
  int repeats = 20;
  int warmup = 3;
  SweepProblemOptions problem;
  std::map<std::string, TunableValues> tunables;  // of every kernel
  std::filesystem::path output_folder;
  int threads = 0;  // 0: the backend's choice

  SweepDeck();
  std::filesystem::path result() const { return output_folder / "sweep.h5"; }
  std::filesystem::path table() const { return output_folder / "sweep.csv"; }
};

/// The deck's keys, bound to its fields; the tunables of all kernels among them.
DeckKeys sweep_keys(SweepDeck& deck);

/// @throws InputError if the deck names no known kernel or tunable, or values that it cannot take
SweepPlan plan_sweep(const std::filesystem::path& path, const SweepDeck& deck);

}  // namespace kokkosort
