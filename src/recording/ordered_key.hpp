#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace kokkosort {

/// Integers that are in the order of the floats they stand for.
KOKKOS_FORCEINLINE_FUNCTION std::int32_t ordered_key(float value) {
  const auto bits = Kokkos::bit_cast<std::int32_t>(value);
  return bits ^ ((bits >> 31) & 0x7fffffff);
}
KOKKOS_FORCEINLINE_FUNCTION float from_ordered_key(std::int32_t key) {
  return Kokkos::bit_cast<float>(key ^ ((key >> 31) & 0x7fffffff));
}

}  // namespace kokkosort
