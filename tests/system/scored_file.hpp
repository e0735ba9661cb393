#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/hdf5.hpp"
#include "system/score.hpp"

namespace kokkosort::test {

/// Spike times and units from two datasets of a file.
inline Trains read_trains(const std::filesystem::path& path, const std::string& samples,
                          const std::string& units) {
  hdf5::InputFile file(path, std::size_t{1} << 32);
  Trains trains;
  const hdf5::Dataset sample = file.open<std::int64_t>(samples, 1);
  trains.sample.resize(sample.size());
  file.read(sample, trains.sample.data());
  const hdf5::Dataset unit = file.open<std::int32_t>(units, 1);
  trains.unit.resize(unit.size());
  file.read(unit, trains.unit.data());
  return trains;
}

/// What a simulated recording was made of.
inline Trains read_truth(const std::filesystem::path& path) {
  return read_trains(path, "truth/sample", "truth/unit");
}

}  // namespace kokkosort::test
