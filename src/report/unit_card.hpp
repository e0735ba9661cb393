#pragma once

#include <cstddef>
#include <string>

#include "kokkosort/report/report.hpp"
#include "report/unit_spikes.hpp"

namespace kokkosort {

/// A unit's numbers and drawings.
std::string unit_card(const SortReport& report, const UnitSpikes& spikes, std::size_t unit);

}  // namespace kokkosort
