#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kokkosort/clustering/bimodality.hpp"

namespace kokkosort::test {

/// Solves a x = b by elimination with pivots.
inline std::vector<double> solve(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

/// Projections of two sides on their regression, by the definition: ±1 on the features, each side weighted by
/// the other's share, a ridge of 0.01 on the sums; with or without an intercept.
inline std::vector<double> direct_projections(std::vector<std::vector<double>> left,
                                              std::vector<std::vector<double>> right, bool intercept) {
  if (intercept)
    for (auto* side : {&left, &right})
      for (auto& x : *side) x.push_back(1.0);
  const std::size_t n = left[0].size();
  const auto total = static_cast<double>(left.size() + right.size());
  std::vector<std::vector<double>> system(n, std::vector<double>(n, 0.0));
  std::vector<double> target(n, 0.0);
  const auto add = [&](const std::vector<std::vector<double>>& side, double y, double weight) {
    for (const auto& x : side)
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) system[i][j] += weight * x[i] * x[j];
        target[i] += weight * y * x[i];
      }
  };
  add(left, -1.0, static_cast<double>(right.size()) / total);
  add(right, 1.0, static_cast<double>(left.size()) / total);
  for (std::size_t i = 0; i < n; ++i) system[i][i] += 0.01;
  const std::vector<double> weights = solve(system, target);
  std::vector<double> projections;
  for (const auto* side : {&left, &right})
    for (const auto& x : *side) {
      double sum = 0.0;
      for (std::size_t i = 0; i < n; ++i) sum += weights[i] * x[i];
      projections.push_back(sum);
    }
  return projections;
}

inline std::vector<std::uint32_t> direct_histogram(const std::vector<double>& projections) {
  std::vector<std::uint32_t> histogram(projection_bins, 0);
  for (const double p : projections)
    if (p >= -2.0 && p < 2.0) ++histogram[static_cast<std::size_t>((p + 2.0) * 100.0)];
  return histogram;
}

/// The score by the definition.
inline double direct_score(const std::uint32_t* histogram) {
  const auto at = [&](int bin) {  // d c b a | a b c d | d c b a
    const int n = static_cast<int>(projection_bins);
    const int place = ((bin % (2 * n)) + 2 * n) % (2 * n);
    return static_cast<double>(histogram[place < n ? place : 2 * n - 1 - place]);
  };
  double norm = 0.0;
  for (int i = -16; i <= 16; ++i) norm += std::exp(-i * i / 32.0);
  std::vector<double> smooth;
  for (int bin = 0; bin < static_cast<int>(projection_bins); ++bin) {
    double sum = 0.0;
    for (int i = -16; i <= 16; ++i) sum += std::exp(-i * i / 32.0) * at(bin - i);
    smooth.push_back(sum / norm);
  }
  std::size_t trough = 175;
  for (std::size_t bin = 175; bin < 225; ++bin)
    if (smooth[bin] < smooth[trough]) trough = bin;
  double left = 0.0;
  double right = 0.0;
  for (std::size_t bin = 0; bin <= trough; ++bin) left = std::max(left, smooth[bin]);
  for (std::size_t bin = trough; bin < smooth.size(); ++bin) right = std::max(right, smooth[bin]);
  if (left == 0.0 || right == 0.0) return 0.0;
  return 1.0 - std::max(smooth[trough] / left, smooth[trough] / right);
}

}  // namespace kokkosort::test
