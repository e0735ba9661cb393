#pragma once

#include <array>
#include <cstdint>

#include <Kokkos_Macros.hpp>

namespace kokkosort {

/// What is kept of a correlogram with 1 ms bins: the counters its tests need. `later` holds pairs in which the second
/// train's spike comes after the first's, so that one array of integers per ordered pair of leaves is enough and
/// counters add up over leaves.
struct CorrelogramCounter {
  static constexpr int rings = 10;       // bin b = 1 … 10 at b − 1
  static constexpr int near_later = 10;  // bins 10 … 49
  static constexpr int near_sooner = 11; // bins 11 … 50, counted where the second train leads
  static constexpr int far_later = 12;   // bins 250 … 499
  static constexpr int far_sooner = 13;  // bins 251 … 499, likewise
  static constexpr int size = 14;
  static constexpr std::int64_t widest_bin = 499;

  /// Calls `count` with each counter that a time difference of `bin` ms adds to.
  template <class Count>
  KOKKOS_INLINE_FUNCTION static void for_bin(std::int64_t bin, const Count& count) {
    if (bin >= 1 && bin <= rings) count(static_cast<int>(bin) - 1);
    if (bin >= 10 && bin <= 49) count(near_later);
    if (bin >= 11 && bin <= 50) count(near_sooner);
    if (bin >= 250 && bin <= 499) count(far_later);
    if (bin >= 251 && bin <= 499) count(far_sooner);
  }
};

/// A correlogram of two trains, in the counters of CorrelogramCounter: those of pairs in which the second comes later,
/// and those in which the first does.
struct CorrelogramCounts {
  std::array<std::uint64_t, CorrelogramCounter::size> later{};
  std::array<std::uint64_t, CorrelogramCounter::size> sooner{};
};

/// How refractory two trains are to each other.
struct RefractoryScores {
  double ratio = 1.0;        // R12: smallest rate within ±1 … ±10 ms over the largest rate of the ranges further out
  double probability = 1.0;  // Q12: of so few coincidences, if the trains were independent
  double baseline = 0.0;     // Q00: pairs in a bin of 1 ms, in the fullest of the ranges further out
};

/// R12 and Q12 of DESIGN, section 4; 1 and 1 (not refractory) where the ranges further out hold no pairs.
/// Source: Pachitariu et al. 2024, Methods, "Refractory period criterion".
RefractoryScores refractory_scores(const CorrelogramCounts& counts);

}  // namespace kokkosort
