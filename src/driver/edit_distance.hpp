#pragma once

#include <cstddef>
#include <string_view>

namespace kokkosort {

/// Letters to insert, remove or change to get from one word to the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace kokkosort
