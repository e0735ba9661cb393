#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kokkosort/report/report.hpp"

namespace kokkosort {

/// A unit's numbers and drawings.
/// @param spikes  of the unit, in time order
std::string unit_card(const SortReport& report, std::span<const std::size_t> spikes, std::size_t unit);

}  // namespace kokkosort
