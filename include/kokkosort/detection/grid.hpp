#pragma once

#include "kokkosort/detection/options.hpp"
#include "kokkosort/spike_features.hpp"

namespace kokkosort {

/// The places where detection looks for spikes.
struct DetectionGrid {
  DetectionCentres centres;    // shank by shank, by y, then x
  HostTensor3<float> weights;  // [centres, scales, rows], of a centre's channels; norm 1 per scale
  HostMatrix<std::int32_t>
      neighbours;        // [centres, n], the nearest centres of the same shank, itself included; −1: none
  double dmin_um = 0.0;  // as used
  double dminx_um = 0.0;
};

/// Centres every dmin/2 along and dminx/2 across each shank, those alone that have a channel within
/// max_channel_um. A centre's rows are its nearest channels, those of its shank first, ties to the smaller;
/// weights fall with distance as a Gaussian of each scale.
/// @throws InputError if a spacing makes more centres than a million, or none has a channel
DetectionGrid make_detection_grid(const Probe& probe, const DetectionOptions& options);

}  // namespace kokkosort
