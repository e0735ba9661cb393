#pragma once

#include <cstdint>
#include <vector>

#include "kokkosort/clustering/cluster.hpp"
#include "kokkosort/io/pending_file.hpp"
#include "kokkosort/io/run_record.hpp"
#include "kokkosort/spike_features.hpp"
#include "kokkosort/templates/learn.hpp"

namespace kokkosort {

/// Clusters, and the templates made from them.
struct ClusterResult {
  Clustering clustering;
  LearnedTemplates learned;
};

/// Writes clusters.h5 (DESIGN, section 8) and commits it. Labels are in the order of the features file. Equal
/// clusterings are equal bytes in every dataset and attribute outside /run.
///
/// Merging trees are flattened to one row a join in sections/tree: the section's place in sections/, the two
/// nodes joined (0 … leaves−1 are leaves, leaves + j is the section's join j), ratio, verdict and score.
///
/// `templates` are the clusters' mean features. `learned_templates`, which read_templates() reads, are what
/// they became after alignment and merging; `learned_template_of` is the one that each cluster went into (−1:
/// its mean is zero), `learned_shift_of` the samples by which its waveforms were moved later.
///
/// @throws std::runtime_error if the disk does not take it; then nothing is left of it
void write_clusters(PendingFile& file, const SpikeFeatures& spikes, const ClusterResult& result,
                    const RunRecord& run);

/// Labels as they belong to the spikes of the features file.
std::vector<std::int32_t> in_file_order(const std::vector<std::int32_t>& labels,
                                        const HostVector<std::int64_t>& file_order);

}  // namespace kokkosort
