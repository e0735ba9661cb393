#include "sweep/reference/points.hpp"

#include <algorithm>
#include <numeric>

namespace kokkosort {
namespace {

std::vector<std::uint32_t> all_of(const Points& points) {
  std::vector<std::uint32_t> all(points.size());
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

}  // namespace

Points reference_points(const SpikeFeatures& spikes, const Section& section) {
  Points points;
  for (const std::int64_t index : section.spikes) {
    const auto i = static_cast<std::size_t>(index);
    const auto centre = static_cast<std::size_t>(spikes.centre(i));
    std::vector<double> x(section.channels.size() * spikes.n_pcs(), 0.0);
    for (std::size_t row = 0; row < spikes.n_rows(); ++row)
      for (std::size_t slot = 0; slot < section.channels.size(); ++slot) {
        if (section.channels[slot] != spikes.centres.channels(centre, row)) continue;
        for (std::size_t pc = 0; pc < spikes.n_pcs(); ++pc)
          x[slot * spikes.n_pcs() + pc] = spikes.features(i, row, pc);
      }
    points.push_back(std::move(x));
  }
  return points;
}

FeatureMajorPoints::FeatureMajorPoints(const Points& points) : FeatureMajorPoints(points, all_of(points)) {}

FeatureMajorPoints::FeatureMajorPoints(const Points& points, const std::vector<std::uint32_t>& chosen)
    : n_points_(chosen.size()), values_(points.empty() ? 0 : points[0].size() * chosen.size()) {
  for (std::size_t i = 0; i < n_points_; ++i)
    for (std::size_t f = 0; f < points[chosen[i]].size(); ++f) values_[f * n_points_ + i] = points[chosen[i]][f];
}

void FeatureMajorPoints::squared_distances(const std::vector<double>& x, std::vector<double>& distance) const {
  constexpr std::size_t block = 256;  // sums that stay in the nearest cache
  distance.resize(n_points_);
  for (std::size_t first = 0; first < n_points_; first += block) {
    const std::size_t count = std::min(block, n_points_ - first);
    double sum[block] = {};
    for (std::size_t f = 0; f < x.size(); ++f) {
      const double* const row = &values_[f * n_points_ + first];
      const double value = x[f];
      for (std::size_t i = 0; i < count; ++i) sum[i] += (row[i] - value) * (row[i] - value);
    }
    std::copy_n(sum, count, &distance[first]);
  }
}

double squared_distance_error(std::size_t n_features) { return static_cast<double>(n_features + 8) * 0x1p-24; }

}  // namespace kokkosort
