#include <algorithm>
#include <array>
#include <cmath>

#include "kokkosort/clustering/bimodality.hpp"

namespace kokkosort {
namespace {

constexpr int smoothing_radius = 16;
constexpr double smoothing_sigma = 4.0;
constexpr int trough_first = 175;  // the trough is looked for between these bins
constexpr int trough_last = 225;

std::array<double, 2 * smoothing_radius + 1> gaussian_weights() {
  std::array<double, 2 * smoothing_radius + 1> weights{};
  double sum = 0.0;
  for (int i = -smoothing_radius; i <= smoothing_radius; ++i) {
    const double weight = std::exp(-0.5 * i * i / (smoothing_sigma * smoothing_sigma));
    weights[static_cast<std::size_t>(i + smoothing_radius)] = weight;
    sum += weight;
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

std::array<double, projection_bins> smooth(const std::uint32_t* histogram) {
  static const auto weights = gaussian_weights();
  constexpr auto n = static_cast<int>(projection_bins);
  std::array<double, projection_bins> smoothed{};
  for (int bin = 0; bin < n; ++bin)
    for (int i = -smoothing_radius; i <= smoothing_radius; ++i) {
      int from = bin + i;
      if (from < 0) from = -from - 1;  // reflected about the edge
      if (from >= n) from = 2 * n - 1 - from;
      smoothed[static_cast<std::size_t>(bin)] += weights[static_cast<std::size_t>(i + smoothing_radius)] * histogram[from];
    }
  return smoothed;
}

}  // namespace

double bimodality_score(const std::uint32_t* histogram) {
  const auto smoothed = smooth(histogram);
  const auto* const trough = std::min_element(smoothed.begin() + trough_first, smoothed.begin() + trough_last);
  const double left = *std::max_element(smoothed.begin(), trough + 1);
  const double right = *std::max_element(trough, smoothed.end());
  if (left <= 0.0 || right <= 0.0) return 0.0;
  return 1.0 - std::max(*trough / left, *trough / right);
}

}  // namespace kokkosort
