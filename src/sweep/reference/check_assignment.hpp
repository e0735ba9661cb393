#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kokkosort/clustering/options.hpp"

namespace kokkosort {

/// One section's neighbour graph.
struct AssignmentGraph {
  std::vector<std::vector<std::int32_t>> neighbours;  // [spikes], subset points that a spike is tied to
  std::vector<std::uint32_t> spike_of;                // [subset points]
};

/// Labels of both sides.
struct AssignmentLabels {
  std::vector<std::int32_t> left;   // [spikes]
  std::vector<std::int32_t> right;  // [subset points], -1 where no spike has the label
};

/// Compares labels with those that plain rounds of a right and a left step end with. They must be the same: where the
/// resolution is a whole number, so are all terms.
///
/// @param first_labels  of the spikes, [spikes]
/// @return empty if right, else what is wrong in one line
std::string check_assignment(const AssignmentGraph& graph, const std::vector<std::int32_t>& first_labels,
                             const AssignmentOptions& options, const AssignmentLabels& found);

}  // namespace kokkosort
