#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kokkosort/clustering/merge_tree.hpp"
#include "kokkosort/clustering/options.hpp"
#include "sweep/reference/points.hpp"

namespace kokkosort {

/// Walks a decided tree from the root down and does every test again in f64, straight from the spikes. A score may
/// differ by 0.02, since a projection that lies on the border of two bins may be counted in either; a verdict must
/// follow from its score. Nodes below a joined one must be untested.
///
/// @param labels   leaf of each spike, [spikes]
/// @param decided  with the verdicts and scores that the device found
/// @param options  its refractory test is left out: times have no say
/// @return empty if right, else what is wrong in one line
std::string check_splits(const Points& points, const std::vector<std::int32_t>& labels, const MergeTree& decided,
                         const SplitOptions& options);

}  // namespace kokkosort
