#pragma once

#include <string>
#include <vector>

#include "kokkosort/report/report.hpp"

namespace kokkosort {

/// The name of a recording's first file, and how many there are. Not escaped.
std::string recording_name(const SortedRecording& recording);

/// Sentences on the dead and saturated channels of a recording; none if there are no such channels.
std::vector<std::string> channel_warnings(const Preparation& preparation);

/// What was sorted, on what, into what; and what to take care of.
std::string summary(const SortReport& report);

}  // namespace kokkosort
