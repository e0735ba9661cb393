#pragma once

#include <cstddef>
#include <cstdint>

#include "kokkosort/matching/window.hpp"
#include "kokkosort/templates/placed_templates.hpp"
#include "kokkosort/types.hpp"
#include "matching/pursuit_state.hpp"
#include "matching/waveform.hpp"

namespace kokkosort {

/// Finds the spikes of every third block and takes them out of scores and traces.
template <class Exec>
struct TakeSpikes {
  using Peak = Kokkos::MaxFirstLoc<float, int>;

  PursuitState<Exec> state;
  Matrix<const float, Exec> weights;
  Matrix<const float, Exec> wPCA;
  Vector<const float, Exec> inverse_energy;
  Vector<const PlaceRange, Exec> footprints;
  Vector<const std::uint32_t, Exec> first_pair;
  Vector<const std::int32_t, Exec> other;
  Matrix<const float, Exec> correlations;
  float threshold;  // of the objective
  int first_block;  // of the group
  int round;
  bool count_only;

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const int block = first_block + 3 * member.league_rank();
    if (!state.changed(block, 2, round)) return;
    const int centre = find_peak(member, block);
    if (centre < 0) return;
    Kokkos::single(Kokkos::PerTeam(member), [&] { Kokkos::atomic_inc(&state.n_in_round(round)); });
    if (count_only) return;

    const std::int32_t unit = state.best_unit(centre);
    const float amplitude = state.scores(unit, centre) * inverse_energy(unit);
    member.team_barrier();  // all have read the score before it changes
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      state.found(block, state.n_found(block)++) = FoundSpike{centre, unit, amplitude};
      state.last_round(block) = round;
    });
    take_from_scores(member, centre, static_cast<std::size_t>(unit), amplitude);
    take_from_traces(member, centre, static_cast<std::size_t>(unit), amplitude);
  }

  /// The block's first largest objective, if it is above threshold and the largest within nt samples. @return
  /// −1: none
  KOKKOS_INLINE_FUNCTION int find_peak(const TeamMember<Exec>& member, int block) const {
    const int first = block * state.block_size();
    const int last = Kokkos::min(first + state.block_size(), state.n_scores);
    typename Peak::value_type peak;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(member, first, last),
        [&](const int t, typename Peak::value_type& largest) {
          if (state.best(t) > largest.val) largest = {state.best(t), t};
        },
        Peak(peak));
    if (!(peak.val > threshold)) return -1;
    int larger = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(member, Kokkos::max(0, peak.loc - state.nt),
                                Kokkos::min(state.n_scores, peak.loc + state.nt + 1)),
        [&](const int t, int& count) {
          if (state.best(t) > peak.val || (state.best(t) == peak.val && t < peak.loc)) ++count;
        },
        larger);
    return larger == 0 ? peak.loc : -1;
  }

  /// Row i of the correlations at −lag is what template i at the centre adds to the scores at centre + lag.
  KOKKOS_INLINE_FUNCTION void take_from_scores(const TeamMember<Exec>& member, int centre, std::size_t unit,
                                               float amplitude) const {
    const int last_lag = state.nt - 1;
    const int from = Kokkos::max(-last_lag, -centre);
    const int to = Kokkos::min(last_lag, state.n_scores - 1 - centre) + 1;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, first_pair(unit), first_pair(unit + 1)),
                         [&](const std::uint32_t pair) {
                           float* const scores = &state.scores(other(pair), centre);
                           const float* const at_lag = &correlations(pair, last_lag);
                           Kokkos::parallel_for(
                               Kokkos::ThreadVectorRange(member, from, to),
                               [&](const int lag) { scores[lag] -= amplitude * at_lag[-lag]; });
                         });
  }

  KOKKOS_INLINE_FUNCTION void take_from_traces(const TeamMember<Exec>& member, int centre, std::size_t unit,
                                               float amplitude) const {
    Kokkos::parallel_for(
        Kokkos::TeamThreadRange(member, footprints(unit).first, footprints(unit).last),
        [&](const std::uint32_t channel) {
          float* const samples = &state.traces(channel, centre);
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, state.nt), [&](const int s) {
            samples[s] -= amplitude * waveform(weights, wPCA, channel, unit, static_cast<std::size_t>(s));
          });
        });
  }
};

}  // namespace kokkosort
