#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kokkosort/recording/trace_loader.hpp"

namespace kokkosort {

/// Samples of a recording, as few stretches.
class SampleSet {
 public:
  void add(SampleRange range) {
    if (range.size() == 0) return;
    const auto is_apart = [](const SampleRange& a, const SampleRange& b) {
      return a.last < b.first || b.last < a.first;
    };
    std::vector<SampleRange> others;
    for (const SampleRange& stretch : stretches_)
      if (is_apart(stretch, range))
        others.push_back(stretch);
      else
        range = {std::min(range.first, stretch.first), std::max(range.last, stretch.last)};
    const auto after = std::find_if(others.begin(), others.end(),
                                    [&](const SampleRange& other) { return other.first > range.first; });
    others.insert(after, range);
    stretches_.swap(others);
  }

  /// Stretches of a range that are not in the set, in ascending order.
  std::vector<SampleRange> missing(SampleRange range) const {
    std::vector<SampleRange> gaps;
    std::int64_t next = range.first;
    for (const SampleRange& stretch : stretches_) {
      if (stretch.last <= next) continue;
      if (stretch.first >= range.last) break;
      if (stretch.first > next) gaps.push_back({next, stretch.first});
      next = stretch.last;
    }
    if (next < range.last) gaps.push_back({next, range.last});
    return gaps;
  }

 private:
  std::vector<SampleRange> stretches_;  // ascending, apart
};

}  // namespace kokkosort
