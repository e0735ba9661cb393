#pragma once

#include <cstdint>
#include <vector>

#include "kokkosort/spike_features.hpp"

namespace kokkosort {

/// A stretch of a shank whose spikes are clustered together.
struct Section {
  std::int32_t shank = 0;
  double x_um = 0.0;
  double y_um = 0.0;
  std::vector<std::int32_t> channels;  // ascending: all channels of its spikes' detection centres
  std::vector<std::int64_t> spikes;    // indices into the recording's spikes, ascending
};

/// Divides a recording's spikes into sections. Section centres stand every 2·dmin along each shank, from
/// min(y) + dmin − 1, and about every 2·dminx across it; a detection centre belongs to the nearest, ties to the lower.
/// Sections without spikes are left out.
std::vector<Section> make_sections(const SpikeFeatures& spikes);

}  // namespace kokkosort
