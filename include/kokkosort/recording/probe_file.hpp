#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kokkosort/spike_features.hpp"

namespace kokkosort {

/// A probe as a file describes it.
struct ProbeFile {
  Probe probe;
  std::vector<std::int32_t> column;  // [channels], of the recording, that holds each channel's samples

  std::size_t n_channels() const { return column.size(); }
};

/// Channels that are left out.
struct ExcludedColumns {
  std::vector<std::int64_t> columns;  // of the recording
  std::string key;                    // that names them
};

/// Reads a probe: ProbeInterface JSON, Kilosort's JSON (chanMap, xc, yc, kcoords, n_chan) or a .prb file,
/// told apart by what they contain. Channels come in the file's order.
///
/// ProbeInterface: contacts that are wired to no channel (-1) are left out; several probes in a file keep
/// their positions and become further shanks. Shank ids that are no numbers are numbered as they come. .prb:
/// Python, of which plain data is understood (numbers, strings, lists, tuples, dicts, range); a group is a
/// shank.
///
/// @param excluded  of them nothing but the column need make sense
/// @throws InputError naming file, key, value and remedy: a missing, damaged or oversized file; arrays of
///         different lengths; a column that is negative or comes twice; positions that are missing, cannot be
///         micrometres, or are those of two channels of a shank; an excluded column that is no channel's
ProbeFile read_probe(const std::filesystem::path& path, const ExcludedColumns& excluded = {});

/// A probe for recordings whose contact positions are unknown: one column of channels, from y = 0 up.
ProbeFile linear_probe(std::size_t n_channels, double spacing_um);

/// A probe without some of its channels.
/// @throws InputError naming the key if one is no channel's column, or none is left
ProbeFile without_columns(const ProbeFile& probe, const ExcludedColumns& excluded);

/// A probe as Kilosort's JSON, which read_probe reads back.
/// @param n_columns  of the recording
std::string to_kilosort_json(const ProbeFile& probe, std::size_t n_columns);

}  // namespace kokkosort
