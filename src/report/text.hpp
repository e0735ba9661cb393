#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kokkosort {

/// Text that shows as it is wherever markup may have text or a quoted attribute. What is no UTF-8, or no
/// character of XML, becomes U+FFFD.
std::string escaped(std::string_view text);

/// "12,345"
std::string grouped(std::int64_t number);

/// Three significant digits, or all those of a whole number: "0.123", "12.3", "12346". "–" if it is not
/// finite.
std::string rounded(double number);

/// "6.2 %" of 0.0625. "–" if it is not finite.
std::string percent(double share);

}  // namespace kokkosort
