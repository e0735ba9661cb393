#pragma once

#include <cstdint>

#include "kokkosort/clustering/section_batch.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// The bipartite graph of a batch: every spike tied to its nearest points of the section's subset.
template <class Exec>
struct NeighbourGraph {
  /// [neighbours, n_columns]; index into the section's subset, nearest first, ties to the smaller index; -1 where the
  /// subset has fewer points. Columns of no spike are unspecified.
  Matrix<std::int32_t, Exec> neighbours;
  Vector<float, Exec> norms;  // [n_columns], squared lengths of the points
};

/// The nearest subset points of every spike, by exact squared distance.
///
/// One gemm per tile of spikes proposes: all points that could be among the nearest given the product's rounding error.
/// Squared differences summed in feature order decide, so the answer does not depend on tiles, threads or BLAS.
///
/// @param exec    instance every kernel runs on; not fenced on return
/// @param batch   points in time order
/// @param ledger  gains the tables of tiles that go up
/// @throws std::invalid_argument if more neighbours are asked for than the kernel's fixed capacity (32)
/// Source: Pachitariu et al. 2024, Methods, "Graph-based clustering".
template <class Exec>
NeighbourGraph<Exec> find_neighbours(const Exec& exec, const SectionBatch<Exec>& batch,
                                     const NeighbourOptions& options, TransferLedger& ledger);

/// Squared lengths of a batch's points, [n_columns]; not fenced on return.
template <class Exec>
Vector<float, Exec> squared_norms(const Exec& exec, const SectionBatch<Exec>& batch);

/// Capacity of a spike's list of proposals; more are scanned exactly.
inline constexpr int max_proposals = 32;

}  // namespace kokkosort
