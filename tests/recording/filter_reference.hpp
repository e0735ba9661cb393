#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace kokkosort::test {

/// Coefficients of a Butterworth high-pass filter of 3rd order: the bilinear transform of s³ / ((s + ω)(s² +
/// ωs + ω²)).
struct DirectFilter {
  std::array<double, 4> b{};
  std::array<double, 4> a{};

  DirectFilter(double sampling_rate_hz, double cutoff_hz) {
    const double w = std::tan(std::numbers::pi * cutoff_hz / sampling_rate_hz);
    // With s = (1 − z⁻¹) / (1 + z⁻¹): first- and second-order factors as polynomials in z⁻¹.
    const std::array<double, 2> first = {1.0 + w, w - 1.0};
    const std::array<double, 3> second = {1.0 + w + w * w, 2.0 * w * w - 2.0, 1.0 - w + w * w};
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 3; ++j) a[i + j] += first[i] * second[j];
    b = {1.0, -3.0, 3.0, -1.0};
    const double scale = a[0];
    for (std::size_t i = 0; i < 4; ++i) {
      a[i] /= scale;
      b[i] /= scale;
    }
  }

  /// Along time, as if the first value had been there for ever: a high-pass filter is zero then.
  std::vector<double> forward(const std::vector<double>& x) const {
    std::vector<double> y(x.size());
    const auto before = [](const std::vector<double>& values, std::size_t t, std::size_t k,
                           double otherwise) { return t >= k ? values[t - k] : otherwise; };
    for (std::size_t t = 0; t < x.size(); ++t) {
      double sum = 0.0;
      for (std::size_t k = 0; k < 4; ++k) sum += b[k] * (before(x, t, k, x[0]) - x[0]);
      for (std::size_t k = 1; k < 4; ++k) sum -= a[k] * before(y, t, k, 0.0);
      y[t] = sum;
    }
    return y;
  }

  /// Forward, then backward.
  std::vector<double> both_ways(std::vector<double> x) const {
    for (int pass = 0; pass < 2; ++pass) {
      x = forward(x);
      std::reverse(x.begin(), x.end());
    }
    return x;
  }
};

}  // namespace kokkosort::test
