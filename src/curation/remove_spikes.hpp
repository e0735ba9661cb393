#pragma once

#include <cstddef>
#include <vector>

#include "curation/working_units.hpp"

namespace kokkosort {

/// Of two spikes of a unit within duplicate_ms the weaker goes, of equal ones the later. Of what is left no
/// two are so near.
///
/// @param strength  [spikes] of the input
/// @return spikes removed
std::size_t remove_duplicates(const CurationInput& input, const CurationOptions& options,
                              const std::vector<float>& strength, WorkingUnits& units);

/// What remove_coincident_units took away.
struct RemovedGhosts {
  std::size_t units = 0;
  std::size_t spikes = 0;
};

/// Drops units that are ghosts of another: the other's waveform is larger and reaches this one's channel, on
/// one shank, and nearly all of this one's spikes have one of the other's within duplicate_ms of a fixed lag,
/// the one at which most do. What chance would give at their rates does not count.
RemovedGhosts remove_coincident_units(const CurationInput& input, const CurationOptions& options,
                                      WorkingUnits& units);

}  // namespace kokkosort
