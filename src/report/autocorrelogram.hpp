#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kokkosort {

/// How many pairs of a train's spikes are so far apart. [bins], bin b: from b to b + 1 ms, without its end.
/// Every pair counts once: this is the right half of the autocorrelogram, whose left half mirrors it.
/// @param samples  not decreasing
std::vector<std::uint64_t> autocorrelogram(const std::vector<std::int64_t>& samples, double sampling_rate_hz,
                                           std::size_t bins);

}  // namespace kokkosort
