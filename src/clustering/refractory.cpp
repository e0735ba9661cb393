#include "kokkosort/clustering/refractory.hpp"

#include <algorithm>
#include <cmath>

namespace kokkosort {

RefractoryScores refractory_scores(const CorrelogramCounts& counts) {
  using Counter = CorrelogramCounter;
  const auto count = [](std::uint64_t value) { return static_cast<double>(value); };
  const double far = (count(counts.later[Counter::far_later]) + count(counts.sooner[Counter::far_sooner])) / 499.0;
  const double before = count(counts.sooner[Counter::near_sooner]) / 40.0;
  const double after = count(counts.later[Counter::near_later]) / 40.0;

  RefractoryScores scores;
  scores.baseline = std::max({far, before, after});
  if (scores.baseline == 0.0) return scores;
  double within = 0.0;
  for (int i = 1; i <= Counter::rings; ++i) {
    const auto ring = static_cast<std::size_t>(i - 1);
    within += count(counts.later[ring]) + count(counts.sooner[ring]);
    const double expected = i * scores.baseline;
    scores.ratio = std::min(scores.ratio, within / (2.0 * expected));
    const double excess = (0.5 * within - expected) / std::sqrt(2.0 * expected);
    scores.probability = std::min(scores.probability, 0.5 * (1.0 + std::erf(excess)));
  }
  return scores;
}

}  // namespace kokkosort
