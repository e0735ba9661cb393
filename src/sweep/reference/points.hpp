#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kokkosort/clustering/sections.hpp"
#include "kokkosort/spike_features.hpp"

namespace kokkosort {

using Points = std::vector<std::vector<double>>;  // [spikes][features]

/// A section's points as they should be embedded, from the features by the definition.
Points reference_points(const SpikeFeatures& spikes, const Section& section);

/// Points with each feature's values side by side, so that distances to all of them are vector instructions.
class FeatureMajorPoints {
 public:
  explicit FeatureMajorPoints(const Points& points);
  /// Some of the points, in the order given.
  FeatureMajorPoints(const Points& points, const std::vector<std::uint32_t>& chosen);

  std::size_t size() const { return n_points_; }

  /// Squared distances of all points to x, [points].
  void squared_distances(const std::vector<double>& x, std::vector<double>& distance) const;

 private:
  std::size_t n_points_;
  std::vector<double> values_;  // [features, points]
};

/// Bound of the relative error of a squared distance that the device sums in f32: n additions, the difference and the
/// square each round by at most 2⁻²⁴, and a few more stand for the terms of higher order.
double squared_distance_error(std::size_t n_features);

}  // namespace kokkosort
