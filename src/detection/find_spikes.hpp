#pragma once

#include <cstddef>
#include <cstdint>

#include "kokkosort/detection/peak_list.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// Marks the scores that are above all others among a centre's neighbours within ±reach samples. Of equal
/// scores the earliest counts as the larger, then the one of the smaller centre.
///
/// A cell's highest score settles most comparisons: what is lower needs no look at its samples.
template <class Exec>
struct FindSpikes {
  static constexpr int neighbours_at_once = 32;
  static constexpr int group = runs_on_host<Exec> ? 1024 : 64;  // centres of a team

  Matrix<const float, Exec> scores;
  Matrix<const float, Exec> highest;
  Matrix<const std::int32_t, Exec> neighbours;
  Matrix<std::uint32_t, Exec> marks;
  int reach;
  int first_cell;  // of the scores, that the first marks are of
  int n_samples;   // from the first cell's first on, that may be marked

  KOKKOS_INLINE_FUNCTION int n_groups() const {
    return (static_cast<int>(highest.extent(1)) + group - 1) / group;
  }

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const int cell = member.league_rank() / n_groups();
    const int first = member.league_rank() % n_groups() * group;
    const int last = Kokkos::min(first + group, static_cast<int>(highest.extent(1)));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, first, last), [&](const int centre) {
      std::uint32_t bits = 0;
      if (highest(first_cell + cell, centre) > 0.0f) bits = find(member, cell, centre);
      Kokkos::single(Kokkos::PerThread(member), [&]() { marks(cell, centre) = bits; });
    });
  }

  KOKKOS_INLINE_FUNCTION std::uint32_t find(const TeamMember<Exec>& member, int cell, int centre) const {
    std::uint32_t bits = 0;
    const int count = Kokkos::min(int{cell_samples}, n_samples - cell * cell_samples);
    const int start = (first_cell + cell) * cell_samples;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, count),
        [&](const int lane, std::uint32_t& some) {
          if (score(centre, start + lane) > 0.0f && !is_beaten(centre, start + lane, centre))
            some |= std::uint32_t{1} << lane;
        },
        Kokkos::BOr<std::uint32_t>(bits));
    std::uint32_t left = bits;
    for (; left != 0; left &= left - 1) {
      const int lane = Kokkos::countr_zero(left);
      if (is_beaten_by_neighbours(member, centre, start + lane)) bits &= ~(std::uint32_t{1} << lane);
    }
    return bits;
  }

  /// Nearest neighbours first: most scores that are beaten are beaten by them.
  KOKKOS_INLINE_FUNCTION bool is_beaten_by_neighbours(const TeamMember<Exec>& member, int centre,
                                                      int sample) const {
    const auto n = static_cast<int>(neighbours.extent(1));
    for (int first = 1; first < n; first += neighbours_at_once) {
      int beaten = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(member, first, Kokkos::min(first + neighbours_at_once, n)),
          [&](const int i, int& any) {
            const std::int32_t other = neighbours(centre, i);
            if (other >= 0 && is_beaten(centre, sample, other)) any = 1;
          },
          Kokkos::Max<int>(beaten));
      if (beaten > 0) return true;
    }
    return false;
  }

  /// Whether a score has a larger one in reach at another centre, or at another sample of its own.
  KOKKOS_INLINE_FUNCTION bool is_beaten(int centre, int sample, int other) const {
    const float mine = score(centre, sample);
    const int first = sample - reach;
    const int last = sample + reach;
    for (int cell = first / cell_samples; cell <= last / cell_samples; ++cell) {
      if (highest(cell, other) < mine) continue;  // also where no scores are written
      const int start = cell * cell_samples;
      const int end = Kokkos::min(last, start + cell_samples - 1);
      for (int t = Kokkos::max(first, start); t <= end; ++t) {
        const float its = score(other, t);
        if (its > mine || (its == mine && (t < sample || (t == sample && other < centre)))) return true;
      }
    }
    return false;
  }

  KOKKOS_INLINE_FUNCTION float score(int centre, int sample) const {
    return scores(sample / cell_samples, centre * cell_samples + sample % cell_samples);
  }
};

}  // namespace kokkosort
