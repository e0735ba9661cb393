#pragma once

#include <cstdint>
#include <vector>

#include "kokkosort/clustering/leaves.hpp"
#include "kokkosort/clustering/refractory.hpp"
#include "kokkosort/clustering/section_batch.hpp"

namespace kokkosort {

/// Correlogram counters of all pairs of leaves of each section of a batch.
struct LeafCorrelograms {
  HostVector<std::uint32_t> counters;    // per section [leaves, leaves, CorrelogramCounter::size]: (a, b) holds pairs in
                                         // which a spike of leaf b comes after one of leaf a
  std::vector<std::uint64_t> first;      // [sections + 1], in counters
  std::vector<std::uint32_t> n_leaves;   // [sections]

  /// Counts of two sets of leaves, [first, middle) and [middle, last) by place in the section.
  CorrelogramCounts between(std::size_t section, std::uint32_t first_leaf, std::uint32_t middle, std::uint32_t last) const;
};

/// One pass over the spikes in time order: each looks ahead half a second.
///
/// @param exec   fenced by reading the counters
/// @param batch  times in order
template <class Exec>
LeafCorrelograms count_correlograms(const Exec& exec, const SectionBatch<Exec>& batch, const LeafTable<Exec>& leaves,
                                    double sampling_rate_hz, TransferLedger& ledger);

}  // namespace kokkosort
