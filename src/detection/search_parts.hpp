#pragma once

#include <cstddef>

#include "detection/score_cells.hpp"
#include "kokkosort/detection/search.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// Cells before and behind a chunk whose scores decide too.
inline std::size_t halo_cells(std::size_t peak_sample) {
  return (peak_sample + cell_samples - 1) / cell_samples;
}

/// Floats that a cell's projections are.
inline std::size_t projections_of_cell(const SearchSizes& sizes) {
  return sizes.n_channels * (sizes.n_shapes + 1) * cell_samples;
}

/// Cells that a thread projects at once.
template <class Exec>
inline constexpr std::size_t cells_of_thread = runs_on_host<Exec> ? 1 : ProjectTraces<Exec>::pack;

inline std::size_t round_up(std::size_t n, std::size_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

/// Components that a thread projects onto at once, in a CPU's vector registers.
template <class Exec>
inline constexpr std::size_t feature_pack = runs_on_host<Exec> ? 8 : 1;

/// Tables are filled up with zeros to whole groups of what is summed at once.
template <class Exec>
std::size_t padded_pcs(std::size_t n_pcs) {
  return round_up(n_pcs, feature_pack<Exec>);
}
template <class Exec>
std::size_t padded_scales(std::size_t n_scales) {
  return round_up(n_scales, std::size_t{ScoreCentre<Exec>::scale_group});
}

}  // namespace kokkosort
