#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "detection/k_means.hpp"

namespace kokkosort {

/// The centres that a start of k-means begins with, [clusters][dims]: points, each drawn with a chance in
/// proportion to its squared distance from the nearest one before it.
std::vector<std::vector<double>> draw_centres(const HostPoints& points, std::size_t n_clusters,
                                              std::uint64_t seed, std::uint32_t start);

}  // namespace kokkosort
