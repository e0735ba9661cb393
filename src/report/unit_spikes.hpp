#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kokkosort/curation/sorting.hpp"

namespace kokkosort {

/// A sorting's spikes unit by unit.
class UnitSpikes {
 public:
  explicit UnitSpikes(const Sorting& sorting)
      : first_(sorting.n_units() + 1, 0), spikes_(sorting.n_spikes()) {
    for (const std::int32_t unit : sorting.unit) ++first_[static_cast<std::size_t>(unit) + 1];
    for (std::size_t u = 1; u < first_.size(); ++u) first_[u] += first_[u - 1];
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t i = 0; i < spikes_.size(); ++i)
      spikes_[next[static_cast<std::size_t>(sorting.unit[i])]++] = i;
  }

  /// A unit's spikes, in time order.
  std::span<const std::size_t> of(std::size_t unit) const {
    return std::span(spikes_).subspan(first_[unit], first_[unit + 1] - first_[unit]);
  }

 private:
  std::vector<std::size_t> first_;   // [units + 1]
  std::vector<std::size_t> spikes_;  // [spikes]
};

/// Every how many of n are taken if not more than `most` shall be.
inline std::size_t thinning(std::size_t n, std::size_t most) {
  return std::max<std::size_t>((n + most - 1) / most, 1);
}

}  // namespace kokkosort
