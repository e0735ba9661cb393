#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "kokkosort/spike_trains.hpp"

namespace kokkosort {

/// Spike times and units of a file.
struct TrainsFile {
  SpikeTrains trains;             // in the file's order
  double sampling_rate_hz = 0.0;  // 0: the file does not say
};

/// Reads spike times and units from HDF5.
///
/// @param samples     dataset of integers [spikes]: truth/sample, spikes/sample
/// @param units       likewise: truth/unit, spikes/unit
/// @param host_limit  bytes that the arrays may take together
/// @throws InputError naming file, dataset and remedy: a missing or damaged file or dataset; one of another
/// type or
///         shape; a sampling rate that no recording has
TrainsFile read_trains(const std::filesystem::path& path, const std::string& samples,
                       const std::string& units, std::size_t host_limit = std::size_t{16} << 30);

}  // namespace kokkosort
