#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "kokkosort/spike_features.hpp"

namespace kokkosort::test {

/// Two columns of channels on each of some shanks.
inline Probe shanks_probe(std::size_t n_shanks, std::size_t channels_a_shank) {
  Probe probe;
  for (std::size_t shank = 0; shank < n_shanks; ++shank)
    for (std::size_t c = 0; c < channels_a_shank; ++c) {
      probe.x_um.push_back(250.0 * static_cast<double>(shank) + 32.0 * static_cast<double>(c % 2));
      probe.y_um.push_back(20.0 * static_cast<double>(c / 2));
      probe.shank.push_back(static_cast<std::int32_t>(shank));
    }
  return probe;
}

/// Noise that neighbouring channels share, with a gain of its own for each channel. Rounded, [samples,
/// channels].
inline std::vector<std::int16_t> correlated_noise(std::mt19937_64& random, const Probe& probe,
                                                  std::size_t n_samples, double offset) {
  const std::size_t n = probe.x_um.size();
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> gain(15.0, 60.0);
  std::vector<double> mix(n * n);
  for (std::size_t c = 0; c < n; ++c) {
    const double own = gain(random);
    for (std::size_t other = 0; other < n; ++other) {
      const double far = std::hypot(probe.x_um[c] - probe.x_um[other], probe.y_um[c] - probe.y_um[other]);
      mix[c * n + other] = own * std::exp(-far / 25.0);
    }
  }
  std::vector<std::int16_t> samples(n_samples * n);
  std::vector<double> sources(n);
  for (std::size_t t = 0; t < n_samples; ++t) {
    for (double& source : sources) source = normal(random);
    for (std::size_t c = 0; c < n; ++c) {
      double sum = offset;
      for (std::size_t other = 0; other < n; ++other) sum += mix[c * n + other] * sources[other];
      samples[t * n + c] = static_cast<std::int16_t>(std::lround(std::clamp(sum, -32768.0, 32767.0)));
    }
  }
  return samples;
}

inline std::vector<std::int32_t> all_columns(std::size_t n_channels) {
  std::vector<std::int32_t> columns;
  for (std::size_t c = 0; c < n_channels; ++c) columns.push_back(static_cast<std::int32_t>(c));
  return columns;
}

}  // namespace kokkosort::test
