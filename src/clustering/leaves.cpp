#include "kokkosort/clustering/leaves.hpp"

#include <algorithm>
#include <limits>

#include "core/instantiate.hpp"
#include "core/transfers.hpp"

namespace kokkosort {
namespace {

/// Counts and times of each leaf, and where its spikes will stand.
template <class Exec>
void measure_leaves(const SectionBatch<Exec>& batch, std::span<const Section> sections, const SpikeFeatures& spikes,
                    const HostVector<std::int32_t>& labels, const std::vector<std::uint32_t>& leaf_of_label,
                    LeafTable<Exec>& table) {
  table.n_spikes.assign(table.n_leaves, 0);
  table.first_sample.assign(table.n_leaves, std::numeric_limits<std::int64_t>::max());
  table.last_sample.assign(table.n_leaves, std::numeric_limits<std::int64_t>::min());
  table.first_column.assign(table.n_leaves, 0);
  for (std::size_t s = 0; s < batch.n_sections(); ++s) {
    const SectionExtent& section = batch.extents[s];
    for (std::uint32_t i = 0; i < section.n_spikes; ++i) {
      const auto label = static_cast<std::uint32_t>(labels(section.first_spike + i));
      const std::uint32_t leaf = leaf_of_label[table.first_leaf[s] + label];
      const std::int64_t time = spikes.sample(static_cast<std::size_t>(sections[s].spikes[i]));
      ++table.n_spikes[leaf];
      table.first_sample[leaf] = std::min(table.first_sample[leaf], time);
      table.last_sample[leaf] = std::max(table.last_sample[leaf], time);
    }
    std::uint32_t column = section.first_spike;
    for (std::uint32_t leaf = table.first_leaf[s]; leaf < table.first_leaf[s + 1]; ++leaf) {
      table.first_column[leaf] = column;
      column += table.n_spikes[leaf];
    }
  }
}

template <class Exec>
void place_spikes(const Exec& exec, const SectionBatch<Exec>& batch, const LeafTable<Exec>& table,
                  const Vector<std::int32_t, Exec>& labels, const Vector<std::uint32_t, Exec>& leaf_of_label) {
  const auto sections = batch.sections;
  const auto section_of = batch.section_of;
  const auto first_leaf = table.first_leaf_on_device;
  const auto place_of = table.place_of;
  Kokkos::parallel_for(
      "kokkosort::clustering::place_spikes_in_leaves", Kokkos::RangePolicy<Exec>(exec, 0, batch.n_columns),
      KOKKOS_LAMBDA(const std::uint32_t column) {
        const std::uint32_t s = section_of(column);
        if (column - sections(s).first_spike >= sections(s).n_spikes) return;
        place_of(column) = leaf_of_label(first_leaf(s) + static_cast<std::uint32_t>(labels(column)));
      });
}

}  // namespace

template <class Exec>
LeafTable<Exec> make_leaf_table(const Exec& exec, const SectionBatch<Exec>& batch, std::span<const Section> sections,
                                const std::vector<MergeTree>& trees, const SpikeFeatures& spikes,
                                const Vector<std::int32_t, Exec>& labels, const HostVector<std::int32_t>& on_host,
                                TransferLedger& ledger) {
  LeafTable<Exec> table;
  std::vector<std::uint32_t> leaf_of_label;
  std::vector<std::uint32_t> section_of_leaf;
  for (std::size_t s = 0; s < trees.size(); ++s) {
    table.first_leaf.push_back(table.n_leaves);
    const std::vector<std::int32_t> order = leaf_order(trees[s]);
    leaf_of_label.resize(table.n_leaves + order.size());
    for (const std::int32_t label : order)
      leaf_of_label[table.first_leaf[s] + static_cast<std::uint32_t>(label)] = table.n_leaves++;
    section_of_leaf.resize(table.n_leaves, static_cast<std::uint32_t>(s));
  }
  table.first_leaf.push_back(table.n_leaves);
  measure_leaves(batch, sections, spikes, on_host, leaf_of_label, table);

  const auto upload = [&](const std::string& what, const std::vector<std::uint32_t>& values) {
    return upload_vector(exec, ledger, "clustering", what, values);
  };
  table.section_of_leaf = upload("section_of_leaf", section_of_leaf);
  table.first_leaf_on_device = upload("first_leaf", table.first_leaf);
  table.first_column_on_device = upload("first_column", table.first_column);
  table.n_spikes_on_device = upload("leaf_spikes", table.n_spikes);
  table.place_of = Vector<std::uint32_t, Exec>(unfilled(exec, "kokkosort::clustering::place_of"), batch.n_columns);
  place_spikes(exec, batch, table, labels, upload("leaf_of_label", leaf_of_label));
  return table;
}

/// One team a leaf: its spikes are found by a scan over the section's, so they stay in order of time.
template <class Exec>
Vector<std::uint32_t, Exec> order_by_leaf(const Exec& exec, const SectionBatch<Exec>& batch,
                                          const LeafTable<Exec>& leaves) {
  const Vector<std::uint32_t, Exec> order(unfilled(exec, "kokkosort::clustering::order"), batch.n_columns);
  const auto sections = batch.sections;
  const auto section_of_leaf = leaves.section_of_leaf;
  const auto first_column = leaves.first_column_on_device;
  const auto place_of = leaves.place_of;
  Kokkos::parallel_for(
      "kokkosort::clustering::order_by_leaf",
      Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(leaves.n_leaves), runs_on_host<Exec> ? 1 : 256),
      KOKKOS_LAMBDA(const TeamMember<Exec>& member) {
        const auto leaf = static_cast<std::uint32_t>(member.league_rank());
        const SectionExtent& section = sections(section_of_leaf(leaf));
        Kokkos::parallel_scan(Kokkos::TeamThreadRange(member, section.n_spikes),
                              [&](const std::uint32_t i, std::uint32_t& before, const bool final) {
                                if (place_of(section.first_spike + i) != leaf) return;
                                if (final) order(first_column(leaf) + before) = i;
                                ++before;
                              });
      });
  return order;
}

#define INSTANTIATE(Exec)                                                                                          \
  template LeafTable<Exec> make_leaf_table(const Exec&, const SectionBatch<Exec>&, std::span<const Section>,      \
                                           const std::vector<MergeTree>&, const SpikeFeatures&,                   \
                                           const Vector<std::int32_t, Exec>&, const HostVector<std::int32_t>&,    \
                                           TransferLedger&);                                                      \
  template Vector<std::uint32_t, Exec> order_by_leaf(const Exec&, const SectionBatch<Exec>&, const LeafTable<Exec>&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
