#pragma once

#include <vector>

#include "kokkosort/clustering/bimodality.hpp"
#include "kokkosort/clustering/correlograms.hpp"
#include "kokkosort/clustering/leaf_grams.hpp"
#include "kokkosort/clustering/leaves.hpp"
#include "kokkosort/clustering/merge_tree.hpp"
#include "kokkosort/clustering/options.hpp"

namespace kokkosort {

/// A range of leaves of one section that are one cluster.
struct LeafRange {
  std::uint32_t first;  // leaf of the batch
  std::uint32_t last;
};

/// Decides which joins of a batch's merging trees are made, from the roots down. A node is kept split where its ratio
/// is low or its spikes' projections have a trough, and joined where its sides are refractory to each other; what lies below
/// a joined node is one cluster. All nodes that can be tested at a time are tested in the same launches.
///
/// @param exec          fenced
/// @param batch         points ordered by leaf
/// @param correlograms  of the leaves; null: spike times have no say
/// @param trees         of the batch's sections; gain the verdicts and scores
/// @return per section its clusters, in the order of their leaves
template <class Exec>
std::vector<std::vector<LeafRange>> decide_splits(const Exec& exec, const SectionBatch<Exec>& batch,
                                                  const LeafTable<Exec>& leaves, const LeafGrams<Exec>& grams,
                                                  const LeafCorrelograms* correlograms, const SplitOptions& options,
                                                  std::vector<MergeTree>& trees, TransferLedger& ledger);

}  // namespace kokkosort
