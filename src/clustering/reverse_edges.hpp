#pragma once

#include <cstdint>

#include "kokkosort/clustering/neighbours.hpp"
#include "kokkosort/clustering/section_batch.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// A batch's neighbour graph readable from both sides: from a spike to its neighbours, and from a subset point to the
/// spikes that are tied to it. A spike's edge to its own copy is an edge but counts in no degree.
template <class Exec>
struct SectionGraph {
  Vector<SectionExtent, Exec> sections;
  Vector<std::uint32_t, Exec> section_of;         // [n_columns]
  Vector<std::uint32_t, Exec> section_of_subset;  // [n_subset]
  Matrix<std::int32_t, Exec> neighbours;          // [neighbours, n_columns]
  Vector<std::uint32_t, Exec> first_edge;         // [n_subset + 1], in spike_of_edge
  Vector<std::uint32_t, Exec> spike_of_edge;      // columns, grouped by subset point; any order within a group
  Vector<std::uint32_t, Exec> right_degree;       // [n_subset]

  KOKKOS_INLINE_FUNCTION bool is_spike(std::uint32_t s, std::uint32_t column) const {
    return column - sections(s).first_spike < sections(s).n_spikes;
  }
  KOKKOS_INLINE_FUNCTION std::uint32_t column_of_subset(std::uint32_t node) const {
    const SectionExtent& section = sections(section_of_subset(node));
    return section.first_spike + section.spike_of_subset(node - section.first_subset);
  }
  KOKKOS_INLINE_FUNCTION std::uint32_t neighbours_per_spike(std::uint32_t s) const {
    const auto wanted = static_cast<std::uint32_t>(neighbours.extent(0));
    return sections(s).n_subset < wanted ? sections(s).n_subset : wanted;
  }
  KOKKOS_INLINE_FUNCTION std::uint32_t left_degree(std::uint32_t s, std::uint32_t column) const {
    const SectionExtent& section = sections(s);
    std::uint32_t degree = 0;
    for (std::uint32_t k = 0; k < neighbours_per_spike(s); ++k) {
      const auto j = static_cast<std::uint32_t>(neighbours(k, column));
      degree += section.first_spike + section.spike_of_subset(j) == column ? 0u : 1u;
    }
    return degree;
  }
  /// Edges of a section, self-edges left out: every subset point is its own spike's nearest unless copies precede it.
  Vector<std::uint32_t, Exec> edges_of_section;  // [sections]
  KOKKOS_INLINE_FUNCTION double n_edges(std::uint32_t s) const { return static_cast<double>(edges_of_section(s)); }

  /// Labels of a spike's neighbours. @return how many
  KOKKOS_INLINE_FUNCTION int neighbour_labels(std::uint32_t s, std::uint32_t column,
                                              const Vector<std::int32_t, Exec>& right, std::int32_t* labels) const {
    const auto n = static_cast<int>(neighbours_per_spike(s));
    for (int k = 0; k < n; ++k)
      labels[k] = right(sections(s).first_subset + static_cast<std::uint32_t>(neighbours(k, column)));
    return n;
  }
};

/// Groups the edges of a batch by subset point, and counts degrees.
/// @param exec  not fenced on return
template <class Exec>
SectionGraph<Exec> reverse_edges(const Exec& exec, const SectionBatch<Exec>& batch, const NeighbourGraph<Exec>& graph);

}  // namespace kokkosort
