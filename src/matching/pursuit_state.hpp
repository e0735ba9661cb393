#pragma once

#include <cstdint>

#include "kokkosort/matching/window.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

inline constexpr std::int32_t long_ago = -16;  // a round that no round looks back to

/// What a round's kernels read and write.
template <class Exec>
struct PursuitState {
  Matrix<float, Exec> scores;
  Matrix<float, Exec> traces;
  Vector<float, Exec> best;
  Vector<std::int32_t, Exec> best_unit;
  Vector<std::int32_t, Exec> last_round;
  Vector<std::uint32_t, Exec> n_found;
  Matrix<FoundSpike, Exec> found;
  Vector<std::uint32_t, Exec> n_in_round;
  int nt;
  int n_scores;
  int n_blocks;

  KOKKOS_INLINE_FUNCTION int block_size() const { return nt + 1; }

  /// Whether a block within `reach` had a spike in the round before, or has one already in this.
  KOKKOS_INLINE_FUNCTION bool changed(int block, int reach, int round) const {
    if (round == 0) return true;
    const int last = Kokkos::min(block + reach, n_blocks - 1);
    for (int b = Kokkos::max(block - reach, 0); b <= last; ++b)
      if (last_round(b) >= round - 1) return true;
    return false;
  }
};

}  // namespace kokkosort
