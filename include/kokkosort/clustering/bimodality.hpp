#pragma once

#include <cstdint>
#include <vector>

#include "kokkosort/clustering/leaf_grams.hpp"
#include "kokkosort/clustering/leaves.hpp"
#include "kokkosort/clustering/section_batch.hpp"
#include "kokkosort/transfer_ledger.hpp"

namespace kokkosort {

inline constexpr std::uint32_t projection_bins = 400;  // over [−2, 2)

/// A node of a merging tree to be tested: its two sides are ranges of leaves of the batch.
struct NodeSides {
  std::uint32_t section;  // place in the batch
  std::uint32_t first;    // leaf
  std::uint32_t middle;
  std::uint32_t last;
};

/// Regresses side (−1, +1) on the features of each node's spikes, with an intercept, each side weighted by the other's
/// share and a ridge of 0.01; projects the spikes and counts the projections. One launch per step for all nodes.
///
/// @param exec   fenced by reading the histograms
/// @param batch  points ordered by leaf
/// @return [nodes, projection_bins]; projections outside [−2, 2) are not counted
/// Source: Pachitariu et al. 2024, Methods, "Bimodality"; the intercept is ours.
template <class Exec>
HostMatrix<std::uint32_t> project_nodes(const Exec& exec, const SectionBatch<Exec>& batch, const LeafTable<Exec>& leaves,
                                        const LeafGrams<Exec>& grams, const std::vector<NodeSides>& nodes,
                                        TransferLedger& ledger);

/// How deep the trough between two modes is: 1 where it is empty, 0 where it is as high as the lower peak, or where one
/// side has no projections.
/// The histogram is smoothed with a reflected Gaussian of 4 bins.
/// @param histogram  [projection_bins]
double bimodality_score(const std::uint32_t* histogram);

}  // namespace kokkosort
