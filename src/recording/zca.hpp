#pragma once

#include <cstdint>
#include <vector>

#include "kokkosort/spike_features.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// A channel's nearest channels: itself, those of its shank by distance, those of others; ties to the smaller
/// index.
/// @param live  [channels], which of them count
/// @return at most `count`
std::vector<std::int32_t> nearest_channels(const Probe& probe, std::size_t channel, std::size_t count,
                                           const std::vector<bool>& live);

/// How to whiten each channel with its neighbours.
struct LocalWhitening {
  HostMatrix<std::int32_t> neighbours;  // [channels, k]
  HostMatrix<double> weights;           // [channels, k]
};

/// For each live channel its row of C^(−1/2), the ZCA matrix of the covariance C of its nearest live
/// channels. Dead channels have zero weights. On all threads of the host.
///
/// @param covariance  [channels, channels]
/// @param live        [channels]
/// @param count       of neighbours, at least 1, the channel itself included
LocalWhitening local_whitening(const Probe& probe, const HostMatrix<double>& covariance,
                               const std::vector<bool>& live, std::size_t count);

}  // namespace kokkosort
