#include "kokkosort/scoring/score.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace kokkosort {
namespace {

/// The spikes of all units in order of time, units numbered from 0.
struct OrderedTrains {
  std::vector<std::int32_t> labels;  // [units], ascending
  std::vector<std::int64_t> spikes;  // [units]
  std::vector<std::int64_t> sample;
  std::vector<std::size_t> unit;
};

OrderedTrains in_order(const SpikeTrains& trains) {
  OrderedTrains ordered;
  ordered.labels = trains.unit;
  std::sort(ordered.labels.begin(), ordered.labels.end());
  ordered.labels.erase(std::unique(ordered.labels.begin(), ordered.labels.end()), ordered.labels.end());
  ordered.spikes.resize(ordered.labels.size());

  std::vector<std::size_t> order(trains.n_spikes());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return trains.sample[a] < trains.sample[b]; });
  for (const std::size_t i : order) {
    const auto label = std::lower_bound(ordered.labels.begin(), ordered.labels.end(), trains.unit[i]);
    const auto unit = static_cast<std::size_t>(label - ordered.labels.begin());
    ordered.sample.push_back(trains.sample[i]);
    ordered.unit.push_back(unit);
    ++ordered.spikes[unit];
  }
  return ordered;
}

/// Hits of pairs of units that have any; the key is true unit · sorted units + sorted unit.
using Hits = std::unordered_map<std::size_t, std::int64_t>;

/// Walks along both trains once.
Hits count_hits(const OrderedTrains& truth, const OrderedTrains& sorted, std::int64_t tolerance) {
  const std::size_t n_sorted = sorted.labels.size();
  Hits hits;
  std::vector<std::size_t> hit_last(n_sorted, truth.sample.size());  // the true spike that each unit hit last
  std::size_t first = 0;
  for (std::size_t i = 0; i < truth.sample.size(); ++i) {
    while (first < sorted.sample.size() && sorted.sample[first] < truth.sample[i] - tolerance) ++first;
    for (std::size_t j = first; j < sorted.sample.size() && sorted.sample[j] <= truth.sample[i] + tolerance;
         ++j) {
      const std::size_t unit = sorted.unit[j];
      if (hit_last[unit] == i) continue;
      hit_last[unit] = i;
      ++hits[truth.unit[i] * n_sorted + unit];
    }
  }
  return hits;
}

/// Whether a pair of units is the better one for a true unit.
bool is_better(const UnitScore& score, const UnitScore& best) {
  if (!best.sorted_unit || score.accuracy() != best.accuracy())
    return !best.sorted_unit || score.accuracy() > best.accuracy();
  return *score.sorted_unit < *best.sorted_unit;
}

template <class Of>
double mean(const std::vector<UnitScore>& units, Of of) {
  double sum = 0.0;
  for (const UnitScore& unit : units) sum += of(unit);
  return sum / static_cast<double>(units.size());
}

}  // namespace

double UnitScore::accuracy() const {
  return static_cast<double>(hits) / static_cast<double>(spikes + sorted_spikes - hits);
}

double UnitScore::recall() const { return static_cast<double>(hits) / static_cast<double>(spikes); }

double UnitScore::precision() const {
  return static_cast<double>(hits) / static_cast<double>(std::max<std::int64_t>(sorted_spikes, 1));
}

std::size_t Score::over(double accuracy) const {
  return static_cast<std::size_t>(std::count_if(
      units.begin(), units.end(), [accuracy](const UnitScore& unit) { return unit.accuracy() > accuracy; }));
}

double Score::mean_accuracy() const {
  return mean(units, [](const UnitScore& unit) { return unit.accuracy(); });
}

double Score::median_accuracy() const {
  std::vector<double> values;
  for (const UnitScore& unit : units) values.push_back(unit.accuracy());
  std::sort(values.begin(), values.end());
  return 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
}

double Score::mean_recall() const {
  return mean(units, [](const UnitScore& unit) { return unit.recall(); });
}

double Score::mean_precision() const {
  return mean(units, [](const UnitScore& unit) { return unit.precision(); });
}

std::int64_t score_tolerance(double sampling_rate_hz) {
  return static_cast<std::int64_t>(std::nearbyint(0.4 * sampling_rate_hz / 1000.0));
}

Score score_sorting(const SpikeTrains& truth_trains, const SpikeTrains& sorted_trains,
                    std::int64_t tolerance) {
  const OrderedTrains truth = in_order(truth_trains);
  const OrderedTrains sorted = in_order(sorted_trains);
  Score score;
  score.sorted_units = sorted.labels.size();
  score.sorted_spikes = sorted.sample.size();
  for (std::size_t u = 0; u < truth.labels.size(); ++u)
    score.units.push_back({truth.labels[u], truth.spikes[u], {}, 0, 0});
  for (const auto& [pair, hits] : count_hits(truth, sorted, tolerance)) {
    UnitScore& best = score.units[pair / score.sorted_units];
    const std::size_t unit = pair % score.sorted_units;
    const UnitScore candidate{best.unit, best.spikes, sorted.labels[unit], sorted.spikes[unit], hits};
    if (is_better(candidate, best)) best = candidate;
  }
  return score;
}

}  // namespace kokkosort
