#pragma once

#include <algorithm>
#include <cstddef>

namespace kokkosort {

/// Every how many of n are taken if not more than `most` shall be.
inline std::size_t thinning(std::size_t n, std::size_t most) {
  return std::max<std::size_t>((n + most - 1) / most, 1);
}

}  // namespace kokkosort
