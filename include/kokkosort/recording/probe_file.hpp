#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "kokkosort/spike_features.hpp"

namespace kokkosort {

/// A probe as a file describes it.
struct ProbeFile {
  Probe probe;
  std::vector<std::int32_t> column;  // [channels], of the recording, that holds each channel's samples
  std::size_t n_columns = 0;  // of the recording; 0: the file does not say
};

/// Reads a probe: ProbeInterface JSON, Kilosort's JSON (chanMap, xc, yc, kcoords, n_chan) or a .prb file,
/// told apart by what they contain. Channels come in the file's order.
///
/// @throws InputError naming file, key, value and remedy: a missing or damaged file; arrays of different
/// lengths; a
///         column that is negative or comes twice; coordinates that are not finite, or that cannot be
///         micrometres
ProbeFile read_probe(const std::filesystem::path& path);

/// A probe for recordings whose contact positions are unknown: one column of channels.
ProbeFile linear_probe(std::size_t n_channels, double spacing_um);

/// A probe without some of its channels.
/// @param excluded  columns of the recording
/// @throws InputError naming `key` if one is no channel's column, or none is left
ProbeFile without_columns(const ProbeFile& probe, const std::vector<std::int64_t>& excluded,
                          const std::string& key);

}  // namespace kokkosort
