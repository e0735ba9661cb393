#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kokkosort/spike_trains.hpp"

namespace kokkosort {

/// How well a sorting found one true unit.
struct UnitScore {
  std::int32_t unit = 0;
  std::int64_t spikes = 0;
  std::optional<std::int32_t>
      sorted_unit;                 // of the best accuracy, of several the smallest; none: no spike was found
  std::int64_t sorted_spikes = 0;  // of that one
  std::int64_t hits = 0;           // true spikes that it has a spike near

  /// hits / (spikes + sorted_spikes − hits): tp / (tp + fn + fp).
  double accuracy() const;
  double recall() const;
  double precision() const;
};

/// How well a sorting found the true units.
struct Score {
  std::vector<UnitScore> units;  // that have spikes, ascending
  std::size_t sorted_units = 0;
  std::size_t sorted_spikes = 0;

  /// True units of a better accuracy than this.
  std::size_t over(double accuracy) const;
  double mean_accuracy() const;
  double median_accuracy() const;
  double mean_recall() const;
  double mean_precision() const;
};

/// Samples within which a true and a sorted spike are the same: 0.4 ms.
std::int64_t score_tolerance(double sampling_rate_hz);

/// Compares a sorting with the truth. A true spike is hit by every sorted unit that has a spike at most
/// `tolerance` samples from it, and counts once for each; sorted spikes may hit several true ones.
///
/// @param truth, sorted  in any order
/// Source: the definition of ../shared/tools/score.py.
Score score_sorting(const SpikeTrains& truth, const SpikeTrains& sorted, std::int64_t tolerance);

}  // namespace kokkosort
