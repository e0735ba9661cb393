#pragma once

#include <cstddef>
#include <vector>

#include "kokkosort/clustering/leaves.hpp"
#include "kokkosort/clustering/section_batch.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// Per leaf Σ [x; 1] [x; 1]ᵀ over its spikes, in double precision. Sums of them are the normal equations of every
/// node above the leaf, and the last row holds Σ x and the number of spikes.
template <class Exec>
struct LeafGrams {
  Vector<double, Exec> values;      // per leaf [d + 1, d + 1], d = features of its section; lower triangle
  Vector<std::size_t, Exec> first;  // [leaves], where a leaf's matrix begins
};

/// @param exec    not fenced on return
/// @param batch   points ordered by leaf
/// @param ledger  gains the table of offsets that goes up
/// @throws std::invalid_argument if the options do not suit the kernel
template <class Exec>
LeafGrams<Exec> compute_leaf_grams(const Exec& exec, const SectionBatch<Exec>& batch, const LeafTable<Exec>& leaves,
                                   const GramOptions& options, TransferLedger& ledger);

/// Sums of the features of each leaf's spikes, read back from the Grams.
/// @return [leaves, features of the widest section]
template <class Exec>
HostMatrix<double> leaf_sums(const Exec& exec, const SectionBatch<Exec>& batch, const LeafTable<Exec>& leaves,
                             const LeafGrams<Exec>& grams, TransferLedger& ledger);

}  // namespace kokkosort
