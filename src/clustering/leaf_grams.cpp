#include "kokkosort/clustering/leaf_grams.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/instantiate.hpp"
#include "core/team_size.hpp"
#include "core/transfers.hpp"

namespace kokkosort {
namespace {

constexpr std::uint32_t tile_rows = 16;  // a team computes a tile_rows × tile_rows block of one leaf's Gram

/// Partial sums of one scalar product: a CPU's vector register, one on a GPU. Added in a fixed order.
template <class Exec>
constexpr std::uint32_t partial_sums = runs_on_host<Exec> ? 8 : 1;

template <class Exec>
KOKKOS_INLINE_FUNCTION double chunk_product(const double* x, const double* y, const std::uint32_t chunk_spikes) {
  constexpr std::uint32_t lanes = partial_sums<Exec>;
  double partial[lanes] = {};
  for (std::uint32_t i = 0; i < chunk_spikes; i += lanes)
    for (std::uint32_t lane = 0; lane < lanes; ++lane) partial[lane] += x[i + lane] * y[i + lane];
  double sum = 0.0;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) sum += partial[lane];
  return sum;
}

template <class Exec>
struct GramTile {
  Vector<SectionExtent, Exec> sections;
  Vector<float, Exec> points;
  Vector<std::uint32_t, Exec> section_of_leaf;
  Vector<std::uint32_t, Exec> first_column;
  Vector<std::uint32_t, Exec> n_spikes;
  LeafGrams<Exec> grams;
  std::uint32_t tile_pairs;    // of the widest section
  std::uint32_t chunk_spikes;  // of a leaf, held in scratch at a time

  /// A row of the chunk; one more than its spikes so that rows start in different memory banks of a GPU.
  KOKKOS_INLINE_FUNCTION std::uint32_t chunk_stride() const { return chunk_spikes + 1; }

  std::size_t scratch_bytes() const {
    return 2 * Scratch<double, Exec>::shmem_size(tile_rows * chunk_stride()) +
           Scratch<double, Exec>::shmem_size(tile_rows * tile_rows);
  }

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const auto rank = static_cast<std::uint32_t>(member.league_rank());
    const std::uint32_t leaf = rank / tile_pairs;
    const SectionExtent& section = sections(section_of_leaf(leaf));
    std::uint32_t row_tile = 0;
    std::uint32_t column_tile = rank % tile_pairs;
    while (column_tile > row_tile) column_tile -= ++row_tile;  // pairs of the lower triangle, row by row
    if (row_tile * tile_rows > section.n_features) return;

    const Scratch<double, Exec> x(member.team_scratch(0), tile_rows * chunk_stride());
    const Scratch<double, Exec> y(member.team_scratch(0), tile_rows * chunk_stride());
    const Scratch<double, Exec> sums(member.team_scratch(0), tile_rows * tile_rows);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, tile_rows * tile_rows),
                         [&](const std::uint32_t o) { sums(o) = 0.0; });
    for (std::uint32_t done = 0; done < n_spikes(leaf); done += chunk_spikes) {
      load_chunk(member, section, leaf, row_tile, done, x);
      load_chunk(member, section, leaf, column_tile, done, y);
      member.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, tile_rows * tile_rows), [&](const std::uint32_t o) {
        sums(o) += chunk_product<Exec>(&x(o / tile_rows * chunk_stride()), &y(o % tile_rows * chunk_stride()), chunk_spikes);
      });
      member.team_barrier();
    }
    store(member, section, leaf, row_tile, column_tile, sums);
  }

  /// Rows of [x; 1] for the chunk's spikes; zero beyond the last row and the last spike.
  KOKKOS_INLINE_FUNCTION void load_chunk(const TeamMember<Exec>& member, const SectionExtent& section, std::uint32_t leaf,
                                         std::uint32_t tile, std::uint32_t done, const Scratch<double, Exec>& to) const {
    const std::uint32_t left = n_spikes(leaf) - done;
    const float* const from = &points(section.first_point + (first_column(leaf) - section.first_spike) + done);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, tile_rows * chunk_spikes), [&](const std::uint32_t o) {
      const std::uint32_t row = tile * tile_rows + o / chunk_spikes;
      const std::uint32_t i = o % chunk_spikes;
      double value = 0.0;
      if (i < left && row < section.n_features) value = from[std::size_t{row} * section.stride + i];
      if (i < left && row == section.n_features) value = 1.0;
      to(o / chunk_spikes * chunk_stride() + i) = value;
    });
  }

  KOKKOS_INLINE_FUNCTION void store(const TeamMember<Exec>& member, const SectionExtent& section, std::uint32_t leaf,
                                    std::uint32_t row_tile, std::uint32_t column_tile,
                                    const Scratch<double, Exec>& sums) const {
    const std::uint32_t n = section.n_features + 1;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, tile_rows * tile_rows), [&](const std::uint32_t o) {
      const std::uint32_t row = row_tile * tile_rows + o / tile_rows;
      const std::uint32_t column = column_tile * tile_rows + o % tile_rows;
      if (row < n && column <= row) grams.values(grams.first(leaf) + std::size_t{row} * n + column) = sums(o);
    });
  }
};

std::uint32_t widest_section(const std::vector<SectionExtent>& extents) {
  std::uint32_t most = 0;
  for (const SectionExtent& section : extents) most = std::max(most, section.n_features);
  return most;
}

}  // namespace

template <class Exec>
LeafGrams<Exec> compute_leaf_grams(const Exec& exec, const SectionBatch<Exec>& batch, const LeafTable<Exec>& leaves,
                                   const GramOptions& options, TransferLedger& ledger) {
  if (options.chunk_spikes < 8 || options.chunk_spikes % 8 != 0)
    throw std::invalid_argument("compute_leaf_grams: chunk_spikes must be a multiple of 8");
  std::vector<std::size_t> first;
  std::size_t n_values = 0;
  for (std::size_t s = 0; s < batch.n_sections(); ++s) {
    const std::size_t n = batch.extents[s].n_features + 1;
    for (std::uint32_t leaf = leaves.first_leaf[s]; leaf < leaves.first_leaf[s + 1]; ++leaf, n_values += n * n)
      first.push_back(n_values);
  }
  LeafGrams<Exec> grams;
  grams.first = upload_vector(exec, ledger, "clustering", "first_gram", first);
  grams.values = Vector<double, Exec>(unfilled(exec, "kokkosort::clustering::grams"), n_values);

  const std::uint32_t tiles = widest_section(batch.extents) / tile_rows + 1;  // of d + 1 rows
  const std::uint32_t tile_pairs = tiles * (tiles + 1) / 2;
  const GramTile<Exec> kernel{batch.sections,
                              batch.points,
                              leaves.section_of_leaf,
                              leaves.first_column_on_device,
                              leaves.n_spikes_on_device,
                              grams,
                              tile_pairs,
                              static_cast<std::uint32_t>(options.chunk_spikes)};
  const int threads = team_size(exec, kernel, kernel.scratch_bytes(), options.team_threads, 256);
  Kokkos::parallel_for("kokkosort::clustering::leaf_grams",
                       Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(leaves.n_leaves * tile_pairs), threads)
                           .set_scratch_size(0, Kokkos::PerTeam(kernel.scratch_bytes())),
                       kernel);
  return grams;
}

template <class Exec>
HostMatrix<double> leaf_sums(const Exec& exec, const SectionBatch<Exec>& batch, const LeafTable<Exec>& leaves,
                             const LeafGrams<Exec>& grams, TransferLedger& ledger) {
  const std::uint32_t most = widest_section(batch.extents);
  const Matrix<double, Exec> sums(Kokkos::view_alloc(exec, std::string("kokkosort::clustering::leaf_sums")),
                                  leaves.n_leaves, most);
  const auto sections = batch.sections;
  const auto section_of_leaf = leaves.section_of_leaf;
  Kokkos::parallel_for(
      "kokkosort::clustering::leaf_sums",
      Kokkos::RangePolicy<Exec>(exec, 0, std::size_t{leaves.n_leaves} * most), KOKKOS_LAMBDA(const std::size_t i) {
        const std::size_t leaf = i / most;
        const std::size_t feature = i % most;
        const std::size_t d = sections(section_of_leaf(leaf)).n_features;
        if (feature < d) sums(leaf, feature) = grams.values(grams.first(leaf) + d * (d + 1) + feature);
      });
  const HostMatrix<double> on_host("kokkosort::clustering::leaf_sums_on_host", leaves.n_leaves, most);
  copy_down(exec, ledger, "clustering", "leaf_sums", on_host, sums);
  return on_host;
}

#define INSTANTIATE(Exec)                                                                                            \
  template LeafGrams<Exec> compute_leaf_grams(const Exec&, const SectionBatch<Exec>&, const LeafTable<Exec>&,        \
                                              const GramOptions&, TransferLedger&);                                                   \
  template HostMatrix<double> leaf_sums(const Exec&, const SectionBatch<Exec>&, const LeafTable<Exec>&,              \
                                        const LeafGrams<Exec>&, TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
