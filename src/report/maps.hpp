#pragma once
// The two drawings that share an axis: the place along the probe.

#include <cstddef>
#include <string>

#include "kokkosort/report/report.hpp"
#include "report/svg.hpp"

namespace kokkosort {

constexpr double map_height = 480.0;
constexpr std::size_t most_drift_points = 5000;

/// Places along the probe in both drawings, from bottom to top.
svg::Scale along_probe(const Probe& probe);

/// Contacts, and units at their positions: a disc for a good unit, a ring for another, area by firing rate.
std::string probe_map(const SortReport& report);

/// Places of spikes over time. Of many spikes, every n-th.
std::string drift_map(const SortReport& report);

}  // namespace kokkosort
