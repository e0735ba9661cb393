#include <algorithm>
#include <stdexcept>

#include "core/instantiate.hpp"
#include "detection/search_parts.hpp"
#include "kokkosort/detection/search.hpp"

namespace kokkosort {
namespace {

constexpr std::size_t row_padding = 16;   // floats of a cache line
constexpr std::size_t usual_cells = 256;  // their scores fill a GPU and take little memory
constexpr std::size_t fewest_cells = 8;   // below that most work would be at the chunk's ends, done twice

std::size_t cells_of(std::size_t samples) { return (samples + cell_samples - 1) / cell_samples; }

/// What a workspace's arrays have along each axis.
template <class Exec>
struct WorkspaceShape {
  const SearchSizes& sizes;
  std::size_t chunk_cells;

  std::size_t scored_cells() const {
    return round_up(chunk_cells + 2 * halo_cells(sizes.peak_sample), cells_of_thread<Exec>);
  }
  std::size_t columns() const {
    const std::size_t rounding = cells_of_thread<Exec> - 1;
    const std::size_t cells = cells_of(sizes.n_samples) + 2 * halo_cells(sizes.peak_sample) + rounding;
    return round_up(cells * cell_samples + sizes.nt - 1, row_padding);
  }
  std::size_t bytes(const DetectionOptions& options) const {
    const std::size_t tables =
        sizes.n_centres * (sizes.n_rows * (1 + padded_scales<Exec>(sizes.n_scales)) + sizes.n_neighbours) +
        (sizes.n_shapes + padded_pcs<Exec>(sizes.n_pcs)) * sizes.nt;
    const auto spikes = static_cast<std::size_t>(options.spikes_at_once);
    const std::size_t threads = runs_on_host<Exec> ? static_cast<std::size_t>(Exec().concurrency()) : 0;
    const std::size_t projections =
        projections_of_cell(sizes) * (runs_on_host<Exec> ? threads : scored_cells());
    const std::size_t floats = tables + sizes.n_channels * columns() + projections +
                               sizes.n_centres * (scored_cells() * (cell_samples + 1) + chunk_cells) +
                               spikes * sizes.n_rows * sizes.n_pcs;
    return floats * sizeof(float) + spikes * sizeof(FoundPeak) + sizeof(std::uint64_t);
  }
};

/// The longest chunk that is asked for and fits the limit.
template <class Exec>
std::size_t chunk_cells(const SearchSizes& sizes, const DetectionOptions& options, std::size_t taken) {
  const std::size_t asked =
      options.chunk_samples > 0 ? cells_of(static_cast<std::size_t>(options.chunk_samples)) : usual_cells;
  std::size_t cells = std::max<std::size_t>(1, std::min(asked, cells_of(sizes.n_samples)));
  while (cells > fewest_cells &&
         WorkspaceShape<Exec>{sizes, cells}.bytes(options) + taken > options.device_limit_bytes)
    cells = std::max(fewest_cells, cells / 2);
  return cells;
}

}  // namespace

SearchSizes sizes_of_search(std::size_t n_channels, const DetectionGrid& grid, const PrincipalComponents& pcs,
                            std::size_t n_samples) {
  return {n_channels,
          grid.weights.extent(0),
          grid.weights.extent(2),
          grid.weights.extent(1),
          grid.neighbours.extent(1),
          pcs.wTEMP.extent(0),
          pcs.wPCA.extent(0),
          pcs.wPCA.extent(1),
          static_cast<std::size_t>(pcs.peak_sample),
          n_samples};
}

std::size_t lead_samples(const SearchSizes& sizes) {
  return halo_cells(sizes.peak_sample) * cell_samples + sizes.nt / 2;
}

std::size_t trail_samples(const SearchSizes& sizes) { return sizes.peak_sample + sizes.nt / 2; }

template <class Exec>
std::size_t search_bytes(const SearchSizes& sizes, const DetectionOptions& options, std::size_t taken) {
  return WorkspaceShape<Exec>{sizes, chunk_cells<Exec>(sizes, options, taken)}.bytes(options);
}

template <class Exec>
SearchWorkspace<Exec> make_search_workspace(const Exec& exec, const SearchSizes& sizes,
                                            const DetectionOptions& options, std::size_t taken) {
  if (options.spikes_at_once < 1)
    throw std::invalid_argument("make_search_workspace: spikes_at_once must be at least 1");
  const WorkspaceShape<Exec> shape{sizes, chunk_cells<Exec>(sizes, options, taken)};
  const auto named = [&exec](const char* what) {
    return unfilled(exec, std::string("kokkosort::detection::") + what);
  };
  const auto spikes = static_cast<std::size_t>(options.spikes_at_once);
  const std::size_t width = sizes.n_rows * sizes.n_pcs;
  const std::size_t scored = shape.scored_cells();
  SearchWorkspace<Exec> workspace;
  workspace.sizes = sizes;
  workspace.chunk_cells = shape.chunk_cells;
  workspace.traces = Matrix<float, Exec>(named("traces"), sizes.n_channels, shape.columns());
  workspace.projections =
      Matrix<float, Exec>(named("projections"), runs_on_host<Exec> ? 0 : scored, projections_of_cell(sizes));
  workspace.scores = Matrix<float, Exec>(named("scores"), scored, sizes.n_centres * cell_samples);
  workspace.highest = Matrix<float, Exec>(named("highest"), scored, sizes.n_centres);
  workspace.marks = Matrix<std::uint32_t, Exec>(named("marks"), shape.chunk_cells, sizes.n_centres);
  workspace.spikes = make_peak_list(exec, spikes);
  workspace.features = Matrix<float, Exec>(named("features"), spikes, width);
  workspace.features_on_host = StagingVector<float, Exec>(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "kokkosort::detection::features_on_host"),
      runs_on_host<Exec> ? 0 : spikes * width);
  return workspace;
}

#define INSTANTIATE(Exec)                                                                            \
  template std::size_t search_bytes<Exec>(const SearchSizes&, const DetectionOptions&, std::size_t); \
  template SearchWorkspace<Exec> make_search_workspace(const Exec&, const SearchSizes&,              \
                                                       const DetectionOptions&, std::size_t);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
