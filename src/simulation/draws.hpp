#pragma once
// Random numbers of simulations, by their places.

#include <cmath>
#include <cstdint>
#include <numbers>

#include "kokkosort/random.hpp"

namespace kokkosort {

/// A standard normal number (Box and Muller 1958).
inline double random_normal(std::uint64_t seed, std::uint32_t stream, std::uint32_t step,
                            std::uint32_t draw) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - random_unit(seed, stream, step, 2 * draw)));
  return radius * std::cos(2.0 * std::numbers::pi * random_unit(seed, stream, step, 2 * draw + 1));
}

/// Streams of a simulated recording's random numbers.
enum class SimulationStream : std::uint32_t { unit, interval, amplitude, noise };

inline double draw_unit(std::uint64_t seed, SimulationStream stream, std::uint32_t step, std::uint32_t draw) {
  return random_unit(seed, static_cast<std::uint32_t>(stream), step, draw);
}

inline double draw_normal(std::uint64_t seed, SimulationStream stream, std::uint32_t step,
                          std::uint32_t draw) {
  return random_normal(seed, static_cast<std::uint32_t>(stream), step, draw);
}

}  // namespace kokkosort
