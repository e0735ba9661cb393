#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace kokkosort {

/// "1 sample", "2 samples".
template <class Number>
std::string counted(Number n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == Number{1} ? "" : "s");
}

}  // namespace kokkosort
