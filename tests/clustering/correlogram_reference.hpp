#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kokkosort/clustering/refractory.hpp"

namespace kokkosort::test {

/// Counts K[b] of time differences in 1 ms bins b = −500 … 500, positive where the second train comes later.
class DirectCorrelogram {
 public:
  DirectCorrelogram(const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& second,
                    std::int64_t samples_per_ms)
      : n_first_(static_cast<double>(first.size())), n_second_(static_cast<double>(second.size())) {
    std::int64_t begin = first.front();
    std::int64_t end = first.front();
    for (const auto* times : {&first, &second})
      for (const std::int64_t t : *times) {
        begin = std::min(begin, t);
        end = std::max(end, t);
      }
    span_ms_ = static_cast<double>(end - begin) / static_cast<double>(samples_per_ms);
    for (const std::int64_t t : first)
      for (const std::int64_t u : second) {
        const std::int64_t distance = std::abs(u - t);
        const std::int64_t bin =
            (2 * distance + samples_per_ms) / (2 * samples_per_ms);  // nearest, halves up
        if (bin > 0 && bin <= 500) ++counts_[static_cast<std::size_t>(500 + (u > t ? bin : -bin))];
      }
  }

  double count(int bin) const { return static_cast<double>(counts_[static_cast<std::size_t>(500 + bin)]); }

  double sum(int from, int to) const {
    double total = 0.0;
    for (int bin = from; bin <= to; ++bin) total += count(bin);
    return total;
  }

  /// R12 by DESIGN, section 4, with the rates in units of chance.
  double ratio() const {
    const double chance = n_first_ * n_second_ / span_ms_;  // pairs in a bin of 1 ms
    const double far = (sum(-499, -251) + sum(250, 499)) / (499.0 * chance);
    const double outside = std::max({far, sum(-50, -11) / (40.0 * chance), sum(10, 49) / (40.0 * chance)});
    double smallest = 1.0;  // of more than the outside there is no need to tell
    for (int i = 1; i <= 10; ++i) smallest = std::min(smallest, sum(-i, i) / (2.0 * i * chance) / outside);
    return smallest;
  }

  /// Q12 likewise.
  double probability() const {
    const double per_bin =
        std::max({(sum(-499, -251) + sum(250, 499)) / 499.0, sum(-50, -11) / 40.0, sum(10, 49) / 40.0});
    double smallest = 1.0;
    for (int i = 1; i <= 10; ++i) {
      const double n = 0.5 * sum(-i, i);
      const double lambda = i * per_bin;
      smallest = std::min(smallest, 0.5 * (1.0 + std::erf((n - lambda) / std::sqrt(2.0 * lambda))));
    }
    return smallest;
  }

 private:
  double n_first_;
  double n_second_;
  double span_ms_ = 0.0;
  std::array<std::uint64_t, 1001> counts_{};
};

}  // namespace kokkosort::test
