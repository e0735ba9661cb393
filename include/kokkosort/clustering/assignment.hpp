#pragma once

#include <cstdint>

#include "kokkosort/clustering/neighbours.hpp"
#include "kokkosort/clustering/seeding.hpp"
#include "kokkosort/transfer_ledger.hpp"

namespace kokkosort {

/// Cluster labels on both sides of a batch's neighbour graph.
template <class Exec>
struct Assignment {
  Vector<std::int32_t, Exec> left;         // [n_columns], of the spikes; 0 … n_clusters−1 of their section
  Vector<std::int32_t, Exec> right;        // [n_subset], of the subset points; -1 if no spike has the label
  HostVector<std::uint32_t> n_clusters;    // [sections], clusters that have spikes
  Vector<std::uint32_t, Exec> n_clusters_on_device;
};

/// Moves spikes and subset points between clusters until none gains, or `rounds` times: all subset points at once, then
/// all spikes at once. A node goes to the cluster c that maximises n_c − γ k K_c / 2m among its neighbours' clusters and its own,
/// ties to the smallest label; n_c counts its edges into c, k its degree, K_c the degrees of the other side's nodes in c,
/// m the section's edges. A spike's edge to its own copy in the subset counts in n_c only. Cluster labels that no spike
/// has are dropped.
///
/// @param exec     instance every kernel runs on; fenced by reading whether anything moved
/// @param seeding  first labels of the spikes; a subset point starts with its spike's
/// @param ledger   gains the counters that come back
/// Source: Pachitariu et al. 2024, Methods, "Graph-based clustering"; null model: Barber 2007, "Modularity and
/// community detection in bipartite networks".
template <class Exec>
Assignment<Exec> assign_clusters(const Exec& exec, const SectionBatch<Exec>& batch, const NeighbourGraph<Exec>& graph,
                                 const Seeding<Exec>& seeding, const AssignmentOptions& options,
                                 TransferLedger& ledger);

/// Edges between the clusters of each section, self-edges left out.
///
/// @return per section a host matrix [clusters, clusters]: from spikes of cluster a to subset points of cluster b
template <class Exec>
std::vector<HostMatrix<std::uint32_t>> count_edges(const Exec& exec, const SectionBatch<Exec>& batch,
                                                   const NeighbourGraph<Exec>& graph, const Assignment<Exec>& assignment,
                                                   TransferLedger& ledger);

}  // namespace kokkosort
