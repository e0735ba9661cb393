#include "clustering/reverse_edges.hpp"

#include "core/instantiate.hpp"

namespace kokkosort {
namespace {

template <class Exec>
void locate_subset(const Exec& exec, const SectionBatch<Exec>& batch, const SectionGraph<Exec>& result) {
  const auto sections = batch.sections;
  const auto section_of_subset = result.section_of_subset;
  Kokkos::parallel_for(
      "kokkosort::clustering::locate_subset",
      Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(batch.n_sections()), Kokkos::AUTO),
      KOKKOS_LAMBDA(const TeamMember<Exec>& member) {
        const auto s = static_cast<std::uint32_t>(member.league_rank());
        const std::uint32_t first = sections(s).first_subset;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, sections(s).n_subset),
                             [&](const std::uint32_t j) { section_of_subset(first + j) = s; });
      });
}

/// Counts each subset point's edges, and its degree and the section's edges without self-edges.
template <class Exec>
void count_degrees(const Exec& exec, const SectionBatch<Exec>& batch, const SectionGraph<Exec>& result,
                   const Vector<std::uint32_t, Exec>& n_edges) {
  Kokkos::parallel_for(
      "kokkosort::clustering::count_degrees", Kokkos::RangePolicy<Exec>(exec, 0, batch.n_columns),
      KOKKOS_LAMBDA(const std::uint32_t column) {
        const std::uint32_t s = result.section_of(column);
        if (!result.is_spike(s, column)) return;
        const SectionExtent& section = result.sections(s);
        std::uint32_t degree = 0;
        for (std::uint32_t k = 0; k < result.neighbours_per_spike(s); ++k) {
          const std::uint32_t node = section.first_subset + static_cast<std::uint32_t>(result.neighbours(k, column));
          Kokkos::atomic_inc(&n_edges(node));
          if (result.column_of_subset(node) == column) continue;
          Kokkos::atomic_inc(&result.right_degree(node));
          ++degree;
        }
        Kokkos::atomic_add(&result.edges_of_section(s), degree);
      });
}

template <class Exec>
void sum_before(const Exec& exec, const Vector<std::uint32_t, Exec>& counts, const Vector<std::uint32_t, Exec>& first) {
  const std::size_t n = counts.extent(0);
  Kokkos::parallel_scan(
      "kokkosort::clustering::sum_before", Kokkos::RangePolicy<Exec>(exec, 0, n + 1),
      KOKKOS_LAMBDA(const std::size_t i, std::uint32_t& sum, const bool final) {
        if (final) first(i) = sum;
        if (i < n) sum += counts(i);
      });
}

/// Puts every spike into the group of each of its neighbours; `left_to_place` counts down to the group's start.
template <class Exec>
void place_spikes(const Exec& exec, const SectionBatch<Exec>& batch, const SectionGraph<Exec>& result,
                  const Vector<std::uint32_t, Exec>& left_to_place) {
  Kokkos::parallel_for(
      "kokkosort::clustering::place_spikes", Kokkos::RangePolicy<Exec>(exec, 0, batch.n_columns),
      KOKKOS_LAMBDA(const std::uint32_t column) {
        const std::uint32_t s = result.section_of(column);
        if (!result.is_spike(s, column)) return;
        for (std::uint32_t k = 0; k < result.neighbours_per_spike(s); ++k) {
          const std::uint32_t node =
              result.sections(s).first_subset + static_cast<std::uint32_t>(result.neighbours(k, column));
          const std::uint32_t place = Kokkos::atomic_fetch_sub(&left_to_place(node), 1u) - 1u;
          result.spike_of_edge(result.first_edge(node) + place) = column;
        }
      });
}

}  // namespace

template <class Exec>
SectionGraph<Exec> reverse_edges(const Exec& exec, const SectionBatch<Exec>& batch, const NeighbourGraph<Exec>& graph) {
  using Counts = Vector<std::uint32_t, Exec>;
  SectionGraph<Exec> result;
  result.sections = batch.sections;
  result.section_of = batch.section_of;
  result.neighbours = graph.neighbours;
  result.section_of_subset = Counts(unfilled(exec, "kokkosort::clustering::section_of_subset"), batch.n_subset);
  result.first_edge = Counts(unfilled(exec, "kokkosort::clustering::first_edge"), batch.n_subset + 1);
  result.spike_of_edge = Counts(unfilled(exec, "kokkosort::clustering::spike_of_edge"),
                                std::size_t{batch.n_columns} * graph.neighbours.extent(0));
  result.right_degree = Counts(Kokkos::view_alloc(exec, "kokkosort::clustering::right_degree"), batch.n_subset);
  result.edges_of_section =
      Counts(Kokkos::view_alloc(exec, "kokkosort::clustering::edges_of_section"), batch.n_sections());
  const Counts n_edges(Kokkos::view_alloc(exec, "kokkosort::clustering::edges_of_subset"), batch.n_subset);

  locate_subset(exec, batch, result);
  count_degrees(exec, batch, result, n_edges);
  sum_before(exec, n_edges, result.first_edge);
  place_spikes(exec, batch, result, n_edges);
  return result;
}

#define INSTANTIATE(Exec) \
  template SectionGraph<Exec> reverse_edges(const Exec&, const SectionBatch<Exec>&, const NeighbourGraph<Exec>&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
