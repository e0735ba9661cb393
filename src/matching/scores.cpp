#include "kokkosort/matching/scores.hpp"

#include <algorithm>

#include "core/instantiate.hpp"
#include "core/lanes.hpp"
#include "kokkosort/linalg/products.hpp"
#include "templates/footprint_span.hpp"

namespace kokkosort {
namespace {

/// Projects one channel's traces onto the principal components. A thread sums several centres for several
/// components at once, so that what it reads serves many multiplications: on a CPU neighbouring centres, in
/// its vector registers; on a GPU centres `stride` apart, so that neighbouring threads have neighbouring
/// ones.
template <class Exec>
struct ProjectTraces {
  static constexpr int pc_group = 6;
  static constexpr int centres = runs_on_host<Exec> ? 32 : 4;
  static constexpr int stride = runs_on_host<Exec> ? 1 : 64;
  static constexpr std::size_t tile = centres * stride;
  static_assert(score_tile % tile == 0);

  Matrix<const float, Exec> wPCA;
  Matrix<const float, Exec> traces;
  Matrix<float, Exec> projections;

  /// Centres centre, centre + stride, …, into columns column, column + stride, ….
  KOKKOS_INLINE_FUNCTION void project(std::size_t channel, std::size_t centre, std::size_t column) const {
    for (std::size_t p = 0; p < wPCA.extent(0); p += pc_group) project_group(channel, p, centre, column);
  }

  KOKKOS_INLINE_FUNCTION void project_group(std::size_t channel, std::size_t first_pc, std::size_t centre,
                                            std::size_t column) const {
    const std::size_t nt = wPCA.extent(1);
    const auto n_pcs = static_cast<int>(Kokkos::min(wPCA.extent(0) - first_pc, std::size_t{pc_group}));
    const float* const x = &traces(channel, centre);
    const float* w[pc_group];  // beyond the last component its row is read again, for nothing
    for (int p = 0; p < pc_group; ++p)
      w[p] = &wPCA(first_pc + static_cast<std::size_t>(Kokkos::min(p, n_pcs - 1)), 0);
    float sums[pc_group][centres] = {};
    for (std::size_t s = 0; s < nt; ++s)
      for (int p = 0; p < pc_group; ++p)
        for_lanes<centres>(
            [&](const int k) { sums[p][k] += w[p][s] * x[s + static_cast<std::size_t>(k * stride)]; });
    float* const y = &projections(channel * wPCA.extent(0) + first_pc, column);
    for (int p = 0; p < pc_group; ++p)
      if (p < n_pcs) {
        float* const row = y + static_cast<std::size_t>(p) * projections.stride(0);
        for_lanes<centres>([&](const int k) { row[k * stride] = sums[p][k]; });
      }
  }
};

/// Consecutive templates and the channels that their footprints span.
struct TemplateBlock {
  std::size_t first;
  std::size_t last;
  PlaceRange channels;
};

template <class Exec>
std::vector<TemplateBlock> make_blocks(const PlacedTemplates<Exec>& templates, std::size_t block_templates) {
  std::vector<TemplateBlock> blocks;
  for (std::size_t first = 0; first < templates.n_templates; first += block_templates) {
    const std::size_t last = std::min(first + block_templates, templates.n_templates);
    blocks.push_back({first, last, span_of(templates.footprints, first, last)});
  }
  return blocks;
}

/// Sums the scores of a few neighbouring templates over the channels that they span, for centres laid out as
/// above.
template <class Exec>
struct SumScores {
  static constexpr int units = 8;
  static constexpr int centres = ProjectTraces<Exec>::centres;
  static constexpr int stride = ProjectTraces<Exec>::stride;

  Matrix<const float, Exec> weights;
  Matrix<const float, Exec> projections;
  Matrix<float, Exec> scores;

  KOKKOS_INLINE_FUNCTION void sum(const TemplateBlock& block, std::size_t n_pcs, std::size_t centre,
                                  std::size_t column) const {
    const auto n_units = static_cast<int>(block.last - block.first);
    const std::size_t first_row = block.channels.first * n_pcs;
    const std::size_t last_row = block.channels.last * n_pcs;
    float sums[units][centres] = {};
    for (std::size_t row = first_row; row < last_row; ++row) {
      const float* const x = &projections(row, column);
      const float* const w = &weights(row, block.first);
      for (int u = 0; u < units; ++u) {
        const float weight =
            w[Kokkos::min(u, n_units - 1)];  // beyond the last template it is summed again, for nothing
        for_lanes<centres>([&](const int k) { sums[u][k] += weight * x[k * stride]; });
      }
    }
    for (int u = 0; u < units; ++u)
      if (u < n_units) {
        float* const y = &scores(block.first + static_cast<std::size_t>(u), centre);
        for_lanes<centres>([&](const int k) { y[k * stride] = sums[u][k]; });
      }
  }
};

/// Projects a chunk of traces, a tile of centres of a channel a team.
template <class Exec>
struct ProjectChunk {
  ProjectTraces<Exec> traces;
  std::size_t first;  // centre of the chunk's first column
  std::size_t n_tiles;

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const std::size_t channel = static_cast<std::size_t>(member.league_rank()) / n_tiles;
    const std::size_t column =
        static_cast<std::size_t>(member.league_rank()) % n_tiles * ProjectTraces<Exec>::tile;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, ProjectTraces<Exec>::stride), [&](const int thread) {
      const auto offset = column + static_cast<std::size_t>(thread);
      traces.project(channel, first + offset, offset);
    });
  }
};

/// The product that gives a block's scores at centres [first, first + count) from a chunk's projections.
template <class Exec>
Product<Exec> block_product(const PlacedTemplates<Exec>& templates, const TemplateBlock& block,
                            std::size_t first, std::size_t count, const MatchingWorkspace<Exec>& workspace) {
  const auto units = std::make_pair(block.first, block.last);
  const auto rows =
      std::make_pair(block.channels.first * templates.n_pcs, block.channels.last * templates.n_pcs);
  return {Kokkos::subview(templates.weights, rows, units),
          Kokkos::subview(workspace.projections, rows, std::make_pair(std::size_t{0}, count)),
          Kokkos::subview(workspace.scores, units, std::make_pair(first, first + count))};
}

/// Each thread scores tiles on its own, so that a tile's projections stay in its core's cache.
template <class Exec>
void score_tiles(const Exec& exec, const PlacedTemplates<Exec>& templates, const ProjectTraces<Exec>& project,
                 std::size_t n_scores, const MatchingWorkspace<Exec>& workspace) {
  const SumScores<Exec> scores{templates.weights, workspace.projections, workspace.scores};
  const auto blocks = make_blocks(templates, SumScores<Exec>::units);
  const std::size_t n_threads = workspace.projections.extent(1) / score_tile;
  const auto score_tile_at = [&](const std::size_t first, const std::size_t column) {
    for (std::size_t channel = 0; channel < templates.n_channels; ++channel)
      for (std::size_t t = 0; t < score_tile; t += ProjectTraces<Exec>::tile)
        project.project(channel, first + t, column + t);
    for (const TemplateBlock& block : blocks)
      for (std::size_t t = 0; t < score_tile; t += ProjectTraces<Exec>::tile)
        scores.sum(block, templates.n_pcs, first + t, column + t);
  };
  Kokkos::parallel_for("kokkosort::matching::score_tiles",
                       Kokkos::RangePolicy<Exec>(exec, 0, n_threads).set_chunk_size(1),
                       [&](const std::size_t thread) {
                         const std::size_t column = thread * score_tile;
                         for (std::size_t first = column; first < n_scores; first += n_threads * score_tile)
                           score_tile_at(first, column);
                       });
}

/// All threads of a device project a chunk, then multiply it.
template <class Exec>
void score_chunks(const Exec& exec, const PlacedTemplates<Exec>& templates,
                  const ProjectTraces<Exec>& project, const std::vector<TemplateBlock>& blocks,
                  std::size_t n_scores, const MatchingWorkspace<Exec>& workspace) {
  const std::size_t chunk = workspace.projections.extent(1);
  for (std::size_t first = 0; first < n_scores; first += chunk) {
    const std::size_t count = std::min(chunk, n_scores - first);
    const std::size_t n_tiles = count / ProjectTraces<Exec>::tile;
    Kokkos::parallel_for("kokkosort::matching::project_traces",
                         Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(templates.n_channels * n_tiles),
                                                  ProjectTraces<Exec>::stride),
                         ProjectChunk<Exec>{project, first, n_tiles});
    std::vector<Product<Exec>> products;
    for (const TemplateBlock& block : blocks)
      products.push_back(block_product(templates, block, first, count, workspace));
    multiply_transposed(exec, products);
  }
}

}  // namespace

template <class Exec>
void compute_scores(const Exec& exec, const PlacedTemplates<Exec>& templates, const Matrix<float, Exec>& wPCA,
                    const WindowExtent& window, const MatchingOptions& options,
                    const MatchingWorkspace<Exec>& workspace) {
  const std::size_t n_scores = (window.n_scores + score_tile - 1) / score_tile * score_tile;
  const ProjectTraces<Exec> project{wPCA, workspace.traces, workspace.projections};
  if constexpr (runs_on_host<Exec>)
    score_tiles(exec, templates, project, n_scores, workspace);
  else
    score_chunks(exec, templates, project,
                 make_blocks(templates, static_cast<std::size_t>(options.block_templates)), n_scores,
                 workspace);
}

#define INSTANTIATE(Exec)                                                                             \
  template void compute_scores(const Exec&, const PlacedTemplates<Exec>&, const Matrix<float, Exec>&, \
                               const WindowExtent&, const MatchingOptions&, const MatchingWorkspace<Exec>&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
