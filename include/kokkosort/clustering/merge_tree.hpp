#pragma once

#include <cstdint>
#include <vector>

#include "kokkosort/types.hpp"

namespace kokkosort {

/// Why a node of the merging tree was kept split or joined.
enum class Verdict : std::int32_t {
  untested,      // below a node that was joined
  split_ratio,   // too few edges between the sides
  joined_times,  // the sides are refractory to each other: one neuron
  split_trough,  // projections have two modes
  joined_trough, // projections have one mode
};

/// One join of the merging tree. Nodes 0 … leaves−1 are leaves; join j is node leaves + j.
struct Join {
  std::int32_t left = 0;   // node, the smaller index of the pair
  std::int32_t right = 0;  // node
  double ratio = 0.0;      // edges between the sides over expected edges
  Verdict verdict = Verdict::untested;
  double score = -1.0;  // bimodality, where it was measured
};

/// The order in which a section's clusters join, most connected pair first; the last join is the root.
struct MergeTree {
  int n_leaves = 0;
  std::vector<Join> joins;  // [n_leaves − 1], children before parents
};

/// Builds the merging tree from the edge counts of one section's clusters.
///
/// @param edges  [clusters, clusters]; edges from spikes of cluster a to subset points of cluster b, self-edges left out
/// ratio(a, b) = (N + Nᵀ) / (E + Eᵀ) with E[a,b] = 0.001 + k_a K_b / m; ties to the smaller pair of nodes.
/// Quadratic in the number of clusters.
/// Source: Pachitariu et al. 2024, Methods, "Hierarchical merging tree".
MergeTree build_merge_tree(const HostMatrix<std::uint32_t>& edges);

/// The leaves from left to right, so that every node covers a contiguous range of them.
/// @return leaf index by place, [n_leaves]
std::vector<std::int32_t> leaf_order(const MergeTree& tree);

}  // namespace kokkosort
