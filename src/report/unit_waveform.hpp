#pragma once

#include <cstddef>
#include <string>

#include "kokkosort/report/report.hpp"

namespace kokkosort {

/// A unit's mean waveform on those of its nearest channels where it is largest, laid out as the contacts are.
std::string unit_waveform(const SortReport& report, std::size_t unit);

}  // namespace kokkosort
