#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace kokkosort {

/// Non-negative floats as whole multiples of a power of two, rounded down: their sums are exact in any order.
/// Conversions to 32 bits alone: they are vectorised on CPUs, and f64 is slow on consumers' graphics cards.
struct FixedPoint {
  float scale = 1.0f;  // to multiples of 2³¹ steps

  FixedPoint() = default;

  /// The finest steps in which the sum of n values, none above `largest`, still fits 62 bits.
  KOKKOS_INLINE_FUNCTION FixedPoint(const float largest, const std::uint32_t n) {
    if (!(largest > 0.0f)) return;
    const double exponent = Kokkos::floor(30.0 - Kokkos::log2(static_cast<double>(largest)) -
                                          Kokkos::log2(static_cast<double>(n)));
    constexpr double most = 126.0;  // of a float
    scale = static_cast<float>(Kokkos::exp2(exponent < most ? exponent : most));
  }

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(const float value) const {
    constexpr std::int64_t steps = std::int64_t{1} << 31;
    const float scaled = value * scale;
    const auto whole = static_cast<std::int32_t>(scaled);
    const auto rest = static_cast<std::int32_t>((scaled - static_cast<float>(whole)) * static_cast<float>(steps));
    return whole * steps + rest;
  }
};

}  // namespace kokkosort
