#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kokkosort {

/// First element that is not within ±limit, as NaN never is; n if all are.
inline std::size_t find_outside(const float* values, std::size_t n, float limit) {
  constexpr std::size_t block = 4096;  // no exit inside a block, so that it runs in vector registers
  for (std::size_t first = 0; first < n; first += block) {
    const std::size_t last = std::min(n, first + block);
    int outside = 0;
    for (std::size_t i = first; i < last; ++i) outside |= !(std::abs(values[i]) <= limit);
    if (outside == 0) continue;
    for (std::size_t i = first; i < last; ++i)
      if (!(std::abs(values[i]) <= limit)) return i;
  }
  return n;
}

}  // namespace kokkosort
