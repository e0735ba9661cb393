#pragma once

#include <cstddef>
#include <filesystem>

#include "kokkosort/recording/probe_file.hpp"

namespace kokkosort {

/// What the .meta file beside a SpikeGLX .bin says about it. Samples are int16.
struct SpikeGlxMeta {
  std::size_t n_columns = 0;  // saved channels, the synchronisation channel's included
  std::size_t n_neural = 0;   // of them, the first: a probe's AP band, or an NI device's multiplexed channels
  double sampling_rate_hz = 0.0;
  double gain_to_uv = 0.0;  // of the first channel, which stands for all; 0: the file does not tell
  ProbeFile probe;  // neural channels that are marked as used; none: the file does not tell where they are
};

/// Reads a .meta file of an Imec probe or an NI device. Positions come from ~snsGeomMap, or for
/// Neuropixels 1.0 and 2.0 from the older ~snsShankMap; a shank's x begins where SpikeGLX' shank pitch puts
/// it.
///
/// @throws InputError naming file, key, value and remedy if a key is missing or makes no sense, or no neural
///         channel was saved
/// Source: SpikeGLX' manual, "Metadata"; Neuropixels' dimensions: probe table of SpikeGLX' author, as in
///         ProbeInterface.
SpikeGlxMeta read_spikeglx_meta(const std::filesystem::path& path);

/// The .meta file that belongs to a .bin; empty if there is none.
std::filesystem::path spikeglx_meta_of(const std::filesystem::path& recording);

}  // namespace kokkosort
