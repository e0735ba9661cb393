#include "kokkosort/clustering/assignment.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "clustering/reverse_edges.hpp"
#include "core/instantiate.hpp"
#include "core/light.hpp"
#include "core/team_size.hpp"

namespace kokkosort {
namespace {

/// Rounds queued between two looks at whether anything moved: a look costs a device round trip.
template <class Exec>
int rounds_per_look(const AssignmentOptions& options) {
  if (options.rounds_per_look > 0) return options.rounds_per_look;
  return runs_on_host<Exec> ? 1 : 4;
}

/// How much a cluster's edges to a node exceed what the null model expects, times 2m (or m) so that all terms of γ = 1
/// are whole numbers and ties are exact.
struct Gain {
  double edges_scale;  // 2m, or m
  double resolution;   // γ

  KOKKOS_INLINE_FUNCTION double operator()(std::uint32_t edges, std::uint32_t degree, std::uint32_t cluster_weight) const {
    return static_cast<double>(edges) * edges_scale -
           resolution * (static_cast<double>(degree) * static_cast<double>(cluster_weight));
  }
};

template <class Exec>
struct MoveNodes {
  SectionGraph<Exec> graph;
  Vector<std::int32_t, Exec> left;
  Vector<std::int32_t, Exec> right;
  Matrix<std::uint32_t, Exec> left_weight;   // [sections, seeds], K_c of the spikes
  Matrix<std::uint32_t, Exec> right_weight;  // [sections, seeds], K_c of the subset points
  NullModel null_model;
  double resolution;

  KOKKOS_INLINE_FUNCTION Gain gain(const std::uint32_t s) const {
    const double m = graph.n_edges(s);
    return {null_model == NullModel::degree ? 2.0 * m : m, resolution};
  }
  /// What a node adds to K_c of its cluster.
  KOKKOS_INLINE_FUNCTION std::uint32_t weight(const std::uint32_t degree) const {
    return null_model == NullModel::degree ? degree : 1u;
  }
};

template <class Exec>
struct WeighLeft : MoveNodes<Exec> {
  KOKKOS_INLINE_FUNCTION void operator()(const std::uint32_t column) const {
    const std::uint32_t s = this->graph.section_of(column);
    if (!this->graph.is_spike(s, column)) return;
    Kokkos::atomic_add(&this->left_weight(s, this->left(column)), this->weight(this->graph.left_degree(s, column)));
  }
};

template <class Exec>
struct WeighRight : MoveNodes<Exec> {
  KOKKOS_INLINE_FUNCTION void operator()(const std::uint32_t node) const {
    const std::uint32_t s = this->graph.section_of_subset(node);
    Kokkos::atomic_add(&this->right_weight(s, this->right(node)), this->weight(this->graph.right_degree(node)));
  }
};

/// One team a subset point: it counts the labels of the spikes tied to it, then takes the best cluster.
template <class Exec>
struct MoveRight : MoveNodes<Exec> {
  std::uint32_t max_clusters;

  struct Best {
    double gain;
    std::int32_t label;
  };

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const auto node = static_cast<std::uint32_t>(member.league_rank());
    const std::uint32_t s = this->graph.section_of_subset(node);
    const std::int32_t own = this->right(node);
    const Scratch<std::uint32_t, Exec> counts(member.team_scratch(0), max_clusters);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, max_clusters), [&](const std::uint32_t c) { counts(c) = 0; });
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, this->graph.first_edge(node), this->graph.first_edge(node + 1)),
                         [&](const std::uint32_t e) { Kokkos::atomic_inc(&counts(this->left(this->graph.spike_of_edge(e)))); });
    member.team_barrier();

    const Gain gain = this->gain(s);
    const std::uint32_t degree = this->graph.right_degree(node);
    using Largest = Kokkos::MaxFirstLoc<double, std::int32_t>;
    typename Largest::value_type best;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(member, static_cast<std::int32_t>(max_clusters)),
        [&](const std::int32_t c, typename Largest::value_type& so_far) {
          if (counts(c) == 0 && c != own) return;
          const double value = gain(counts(c), degree, this->left_weight(s, c));
          if (value > so_far.val || (value == so_far.val && c < so_far.loc)) so_far = {value, c};
        },
        Largest(best));
    Kokkos::single(Kokkos::PerTeam(member), [&]() {
      if (best.loc == own) return;
      this->right(node) = best.loc;
      Kokkos::atomic_sub(&this->right_weight(s, own), this->weight(degree));
      Kokkos::atomic_add(&this->right_weight(s, best.loc), this->weight(degree));
    });
  }
};

template <class Exec>
struct MoveLeft : MoveNodes<Exec> {
  Vector<std::uint32_t, Exec> moved;  // [rounds]
  int round;

  KOKKOS_INLINE_FUNCTION void operator()(const std::uint32_t column) const {
    const std::uint32_t s = this->graph.section_of(column);
    if (!this->graph.is_spike(s, column)) return;
    const std::int32_t own = this->left(column);
    const std::uint32_t degree = this->graph.left_degree(s, column);
    const std::int32_t best = best_label(s, column, own, degree);
    if (best == own) return;
    this->left(column) = best;
    Kokkos::atomic_sub(&this->left_weight(s, own), this->weight(degree));
    Kokkos::atomic_add(&this->left_weight(s, best), this->weight(degree));
    Kokkos::atomic_inc(&moved(round));
  }

  KOKKOS_INLINE_FUNCTION std::int32_t best_label(std::uint32_t s, std::uint32_t column, std::int32_t own,
                                                 std::uint32_t degree) const {
    std::int32_t labels[max_proposals];
    const int n = this->graph.neighbour_labels(s, column, this->right, labels);
    const Gain gain = this->gain(s);
    std::int32_t best = own;
    double best_gain = gain(count(labels, n, own), degree, this->right_weight(s, own));
    for (int k = 0; k < n; ++k) {
      const double value = gain(count(labels, n, labels[k]), degree, this->right_weight(s, labels[k]));
      if (value > best_gain || (value == best_gain && labels[k] < best)) {
        best = labels[k];
        best_gain = value;
      }
    }
    return best;
  }

  KOKKOS_INLINE_FUNCTION static std::uint32_t count(const std::int32_t* labels, int n, std::int32_t label) {
    std::uint32_t edges = 0;
    for (int k = 0; k < n; ++k) edges += labels[k] == label ? 1u : 0u;
    return edges;
  }
};

/// Spikes start from their seeds, subset points from their spikes.
template <class Exec>
void start_labels(const Exec& exec, const SectionBatch<Exec>& batch, const SectionGraph<Exec>& graph,
                  const Vector<std::uint32_t, Exec>& seed_labels, const Assignment<Exec>& assignment) {
  const auto left = assignment.left;
  const auto right = assignment.right;
  Kokkos::parallel_for(
      "kokkosort::clustering::start_left", Kokkos::RangePolicy<Exec>(exec, 0, batch.n_columns),
      KOKKOS_LAMBDA(const std::uint32_t column) { left(column) = static_cast<std::int32_t>(seed_labels(column)); });
  Kokkos::parallel_for(
      "kokkosort::clustering::start_right", Kokkos::RangePolicy<Exec>(exec, 0, batch.n_subset),
      KOKKOS_LAMBDA(const std::uint32_t node) { right(node) = left(graph.column_of_subset(node)); });
}

template <class Exec>
bool any_moved(const Exec& exec, const Vector<std::uint32_t, Exec>& moved, int round, TransferLedger& ledger) {
  const HostVector<std::uint32_t> count("kokkosort::clustering::moved_on_host", 1);
  copy_down(exec, ledger, "clustering", "moved", count,
            Kokkos::subview(moved, std::make_pair(round, round + 1)));
  return count(0) > 0;
}

template <class Exec>
void move_until_settled(const Exec& exec, const SectionBatch<Exec>& batch, const MoveNodes<Exec>& nodes, int max_clusters,
                        const AssignmentOptions& options, TransferLedger& ledger) {
  const int rounds = options.rounds;
  const int per_look = rounds_per_look<Exec>(options);
  const Vector<std::uint32_t, Exec> moved(Kokkos::view_alloc(exec, "kokkosort::clustering::moved"),
                                          static_cast<std::size_t>(std::max(rounds, 1)));
  const auto clusters = static_cast<std::uint32_t>(max_clusters);
  const std::size_t scratch = Scratch<std::uint32_t, Exec>::shmem_size(clusters);
  const MoveRight<Exec> move_right{nodes, clusters};
  const int team_threads = team_size(exec, move_right, scratch, options.team_threads, 64);
  const auto n_subset = static_cast<int>(batch.n_subset);
  const Kokkos::RangePolicy<Exec> all_columns(exec, 0, batch.n_columns);

  Kokkos::parallel_for("kokkosort::clustering::weigh_left", all_columns, WeighLeft<Exec>{nodes});
  Kokkos::parallel_for("kokkosort::clustering::weigh_right", Kokkos::RangePolicy<Exec>(exec, 0, batch.n_subset),
                       WeighRight<Exec>{nodes});
  for (int round = 0; round < rounds; ++round) {
    Kokkos::parallel_for("kokkosort::clustering::move_right",
                         light(Kokkos::TeamPolicy<Exec>(exec, n_subset, team_threads).set_scratch_size(0, Kokkos::PerTeam(scratch))),
                         move_right);
    Kokkos::parallel_for("kokkosort::clustering::move_left", light(all_columns), MoveLeft<Exec>{nodes, moved, round});
    const bool look = (round + 1) % per_look == 0;
    if (look && !any_moved(exec, moved, round, ledger)) break;
  }
}

/// Renumbers the labels that spikes have from 0; one team a section.
template <class Exec>
struct RenumberLabels {
  Vector<SectionExtent, Exec> sections;
  Vector<std::int32_t, Exec> left;
  Vector<std::int32_t, Exec> right;
  Vector<std::uint32_t, Exec> n_clusters;
  std::uint32_t max_clusters;

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const auto s = static_cast<std::uint32_t>(member.league_rank());
    const SectionExtent& section = sections(s);
    const Scratch<std::int32_t, Exec> number(member.team_scratch(0), max_clusters);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, max_clusters), [&](const std::uint32_t c) { number(c) = -1; });
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, section.n_spikes), [&](const std::uint32_t i) {
      Kokkos::atomic_store(&number(left(section.first_spike + i)), 0);
    });
    member.team_barrier();
    Kokkos::single(Kokkos::PerTeam(member), [&]() {
      std::uint32_t found = 0;
      for (std::uint32_t c = 0; c < max_clusters; ++c)
        if (number(c) == 0) number(c) = static_cast<std::int32_t>(found++);
      n_clusters(s) = found;
    });
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, section.n_spikes), [&](const std::uint32_t i) {
      left(section.first_spike + i) = number(left(section.first_spike + i));
    });
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, section.n_subset), [&](const std::uint32_t j) {
      right(section.first_subset + j) = number(right(section.first_subset + j));
    });
  }
};

template <class Exec>
int most_seeds(const SectionBatch<Exec>& batch) {
  std::uint32_t most = 1;
  for (const SectionExtent& section : batch.extents) most = std::max(most, section.n_seeds);
  return static_cast<int>(most);
}

}  // namespace

template <class Exec>
Assignment<Exec> assign_clusters(const Exec& exec, const SectionBatch<Exec>& batch, const NeighbourGraph<Exec>& graph,
                                 const Seeding<Exec>& seeding, const AssignmentOptions& options,
                                 TransferLedger& ledger) {
  const std::size_t n_sections = batch.n_sections();
  Assignment<Exec> result;
  result.left = Vector<std::int32_t, Exec>(unfilled(exec, "kokkosort::clustering::left_labels"), batch.n_columns);
  result.right = Vector<std::int32_t, Exec>(unfilled(exec, "kokkosort::clustering::right_labels"), batch.n_subset);
  result.n_clusters = HostVector<std::uint32_t>("kokkosort::clustering::n_clusters_on_host", n_sections);
  result.n_clusters_on_device =
      Vector<std::uint32_t, Exec>(unfilled(exec, "kokkosort::clustering::n_clusters"), n_sections);

  const SectionGraph<Exec> edges = reverse_edges(exec, batch, graph);
  start_labels(exec, batch, edges, seeding.labels, result);
  const int max_clusters = most_seeds(batch);
  const auto zeroed = [&](const std::string& label) {
    return Matrix<std::uint32_t, Exec>(Kokkos::view_alloc(exec, label), n_sections, max_clusters);
  };
  const MoveNodes<Exec> nodes{edges,
                              result.left,
                              result.right,
                              zeroed("kokkosort::clustering::left_weight"),
                              zeroed("kokkosort::clustering::right_weight"),
                              options.null_model,
                              options.resolution};
  move_until_settled(exec, batch, nodes, max_clusters, options, ledger);

  const auto clusters = static_cast<std::uint32_t>(max_clusters);
  Kokkos::parallel_for(
      "kokkosort::clustering::renumber_labels",
      Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(n_sections), runs_on_host<Exec> ? 1 : 256)
          .set_scratch_size(0, Kokkos::PerTeam(Scratch<std::int32_t, Exec>::shmem_size(clusters))),
      RenumberLabels<Exec>{batch.sections, result.left, result.right, result.n_clusters_on_device, clusters});
  copy_down(exec, ledger, "clustering", "n_clusters", result.n_clusters, result.n_clusters_on_device);
  return result;
}

template <class Exec>
std::vector<HostMatrix<std::uint32_t>> count_edges(const Exec& exec, const SectionBatch<Exec>& batch,
                                                   const NeighbourGraph<Exec>& graph, const Assignment<Exec>& assignment,
                                                   TransferLedger& ledger) {
  const HostVector<std::uint64_t> host_first("kokkosort::clustering::first_edge_count_on_host", batch.n_sections() + 1);
  for (std::size_t s = 0; s < batch.n_sections(); ++s)
    host_first(s + 1) = host_first(s) + std::uint64_t{assignment.n_clusters(s)} * assignment.n_clusters(s);
  const Vector<std::uint64_t, Exec> first(unfilled(exec, "kokkosort::clustering::first_edge_count"),
                                          batch.n_sections() + 1);
  copy_up(exec, ledger, "clustering", "first_edge_count", first, host_first);

  const std::uint64_t n_counts = host_first(batch.n_sections());
  const Vector<std::uint32_t, Exec> counts(Kokkos::view_alloc(exec, "kokkosort::clustering::edge_counts"), n_counts);
  const auto section_of = batch.section_of;
  const auto sections = batch.sections;
  const auto neighbours = graph.neighbours;
  const auto left = assignment.left;
  const auto right = assignment.right;
  const auto n_clusters = assignment.n_clusters_on_device;
  Kokkos::parallel_for(
      "kokkosort::clustering::count_edges", Kokkos::RangePolicy<Exec>(exec, 0, batch.n_columns),
      KOKKOS_LAMBDA(const std::uint32_t column) {
        const std::uint32_t s = section_of(column);
        const SectionExtent& section = sections(s);
        const std::uint32_t spike = column - section.first_spike;
        if (spike >= section.n_spikes) return;
        for (std::size_t k = 0; k < neighbours.extent(0); ++k) {
          const std::int32_t j = neighbours(k, column);
          if (j < 0) break;
          const auto node = static_cast<std::uint32_t>(j);
          const std::int32_t label = right(section.first_subset + node);
          if (label < 0 || section.spike_of_subset(node) == spike) continue;
          Kokkos::atomic_inc(&counts(first(s) + static_cast<std::uint64_t>(left(column)) * n_clusters(s) +
                                     static_cast<std::uint64_t>(label)));
        }
      });

  const HostVector<std::uint32_t> all("kokkosort::clustering::edge_counts_on_host", n_counts);
  copy_down(exec, ledger, "clustering", "edge_counts", all, counts);
  std::vector<HostMatrix<std::uint32_t>> edges;
  for (std::size_t s = 0; s < batch.n_sections(); ++s) {
    edges.emplace_back("kokkosort::clustering::section_edges", assignment.n_clusters(s), assignment.n_clusters(s));
    std::copy(&all(host_first(s)), &all(host_first(s)) + edges.back().size(), edges.back().data());
  }
  return edges;
}

#define INSTANTIATE(Exec)                                                                                           \
  template Assignment<Exec> assign_clusters(const Exec&, const SectionBatch<Exec>&, const NeighbourGraph<Exec>&,    \
                                            const Seeding<Exec>&, const AssignmentOptions&, TransferLedger&);      \
  template std::vector<HostMatrix<std::uint32_t>> count_edges(const Exec&, const SectionBatch<Exec>&,              \
                                                              const NeighbourGraph<Exec>&, const Assignment<Exec>&, \
                                                              TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
