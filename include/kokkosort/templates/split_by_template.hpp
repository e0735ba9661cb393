#pragma once

#include <cstdint>
#include <vector>

#include "kokkosort/spike_features.hpp"

namespace kokkosort {

struct SplitByTemplateOptions {
  double min_share = 0.05;       // of a template's spikes, that a unit has
  std::int64_t min_spikes = 10;  // that a unit has, unless its template has no other
};

/// Units of spikes, and what they look like.
struct SpikeUnits {
  std::vector<std::int32_t> labels;  // [spikes], 0 … units − 1; every unit has a spike
  HostTensor3<float> means;          // [units, channels, pcs], mean features; 0 on channels that none is of

  std::size_t n_units() const { return means.extent(0); }
};

/// Divides the clusters of matched spikes that mix templates: templates that were not merged are of different
/// neurons, which a graph of neighbours in features does not always see, above all where one fires much less
/// than the other. What a cluster has of one template is a unit; what is too little for one joins the
/// template's largest.
///
/// @param spikes  that were matched: a spike's centre is its template
/// @param labels  [spikes], the cluster of each
SpikeUnits split_by_template(const SpikeFeatures& spikes, const std::vector<std::int32_t>& labels,
                             const SplitByTemplateOptions& options);

/// Mean features of units. Sums are in the spikes' order, in double precision.
/// @param labels  [spikes], 0 … n_units − 1
HostTensor3<float> mean_features(const SpikeFeatures& spikes, const std::vector<std::int32_t>& labels,
                                 std::size_t n_units);

}  // namespace kokkosort
