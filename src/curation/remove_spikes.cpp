#include "curation/remove_spikes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "core/host_loop.hpp"

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

/// Which spikes of a unit stay when of two that are too near each other one goes.
std::vector<bool> without_duplicates(const WorkingUnits& units, std::size_t unit,
                                     const std::vector<float>& strength, std::int64_t window) {
  const Train& train = units.trains[unit];
  const auto strength_of = [&](std::size_t place) {
    return strength[static_cast<std::size_t>(units.spikes[unit][place])];
  };
  std::vector<bool> stays(train.size(), true);
  std::size_t last = 0;  // that stays
  for (std::size_t i = 1; i < train.size(); ++i) {
    if (train[i] - train[last] > window) {
      last = i;
      continue;
    }
    const std::size_t stronger = strength_of(i) > strength_of(last) ? i : last;
    stays[stronger == i ? last : i] = false;
    last = stronger;
  }
  return stays;
}

/// Units, the larger ones first, and which pairs of them fire together.
struct CoincidentUnits {
  std::vector<std::size_t> by_amplitude;
  std::vector<std::vector<std::size_t>>
      larger;  // [by_amplitude], the larger units that each may be a ghost of
};

CoincidentUnits find_coincident_units(const CurationInput& input, const CurationOptions& options,
                                      const WorkingUnits& units) {
  const double rate = input.spikes.sampling_rate_hz;
  const Coincidences coincidences{samples_within(options.duplicate_ms, rate),
                                  samples_within(options.max_ghost_lag_ms, rate)};
  const std::vector<double> amplitude = waveform_amplitudes(input.spikes.pcs.wPCA, units.templates);
  CoincidentUnits found;
  found.by_amplitude = units.visible();
  std::stable_sort(found.by_amplitude.begin(), found.by_amplitude.end(),
                   [&](std::size_t a, std::size_t b) { return amplitude[a] > amplitude[b]; });
  found.larger.resize(found.by_amplitude.size());
  host_loop("curation::coincidences", found.larger.size(), [&](std::size_t place) {
    const std::size_t unit = found.by_amplitude[place];
    const Train& train = units.trains[unit];
    if (static_cast<std::int64_t>(train.size()) <= options.min_spikes) return;
    for (std::size_t i = 0; i < place; ++i) {
      const std::size_t larger = found.by_amplitude[i];
      if (reaches(input, units, larger, unit) &&
          coincidences.share(train, units.trains[larger], input.n_samples) > options.min_ghost_share)
        found.larger[place].push_back(larger);
    }
  });
  return found;
}

}  // namespace

std::size_t remove_duplicates(const CurationInput& input, const CurationOptions& options,
                              const std::vector<float>& strength, WorkingUnits& units) {
  const std::int64_t window = samples_within(options.duplicate_ms, input.spikes.sampling_rate_hz);
  std::vector<std::size_t> removed(units.size());
  host_loop("curation::duplicates", units.size(), [&](std::size_t unit) {
    const std::vector<bool> stays = without_duplicates(units, unit, strength, window);
    removed[unit] = static_cast<std::size_t>(std::count(stays.begin(), stays.end(), false));
    keep_spikes(unit, stays, units);
  });
  return std::accumulate(removed.begin(), removed.end(), std::size_t{0});
}

RemovedGhosts remove_coincident_units(const CurationInput& input, const CurationOptions& options,
                                      WorkingUnits& units) {
  const CoincidentUnits found = find_coincident_units(input, options, units);
  std::vector<bool> is_ghost(units.size(), false);
  RemovedGhosts removed;
  for (std::size_t place = 0; place < found.by_amplitude.size(); ++place) {
    const std::size_t unit = found.by_amplitude[place];
    const auto& larger = found.larger[place];
    is_ghost[unit] =
        std::any_of(larger.begin(), larger.end(), [&](std::size_t other) { return !is_ghost[other]; });
    if (!is_ghost[unit]) continue;
    ++removed.units;
    removed.spikes += units.trains[unit].size();
    keep_spikes(unit, std::vector<bool>(units.trains[unit].size(), false), units);
  }
  return removed;
}

}  // namespace kokkosort
