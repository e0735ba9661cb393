#include "kokkosort/matching/window.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/instantiate.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort {
namespace {

constexpr std::size_t row_padding = 16;  // floats of a cache line

std::size_t round_up(std::size_t n, std::size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

std::int64_t block_start(std::int64_t sample, std::int64_t block) {
  return (sample >= 0 ? sample / block : -((-sample + block - 1) / block)) * block;
}

/// What a workspace's arrays have along each axis.
struct WorkspaceShape {
  std::size_t samples;
  std::size_t chunk;
  std::size_t scores;
  std::size_t slices;
  std::size_t blocks;
  std::size_t peels;
};

template <class Exec>
WorkspaceShape shape_of(const MatchingSizes& sizes, const MatchingOptions& options) {
  // A CPU's projections are to stay in the caches of its cores; a GPU wants long products.
  const std::size_t usual =
      runs_on_host<Exec> ? score_tile * static_cast<std::size_t>(Exec().concurrency()) : 16384;
  const std::size_t asked =
      options.chunk_samples > 0 ? static_cast<std::size_t>(options.chunk_samples) : usual;
  const auto nt = static_cast<std::size_t>(sizes.nt);
  WorkspaceShape shape{};
  shape.scores =
      round_up(sizes.n_scores + nt + row_padding, score_tile);  // the last block may be read beyond its end
  shape.slices = (sizes.n_templates + slice_units - 1) / slice_units;
  shape.samples = round_up(shape.scores + nt - 1, row_padding);
  shape.chunk = std::min(round_up(asked, score_tile), round_up(sizes.n_scores, score_tile));
  shape.blocks = sizes.n_scores / (nt + 1) + 1;
  shape.peels = static_cast<std::size_t>(options.max_peels);
  return shape;
}

}  // namespace

std::vector<WindowExtent> make_windows(std::int64_t n_samples, int nt, int peak_sample,
                                       const MatchingOptions& options) {
  // Where a window ends, spikes of the next one are missing from its pursuit; three spikes in each other's
  // reach carry that error no farther than this.
  const std::int64_t overlap = 4 * std::int64_t{nt};
  const std::int64_t length = options.window_samples;
  if (length < 2 * overlap)
    throw InputError("matching.window_samples is " + std::to_string(length) + "; with waveforms of " +
                     std::to_string(nt) + " samples it must be at least " + std::to_string(2 * overlap));
  const std::int64_t shift = nt / 2 - peak_sample;  // from a peak to its centre
  const std::int64_t first_centre = std::min<std::int64_t>(0, shift);
  const std::int64_t end_centre = std::max(n_samples, n_samples + shift);
  const std::int64_t n_windows = std::max<std::int64_t>(1, (n_samples + length - 1) / length);

  std::vector<WindowExtent> windows;
  for (std::int64_t w = 0; w < n_windows; ++w) {
    WindowExtent window;
    window.first = block_start(w == 0 ? first_centre : w * length - overlap, nt + 1);
    window.core_end = w + 1 == n_windows ? end_centre : (w + 1) * length;
    window.n_scores =
        static_cast<std::uint32_t>(std::min(window.core_end + overlap, end_centre) - window.first);
    window.n_samples = window.n_scores + static_cast<std::uint32_t>(nt) - 1;
    windows.push_back(window);
  }
  return windows;
}

template <class Exec>
std::size_t workspace_bytes(const MatchingSizes& sizes, const MatchingOptions& options) {
  const WorkspaceShape shape = shape_of<Exec>(sizes, options);
  const std::size_t floats = sizes.n_channels * shape.samples + sizes.n_channels * sizes.n_pcs * shape.chunk +
                             (sizes.n_templates + 2 + 2 * shape.slices) * shape.scores + 2 * shape.blocks +
                             shape.peels + 1;
  return sizeof(float) * floats + sizeof(FoundSpike) * shape.blocks * shape.peels;
}

template <class Exec>
MatchingWorkspace<Exec> make_workspace(const Exec& exec, const MatchingSizes& sizes,
                                       const MatchingOptions& options) {
  if (options.block_templates < 1 || options.max_peels < 1)
    throw std::invalid_argument("make_workspace: block_templates and max_peels must be at least 1");
  const WorkspaceShape shape = shape_of<Exec>(sizes, options);
  const auto named = [&exec](const char* what) {
    return unfilled(exec, std::string("kokkosort::matching::") + what);
  };
  MatchingWorkspace<Exec> workspace;
  workspace.nt = sizes.nt;
  workspace.max_peels = options.max_peels;
  workspace.traces = Matrix<float, Exec>(named("traces"), sizes.n_channels, shape.samples);
  workspace.projections =
      Matrix<float, Exec>(named("projections"), sizes.n_channels * sizes.n_pcs, shape.chunk);
  workspace.scores = Matrix<float, Exec>(named("scores"), sizes.n_templates, shape.scores);
  workspace.best = Vector<float, Exec>(named("best"), shape.scores);
  workspace.best_unit = Vector<std::int32_t, Exec>(named("best_unit"), shape.scores);
  workspace.slice_best = Matrix<float, Exec>(named("slice_best"), shape.slices, shape.scores);
  workspace.slice_best_unit =
      Matrix<std::int32_t, Exec>(named("slice_best_unit"), shape.slices, shape.scores);
  workspace.last_round = Vector<std::int32_t, Exec>(named("last_round"), shape.blocks);
  workspace.n_found = Vector<std::uint32_t, Exec>(named("n_found"), shape.blocks);
  workspace.found = Matrix<FoundSpike, Exec>(named("found"), shape.blocks, shape.peels);
  workspace.n_in_round = Vector<std::uint32_t, Exec>(named("n_in_round"), shape.peels + 1);
  return workspace;
}

#define INSTANTIATE(Exec)                                                                   \
  template std::size_t workspace_bytes<Exec>(const MatchingSizes&, const MatchingOptions&); \
  template MatchingWorkspace<Exec> make_workspace(const Exec&, const MatchingSizes&, const MatchingOptions&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
