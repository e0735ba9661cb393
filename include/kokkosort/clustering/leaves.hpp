#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kokkosort/clustering/merge_tree.hpp"
#include "kokkosort/clustering/section_batch.hpp"
#include "kokkosort/transfer_ledger.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// The leaves of the merging trees of a batch, section after section, in the order in which they stand under their
/// trees: every node of a tree is a range of places.
template <class Exec>
struct LeafTable {
  std::uint32_t n_leaves = 0;                  // of the batch
  std::vector<std::uint32_t> first_leaf;       // [sections + 1], in arrays over leaves
  std::vector<std::uint32_t> first_column;     // [leaves], column of the batch where the leaf's spikes begin
  std::vector<std::uint32_t> n_spikes;         // [leaves]
  std::vector<std::int64_t> first_sample;      // [leaves], time of the earliest spike
  std::vector<std::int64_t> last_sample;       // [leaves]
  Vector<std::uint32_t, Exec> section_of_leaf;         // [leaves]
  Vector<std::uint32_t, Exec> first_leaf_on_device;    // [sections + 1]
  Vector<std::uint32_t, Exec> first_column_on_device;  // [leaves]
  Vector<std::uint32_t, Exec> n_spikes_on_device;      // [leaves]
  Vector<std::uint32_t, Exec> place_of;                // [n_columns], leaf of the batch, of the spikes in time order
};

/// Numbers the leaves of a batch and counts their spikes.
///
/// @param exec      not fenced for kernels on return
/// @param sections  of the batch
/// @param trees     of the batch's sections
/// @param labels    leaf of each spike within its section, as the graph numbered it, [n_columns]
/// @param on_host   a host copy of labels
/// @param ledger    gains the tables that go up
template <class Exec>
LeafTable<Exec> make_leaf_table(const Exec& exec, const SectionBatch<Exec>& batch, std::span<const Section> sections,
                                const std::vector<MergeTree>& trees, const SpikeFeatures& spikes,
                                const Vector<std::int32_t, Exec>& labels, const HostVector<std::int32_t>& on_host,
                                TransferLedger& ledger);

/// Columns of each section's spikes ordered by leaf, and by time within a leaf, as embed_points takes them.
/// @param exec  not fenced on return
template <class Exec>
Vector<std::uint32_t, Exec> order_by_leaf(const Exec& exec, const SectionBatch<Exec>& batch,
                                          const LeafTable<Exec>& leaves);

}  // namespace kokkosort
