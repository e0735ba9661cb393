#pragma once

#include <cstddef>
#include <filesystem>

#include "kokkosort/recording/probe_file.hpp"

namespace kokkosort {

/// What the .meta file beside a SpikeGLX .bin says about it.
struct SpikeGlxMeta {
  std::size_t n_columns = 0;  // saved channels, the synchronisation channel's included
  double sampling_rate_hz = 0.0;
  double gain_to_uv = 0.0;  // of the probe's channels
  ProbeFile probe;          // neural channels alone, with their shanks
};

/// @throws InputError naming file, key, value and remedy if a key is missing or makes no sense
SpikeGlxMeta read_spikeglx_meta(const std::filesystem::path& path);

/// The .meta file that belongs to a .bin; empty if there is none.
std::filesystem::path spikeglx_meta_of(const std::filesystem::path& recording);

}  // namespace kokkosort
