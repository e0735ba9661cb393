#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sweep/reference/points.hpp"

namespace kokkosort {

/// Compares neighbours with all distances in f64.
///
/// A spike's k-th neighbour must be as far as the k-th nearest subset point, within the rounding of f32; of points
/// that are exactly equally far the smaller index comes first.
///
/// @param subset  spikes that are the subset points
/// @param found   [spikes][wanted], subset points; -1 where the subset has fewer
/// @return empty if right, else what is wrong in one line
std::string check_neighbours(const Points& points, const std::vector<std::uint32_t>& subset, int wanted,
                             const std::vector<std::vector<std::int32_t>>& found);

}  // namespace kokkosort
