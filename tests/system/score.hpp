#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace kokkosort::test {

/// Who fired when.
struct Trains {
  std::vector<std::int64_t> sample;
  std::vector<std::int32_t> unit;
};

struct Score {
  std::size_t true_units = 0;
  std::size_t sorted_units = 0;
  std::vector<double> accuracy;  // [true units], of the best sorted unit

  std::size_t over(double level) const {
    return static_cast<std::size_t>(
        std::count_if(accuracy.begin(), accuracy.end(), [&](double value) { return value > level; }));
  }
  double mean() const {
    double sum = 0.0;
    for (const double value : accuracy) sum += value;
    return sum / static_cast<double>(accuracy.size());
  }
};

/// Numbers the units that occur from 0, ascending. @return how many
inline std::size_t number_units(std::vector<std::int32_t>& units) {
  std::map<std::int32_t, std::int32_t> number;
  for (const std::int32_t unit : units) number.emplace(unit, 0);
  std::int32_t next = 0;
  for (auto& [unit, place] : number) place = next++;
  for (std::int32_t& unit : units) unit = number[unit];
  return number.size();
}

/// The project's accuracy, tp / (tp + fn + fp) within 0.4 ms, as ../shared/tools/score.py computes it: a true
/// spike counts once for every sorted unit that has a spike near it.
inline Score score_sorting(Trains truth, Trains sorted, double rate_hz = 30000.0) {
  const auto tolerance = static_cast<std::int64_t>(std::nearbyint(0.4 * rate_hz / 1000.0));
  Score score;
  score.true_units = number_units(truth.unit);
  score.sorted_units = number_units(sorted.unit);

  std::vector<std::pair<std::int64_t, std::int32_t>> spikes;
  std::vector<std::int64_t> sorted_spikes(score.sorted_units, 0);
  for (std::size_t i = 0; i < sorted.sample.size(); ++i) {
    spikes.emplace_back(sorted.sample[i], sorted.unit[i]);
    ++sorted_spikes[static_cast<std::size_t>(sorted.unit[i])];
  }
  std::sort(spikes.begin(), spikes.end());

  std::vector<std::int64_t> true_spikes(score.true_units, 0);
  std::vector<std::vector<std::int64_t>> found(score.true_units,
                                               std::vector<std::int64_t>(score.sorted_units, 0));
  for (std::size_t i = 0; i < truth.sample.size(); ++i) {
    const auto unit = static_cast<std::size_t>(truth.unit[i]);
    ++true_spikes[unit];
    std::set<std::int32_t> near;
    auto spike = std::lower_bound(spikes.begin(), spikes.end(), truth.sample[i] - tolerance,
                                  [](const auto& a, std::int64_t time) { return a.first < time; });
    for (; spike != spikes.end() && spike->first <= truth.sample[i] + tolerance; ++spike)
      near.insert(spike->second);
    for (const std::int32_t other : near) ++found[unit][static_cast<std::size_t>(other)];
  }
  for (std::size_t u = 0; u < score.true_units; ++u) {
    double best = 0.0;
    for (std::size_t s = 0; s < score.sorted_units; ++s) {
      const auto hits = static_cast<double>(found[u][s]);
      best = std::max(best, hits / (static_cast<double>(true_spikes[u] + sorted_spikes[s]) - hits));
    }
    score.accuracy.push_back(best);
  }
  return score;
}

}  // namespace kokkosort::test
