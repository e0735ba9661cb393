#pragma once

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace kokkosort {

/// The finalizer of SplitMix64: a bijection of 64 bits that scatters neighbouring inputs.
/// Source: Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators".
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t scatter_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// A random number in [0, 1) that depends on nothing but its four coordinates, so that the draws are the same on
/// every backend, in any order and on any number of threads.
KOKKOS_INLINE_FUNCTION constexpr double random_unit(std::uint64_t seed, std::uint32_t stream, std::uint32_t step,
                                                    std::uint32_t draw) {
  const std::uint64_t place = (static_cast<std::uint64_t>(step) << 32) | draw;
  const std::uint64_t bits = scatter_bits(scatter_bits(scatter_bits(seed) ^ stream) ^ place);
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

}  // namespace kokkosort
