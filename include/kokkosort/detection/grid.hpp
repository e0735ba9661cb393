#pragma once

#include "kokkosort/detection/options.hpp"
#include "kokkosort/spike_features.hpp"

namespace kokkosort {

/// The places where detection looks for spikes.
struct DetectionGrid {
  DetectionCentres centres;             // shank by shank, by y, then x
  HostTensor3<float> weights;           // [centres, scales, rows], of a centre's channels; norm 1 per scale
  HostMatrix<std::int32_t> neighbours;  // [centres, n], nearest first, itself the first; −1: no more
  double dmin_um = 0.0;                 // as used
  double dminx_um = 0.0;
};

/// Centres every dmin/2 along and dminx/2 across each shank, those alone that have a channel of the shank
/// within max_channel_um. A centre's rows are its nearest channels, those of its shank first, ties to the
/// smaller; the weight of a channel at distance d is exp(−d² / scale²) over the norm of a scale's weights,
/// zero on other shanks. Neighbours are the nearest centres of the shank, ties to the smaller, at most four
/// of the largest scale away: beyond, two universal templates have less than a thousandth in common.
/// @throws InputError if a spacing makes more than 50 000 centres, or none has a channel
DetectionGrid make_detection_grid(const Probe& probe, const DetectionOptions& options);

}  // namespace kokkosort
