#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sweep/reference/points.hpp"

namespace kokkosort {

/// What the device found for one section.
struct FoundSeeding {
  std::vector<std::uint32_t> seeds;   // spikes of the section
  std::vector<std::uint32_t> labels;  // [spikes]
};

/// Replays greedy k-means++ in f64, with the found earlier seeds as each step's state, since f32 cannot be replayed.
///
/// Each seed must be a point that one of its step's draws can have fallen on. No point that another draw surely fell
/// on may be better by more than the device's rounding, or equal and drawn earlier. Each label must name the nearest
/// centre within rounding, the earliest of exactly equal ones. There may be too few seeds only if no δ is left.
///
/// @param n_seeds  wanted
/// @param trials   candidates drawn for each seed
/// @param seed     of the random numbers
/// @param key      of the section, for the random numbers
/// @return empty if right, else what is wrong in one line
std::string check_seeding(const Points& points, const FoundSeeding& found, std::uint32_t n_seeds, int trials,
                          std::uint64_t seed, std::uint32_t key);

}  // namespace kokkosort
