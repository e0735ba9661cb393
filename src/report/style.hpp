#pragma once

#include <string_view>

namespace kokkosort {

/// The style sheet of reports: light and dark, wide and narrow, screen and paper. No markup in it.
extern const std::string_view report_style;

}  // namespace kokkosort
