#include "kokkosort/clustering/bimodality.hpp"

#include <algorithm>

#include "core/instantiate.hpp"
#include "core/transfers.hpp"

namespace kokkosort {
namespace {

constexpr double ridge = 0.01;                // on the sums
constexpr std::uint32_t block_columns = 256;  // spikes that one team projects

/// Spikes a thread projects at a time.
template <class Exec>
constexpr std::uint32_t columns_at_once = runs_on_host<Exec> ? 16 : 1;

/// Forms and solves each node's normal equations; one team a node.
template <class Exec>
struct SolveNodes {
  Vector<SectionExtent, Exec> sections;
  Vector<std::uint32_t, Exec> n_spikes;  // [leaves]
  LeafGrams<Exec> grams;
  Vector<NodeSides, Exec> nodes;
  Vector<std::size_t, Exec> first_value;  // [nodes], in systems
  Vector<double, Exec> systems;           // per node [d + 1, d + 1]
  Matrix<double, Exec> weights;           // [nodes, widest d + 1], the solutions

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const auto node = static_cast<std::uint32_t>(member.league_rank());
    const std::uint32_t n = sections(nodes(node).section).n_features + 1;
    double* const system = &systems(first_value(node));
    double* const solution = &weights(node, 0);
    form(member, nodes(node), n, system, solution);
    factor(member, n, system);
    substitute(member, n, system, solution);
  }

  KOKKOS_INLINE_FUNCTION double spikes_between(std::uint32_t first, std::uint32_t last) const {
    double sum = 0.0;
    for (std::uint32_t leaf = first; leaf < last; ++leaf) sum += n_spikes(leaf);
    return sum;
  }

  KOKKOS_INLINE_FUNCTION double gram_sum(std::uint32_t first, std::uint32_t last, std::size_t element) const {
    double sum = 0.0;
    for (std::uint32_t leaf = first; leaf < last; ++leaf) sum += grams.values(grams.first(leaf) + element);
    return sum;
  }

  /// The lower triangle of Σ w [x;1][x;1]ᵀ + ridge, and Σ w y [x;1], which the bias row of the Grams gives.
  KOKKOS_INLINE_FUNCTION void form(const TeamMember<Exec>& member, const NodeSides& sides, std::uint32_t n, double* system,
                                   double* right_side) const {
    const double left = spikes_between(sides.first, sides.middle);
    const double right = spikes_between(sides.middle, sides.last);
    const double left_weight = right / (left + right);
    const double right_weight = left / (left + right);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, n * n), [&](const std::uint32_t element) {
      const std::uint32_t row = element / n;
      const std::uint32_t column = element % n;
      if (column > row) return;
      const double of_left = left_weight * gram_sum(sides.first, sides.middle, element);
      const double of_right = right_weight * gram_sum(sides.middle, sides.last, element);
      system[element] = of_left + of_right + (row == column ? ridge : 0.0);
      if (row == n - 1) right_side[column] = of_right - of_left;
    });
    member.team_barrier();
  }

  /// Cholesky factorisation in place, column by column.
  KOKKOS_INLINE_FUNCTION void factor(const TeamMember<Exec>& member, std::uint32_t n, double* a) const {
    for (std::uint32_t k = 0; k < n; ++k) {
      const double pivot = Kokkos::sqrt(a[k * n + k]);
      member.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, k, n), [&](const std::uint32_t i) {
        a[i * n + k] = i == k ? pivot : a[i * n + k] / pivot;
      });
      member.team_barrier();
      const std::uint32_t rest = n - k - 1;
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, rest), [&](const std::uint32_t r) {
        const std::uint32_t i = k + 1 + r;
        const double factor_i = a[i * n + k];
        for (std::uint32_t j = k + 1; j <= i; ++j) a[i * n + j] -= factor_i * a[j * n + k];
      });
      member.team_barrier();
    }
  }

  KOKKOS_INLINE_FUNCTION void substitute(const TeamMember<Exec>& member, std::uint32_t n, const double* a, double* b) const {
    for (std::uint32_t k = 0; k < n; ++k) {
      Kokkos::single(Kokkos::PerTeam(member), [&]() { b[k] /= a[k * n + k]; });
      member.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, k + 1, n), [&](const std::uint32_t i) { b[i] -= a[i * n + k] * b[k]; });
      member.team_barrier();
    }
    for (std::uint32_t k = n; k-- > 0;) {
      Kokkos::single(Kokkos::PerTeam(member), [&]() { b[k] /= a[k * n + k]; });
      member.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, k), [&](const std::uint32_t i) { b[i] -= a[k * n + i] * b[k]; });
      member.team_barrier();
    }
  }
};

/// Some of a node's spikes, which stand side by side.
struct ProjectionBlock {
  std::uint32_t node;
  std::uint32_t section;
  std::uint32_t first_column;  // in the batch
  std::uint32_t count;
};

template <class Exec>
struct ProjectBlocks {
  Vector<SectionExtent, Exec> sections;
  Vector<float, Exec> points;
  Vector<ProjectionBlock, Exec> blocks;
  Matrix<double, Exec> weights;
  Matrix<std::uint32_t, Exec> histograms;

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    constexpr std::uint32_t width = columns_at_once<Exec>;
    const ProjectionBlock& block = blocks(static_cast<std::uint32_t>(member.league_rank()));
    const std::uint32_t packs = (block.count + width - 1) / width;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, packs), [&](const std::uint32_t pack) {
      const std::uint32_t left = block.count - pack * width;
      project(block, pack * width, left < width ? left : width);
    });
  }

  KOKKOS_INLINE_FUNCTION void project(const ProjectionBlock& block, const std::uint32_t first, const std::uint32_t count) const {
    const SectionExtent& section = sections(block.section);
    const float* const x = &points(section.first_point + (block.first_column - section.first_spike) + first);
    double projection[columns_at_once<Exec>];
    for (std::uint32_t w = 0; w < count; ++w) projection[w] = weights(block.node, section.n_features);
    for (std::uint32_t f = 0; f < section.n_features; ++f) {
      const double weight = weights(block.node, f);
      for (std::uint32_t w = 0; w < count; ++w) projection[w] += weight * x[std::size_t{f} * section.stride + w];
    }
    for (std::uint32_t w = 0; w < count; ++w) {
      const double bin = Kokkos::floor((projection[w] + 2.0) * (projection_bins / 4.0));
      if (bin >= 0.0 && bin < projection_bins) Kokkos::atomic_inc(&histograms(block.node, static_cast<std::uint32_t>(bin)));
    }
  }
};

template <class Exec>
Matrix<double, Exec> solve_nodes(const Exec& exec, const SectionBatch<Exec>& batch, const LeafTable<Exec>& leaves,
                                 const LeafGrams<Exec>& grams, const std::vector<NodeSides>& nodes,
                                 TransferLedger& ledger) {
  std::vector<std::size_t> first_value;
  std::size_t n_values = 0;
  std::size_t widest = 0;
  for (const NodeSides& node : nodes) {
    const std::size_t n = batch.extents[node.section].n_features + 1;
    first_value.push_back(n_values);
    n_values += n * n;
    widest = std::max(widest, n);
  }
  const Matrix<double, Exec> weights(unfilled(exec, "kokkosort::clustering::node_weights"), nodes.size(), widest);
  const SolveNodes<Exec> kernel{batch.sections,
                                leaves.n_spikes_on_device,
                                grams,
                                upload_vector(exec, ledger, "clustering", "nodes", nodes),
                                upload_vector(exec, ledger, "clustering", "first_system", first_value),
                                Vector<double, Exec>(unfilled(exec, "kokkosort::clustering::systems"), n_values),
                                weights};
  Kokkos::parallel_for("kokkosort::clustering::solve_nodes",
                       Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(nodes.size()), runs_on_host<Exec> ? 1 : 128),
                       kernel);
  return weights;
}

template <class Exec>
std::vector<ProjectionBlock> plan_blocks(const LeafTable<Exec>& leaves, const std::vector<NodeSides>& nodes) {
  std::vector<ProjectionBlock> blocks;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const NodeSides& sides = nodes[node];
    const std::uint32_t last = leaves.first_column[sides.last - 1] + leaves.n_spikes[sides.last - 1];
    for (std::uint32_t column = leaves.first_column[sides.first]; column < last; column += block_columns)
      blocks.push_back({static_cast<std::uint32_t>(node), sides.section, column, std::min(block_columns, last - column)});
  }
  return blocks;
}

}  // namespace

template <class Exec>
HostMatrix<std::uint32_t> project_nodes(const Exec& exec, const SectionBatch<Exec>& batch, const LeafTable<Exec>& leaves,
                                        const LeafGrams<Exec>& grams, const std::vector<NodeSides>& nodes,
                                        TransferLedger& ledger) {
  const Matrix<double, Exec> weights = solve_nodes(exec, batch, leaves, grams, nodes, ledger);
  const std::vector<ProjectionBlock> blocks = plan_blocks(leaves, nodes);
  const Matrix<std::uint32_t, Exec> histograms(
      Kokkos::view_alloc(exec, std::string("kokkosort::clustering::histograms")), nodes.size(), projection_bins);
  Kokkos::parallel_for("kokkosort::clustering::project_blocks",
                       Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(blocks.size()),
                                                runs_on_host<Exec> ? 1 : static_cast<int>(block_columns)),
                       ProjectBlocks<Exec>{batch.sections, batch.points,
                                           upload_vector(exec, ledger, "clustering", "projection_blocks", blocks), weights,
                                           histograms});
  const HostMatrix<std::uint32_t> on_host("kokkosort::clustering::histograms_on_host", nodes.size(), projection_bins);
  copy_down(exec, ledger, "clustering", "histograms", on_host, histograms);
  return on_host;
}

#define INSTANTIATE(Exec)                                                                                            \
  template HostMatrix<std::uint32_t> project_nodes(const Exec&, const SectionBatch<Exec>&, const LeafTable<Exec>&,   \
                                                   const LeafGrams<Exec>&, const std::vector<NodeSides>&,           \
                                                   TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
