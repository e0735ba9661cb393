#include "curation/remove_spikes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace kokkosort {
namespace {

/// Whole samples in a time, as far as they are within it.
std::int64_t samples_within(double ms, double sampling_rate_hz) {
  return static_cast<std::int64_t>(std::floor(ms * sampling_rate_hz / 1000.0 + 1e-9));
}

/// Spikes of one train within `window` samples of a lag after one of another's.
struct Coincidences {
  std::int64_t window;
  std::int64_t largest_lag;

  /// Calls `count` with the times by which spikes of `train` follow those of `other`, none further apart than
  /// `reach`.
  template <class Count>
  static void for_differences(const Train& train, const Train& other, std::int64_t reach,
                              const Count& count) {
    std::size_t first = 0;
    for (const std::int64_t sample : train) {
      while (first < other.size() && other[first] < sample - reach) ++first;
      for (std::size_t i = first; i < other.size() && other[i] <= sample + reach; ++i)
        count(sample - other[i]);
    }
  }

  /// The lag with most pairs around it, ties to the smaller.
  std::int64_t best_lag(const Train& train, const Train& other) const {
    const std::int64_t reach = largest_lag + window;
    std::vector<std::int64_t> pairs(static_cast<std::size_t>(2 * reach + 1), 0);
    for_differences(train, other, reach,
                    [&](std::int64_t difference) { ++pairs[static_cast<std::size_t>(difference + reach)]; });
    std::int64_t best = 0;
    std::int64_t most = -1;
    for (std::int64_t lag = -largest_lag; lag <= largest_lag; ++lag) {
      const auto middle = pairs.begin() + lag + reach;
      const std::int64_t sum = std::accumulate(middle - window, middle + window + 1, std::int64_t{0});
      if (sum < most || (sum == most && std::abs(lag) >= std::abs(best))) continue;
      most = sum;
      best = lag;
    }
    return best;
  }

  std::int64_t spikes_at(const Train& train, const Train& other, std::int64_t lag) const {
    std::int64_t hits = 0;
    std::size_t next = 0;
    for (const std::int64_t sample : train) {
      while (next < other.size() && other[next] < sample - lag - window) ++next;
      if (next < other.size() && other[next] <= sample - lag + window) ++hits;
    }
    return hits;
  }

  /// The share of a train's spikes that go with another's, beyond what chance would give: 0 at its rate, 1
  /// where all do.
  double share(const Train& train, const Train& other, std::int64_t n_samples) const {
    const std::int64_t lag = best_lag(train, other);
    const double found =
        static_cast<double>(spikes_at(train, other, lag)) / static_cast<double>(train.size());
    const double in_window = static_cast<double>(other.size()) * static_cast<double>(2 * window + 1) /
                             static_cast<double>(n_samples);
    const double by_chance = -std::expm1(-in_window);
    return (found - by_chance) / (1.0 - by_chance);
  }
};

/// Whether a unit's waveform reaches another's channel.
bool reaches(const CurationInput& input, const WorkingUnits& units, std::size_t unit, std::size_t other) {
  const auto channel = static_cast<std::size_t>(units.channel[other]);
  const auto& shank = input.spikes.probe.shank;
  if (shank[static_cast<std::size_t>(units.channel[unit])] != shank[channel]) return false;
  const float* const weights = &units.templates(unit, channel, 0);
  return std::any_of(weights, weights + units.templates.extent(2), [](float w) { return w != 0.0f; });
}

}  // namespace

std::size_t remove_duplicates(const CurationInput& input, const CurationOptions& options,
                              const std::vector<float>& strength, WorkingUnits& units) {
  const std::int64_t window = samples_within(options.duplicate_ms, input.spikes.sampling_rate_hz);
  std::size_t removed = 0;
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    const Train& train = units.trains[unit];
    std::vector<bool> stays(train.size(), true);
    std::size_t last = 0;  // that stays
    for (std::size_t i = 1; i < train.size(); ++i) {
      if (train[i] - train[last] > window) {
        last = i;
        continue;
      }
      const auto strength_of = [&](std::size_t place) {
        return strength[static_cast<std::size_t>(units.spikes[unit][place])];
      };
      const std::size_t stronger = strength_of(i) > strength_of(last) ? i : last;
      stays[stronger == i ? last : i] = false;
      last = stronger;
      ++removed;
    }
    keep_spikes(unit, stays, units);
  }
  return removed;
}

RemovedGhosts remove_coincident_units(const CurationInput& input, const CurationOptions& options,
                                      WorkingUnits& units) {
  const double rate = input.spikes.sampling_rate_hz;
  const Coincidences coincidences{samples_within(options.duplicate_ms, rate),
                                  samples_within(options.max_ghost_lag_ms, rate)};
  std::vector<double> amplitude;
  for (std::size_t unit = 0; unit < units.size(); ++unit)
    amplitude.push_back(waveform_amplitude(input.spikes.pcs.wPCA, units.templates, unit));
  std::vector<std::size_t> by_amplitude = units.visible();
  std::stable_sort(by_amplitude.begin(), by_amplitude.end(),
                   [&](std::size_t a, std::size_t b) { return amplitude[a] > amplitude[b]; });

  RemovedGhosts removed;
  std::vector<std::size_t> kept;
  for (const std::size_t unit : by_amplitude) {
    const Train& train = units.trains[unit];
    const bool is_ghost =
        static_cast<std::int64_t>(train.size()) > options.min_spikes &&
        std::any_of(kept.begin(), kept.end(), [&](std::size_t larger) {
          return reaches(input, units, larger, unit) &&
                 coincidences.share(train, units.trains[larger], input.n_samples) > options.min_ghost_share;
        });
    if (!is_ghost) {
      kept.push_back(unit);
      continue;
    }
    ++removed.units;
    removed.spikes += train.size();
    keep_spikes(unit, std::vector<bool>(train.size(), false), units);
  }
  return removed;
}

}  // namespace kokkosort
