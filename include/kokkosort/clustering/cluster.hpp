#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kokkosort/clustering/merge_tree.hpp"
#include "kokkosort/clustering/options.hpp"
#include "kokkosort/spike_features.hpp"
#include "kokkosort/stage_times.hpp"
#include "kokkosort/transfer_ledger.hpp"

namespace kokkosort {

/// What happened in one section.
struct SectionReport {
  std::int32_t shank = 0;
  double x_um = 0.0;
  double y_um = 0.0;
  std::int64_t spikes = 0;
  std::int32_t channels = 0;
  std::int32_t subset = 0;  // points in the neighbour graph's right side
  std::int32_t seeds = 0;   // seeds found
  std::int32_t leaves = 0;  // clusters of the graph
  std::int32_t first_unit = 0;
  std::int32_t units = 0;  // after the splits
  MergeTree tree;          // over the leaves
};

/// The clusters of a recording's spikes.
struct Clustering {
  std::vector<std::int32_t> labels;  // [spikes], 0 … units−1; every unit has a spike
  HostTensor3<float> templates;      // [units, channels, pcs], mean features
  std::vector<SectionReport> sections;
  StageTimes times;

  std::size_t n_units() const { return templates.extent(0); }
};

/// Whether sections fit the memory budget. @throws InputError if one alone exceeds it, with a budget that
/// would do
void check_device_memory(const SpikeFeatures& spikes, const ClusteringOptions& options);

/// Clusters the spikes of a recording, section by section, in batches that stay within the memory budget.
/// The answer does not depend on the batches, on scratch limits or on the number of threads.
///
/// @param exec     instance every kernel runs on; fenced on return
/// @param spikes   host memory; sample times not decreasing
/// @param ledger   gains the bytes that crossed
/// @throws InputError if there are no spikes, one has a feature that is not finite, or one section alone exceeds
/// the memory budget
/// Source: Pachitariu et al. 2024, Methods, "Graph-based clustering".
template <class Exec>
Clustering cluster_spikes(const Exec& exec, const SpikeFeatures& spikes, const ClusteringOptions& options,
                          TransferLedger& ledger);

}  // namespace kokkosort
