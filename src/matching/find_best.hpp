#pragma once

#include <cstdint>

#include "core/lanes.hpp"
#include "kokkosort/matching/window.hpp"
#include "kokkosort/types.hpp"
#include "matching/pursuit_state.hpp"

namespace kokkosort {

/// Writes the largest objective of any template at each centre of a block, where it may have changed. A
/// team's threads share slices of templates and centres, on a CPU in packs.
template <class Exec>
struct FindBest {
  static constexpr int pack = runs_on_host<Exec> ? 16 : 1;

  PursuitState<Exec> state;
  Matrix<float, Exec> slice_best;
  Matrix<std::int32_t, Exec> slice_best_unit;
  Vector<const float, Exec> inverse_energy;
  Vector<const std::uint32_t, Exec> first_pair;
  Vector<const std::int32_t, Exec> other;
  int round;

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const int block = member.league_rank();
    if (!state.changed(block, 1, round)) return;
    const int first = block * state.block_size();
    const int packs = (state.block_size() + pack - 1) / pack;
    const auto slices = static_cast<int>(slice_best.extent(0));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, slices * packs), [&](const int i) {
      const int slice = i / packs;
      if (slice_changed(slice, block)) find_best_of_slice(slice, first + i % packs * pack);
    });
    member.team_barrier();
    const int count = Kokkos::min(state.block_size(), state.n_scores - first);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count), [&](const int place) {
      const int centre = first + place;
      int winner = 0;
      for (int slice = 1; slice < slices; ++slice)
        if (slice_best(slice, centre) > slice_best(winner, centre)) winner = slice;
      state.best(centre) = slice_best(winner, centre);
      state.best_unit(centre) = slice_best_unit(winner, centre);
    });
  }

  /// Whether a spike of the last round, in reach of the block, changed scores of the slice.
  KOKKOS_INLINE_FUNCTION bool slice_changed(int slice, int block) const {
    if (round == 0) return true;
    const int first = slice * static_cast<int>(slice_units);
    const int last_block = Kokkos::min(block + 1, state.n_blocks - 1);
    for (int b = Kokkos::max(block - 1, 0); b <= last_block; ++b) {
      if (state.last_round(b) < round - 1) continue;
      const std::int32_t unit = state.found(b, state.n_found(b) - 1).unit;
      const std::int32_t lowest = other(first_pair(unit));
      const std::int32_t highest = other(first_pair(unit + 1) - 1);
      if (lowest < first + static_cast<int>(slice_units) && highest >= first) return true;
    }
    return false;
  }

  /// The first largest objective of a slice at a pack of centres.
  KOKKOS_INLINE_FUNCTION void find_best_of_slice(int slice, int centre) const {
    const int first = slice * static_cast<int>(slice_units);
    const int last =
        Kokkos::min(first + static_cast<int>(slice_units), static_cast<int>(inverse_energy.extent(0)));
    float value[pack];
    std::int32_t unit[pack];
    for_lanes<pack>([&](const int k) {
      value[k] = -1.0f;
      unit[k] = first;
    });
    for (int u = first; u < last; ++u) {
      const float* const scores = &state.scores(u, centre);
      const float weight = inverse_energy(u);
      for_lanes<pack>([&](const int k) {
        const float score = scores[k] > 0.0f ? scores[k] : 0.0f;
        const float objective = score * score * weight;
        unit[k] = objective > value[k] ? u : unit[k];
        value[k] = objective > value[k] ? objective : value[k];
      });
    }
    float* const to = &slice_best(slice, centre);
    std::int32_t* const unit_to = &slice_best_unit(slice, centre);
    for_lanes<pack>([&](const int k) {
      to[k] = value[k];
      unit_to[k] = unit[k];
    });
  }
};

}  // namespace kokkosort
