#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kokkosort {

/// Who fired when.
struct SpikeTrains {
  std::vector<std::int64_t> sample;  // [spikes]
  std::vector<std::int32_t> unit;    // [spikes]

  std::size_t n_spikes() const { return sample.size(); }
};

}  // namespace kokkosort
