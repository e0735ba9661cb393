#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kokkosort/simulation/simulate.hpp"

namespace kokkosort {

/// Samples that are simulated at once, on all channels. Every slice is the same arithmetic, so that its bytes
/// do not depend on what else is simulated.
constexpr std::size_t slice_samples = 256;

/// Gaussian noise, independent over time and correlated over channels, from the counters of sample and
/// channel: normal numbers times a factor L of the channels' covariance L·Lᵀ.
class NoiseMixer {
 public:
  explicit NoiseMixer(const Simulation& simulation);

  /// Fills traces with the noise of a slice.
  /// @param traces   [channels, slice_samples]
  /// @param normals  room that make() uses
  void make(std::int64_t slice, float* traces, std::vector<float>& normals) const;

 private:
  std::size_t n_channels_;
  std::uint64_t key_;
  std::vector<float> factor_;     // rows of L, from their first value that counts to the diagonal
  std::vector<std::size_t> row_;  // [channels + 1], where they begin
};

}  // namespace kokkosort
