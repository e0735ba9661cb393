#include "kokkosort/matching/scores.hpp"

#include <algorithm>

#include "core/instantiate.hpp"
#include "core/lanes.hpp"
#include "kokkosort/linalg/products.hpp"

namespace kokkosort {
namespace {

/// Projects one channel's samples onto the principal components, a tile of centres a team. A thread sums
/// several centres for several components at once, so that what it reads serves many multiplications.
template <class Exec>
struct ProjectTraces {
  static constexpr int pc_group = 6;
  static constexpr int centres =
      runs_on_host<Exec> ? 32 : 4;  // of a thread: vector registers, or a stride apart
  static constexpr int team_threads = runs_on_host<Exec> ? 1 : 64;
  static constexpr std::size_t tile = runs_on_host<Exec> ? score_tile : centres * team_threads;
  static_assert(score_tile % tile == 0, "a chunk is whole tiles");

  Matrix<const float, Exec> wPCA;
  Matrix<const float, Exec> traces;
  Matrix<float, Exec> projections;
  std::size_t first;  // centre of the chunk's first column
  std::size_t n_tiles;

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const std::size_t channel = static_cast<std::size_t>(member.league_rank()) / n_tiles;
    const std::size_t start = static_cast<std::size_t>(member.league_rank()) % n_tiles * tile;
    constexpr std::size_t step = centres * team_threads;
    for (std::size_t column = start; column < start + tile; column += step)
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, team_threads), [&](const int thread) {
        for (std::size_t p = 0; p < wPCA.extent(0); p += pc_group)
          project(channel, p, column + static_cast<std::size_t>(thread));
      });
  }

  KOKKOS_INLINE_FUNCTION void project(std::size_t channel, std::size_t first_pc, std::size_t column) const {
    const std::size_t nt = wPCA.extent(1);
    const std::size_t n_pcs = Kokkos::min(wPCA.extent(0) - first_pc, std::size_t{pc_group});
    const float* const x = &traces(channel, first + column);
    const float* const w = &wPCA(first_pc, 0);
    float sums[pc_group][centres] = {};
    for (std::size_t s = 0; s < nt; ++s)
      for (int p = 0; p < pc_group; ++p) {
        const float weight =
            static_cast<std::size_t>(p) < n_pcs ? w[static_cast<std::size_t>(p) * nt + s] : 0.0f;
        for_lanes<centres>(
            [&](const int k) { sums[p][k] += weight * x[s + static_cast<std::size_t>(k * team_threads)]; });
      }
    for (int p = 0; p < pc_group; ++p) {
      if (static_cast<std::size_t>(p) >= n_pcs) break;
      float* const y =
          &projections(channel * wPCA.extent(0) + first_pc + static_cast<std::size_t>(p), column);
      for_lanes<centres>([&](const int k) { y[k * team_threads] = sums[p][k]; });
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
    TemplateBlock block{first, std::min(first + block_templates, templates.n_templates),
                        templates.footprints[first]};
    for (std::size_t u = block.first; u < block.last; ++u) {
      block.channels.first = std::min(block.channels.first, templates.footprints[u].first);
      block.channels.last = std::max(block.channels.last, templates.footprints[u].last);
    }
    blocks.push_back(block);
  }
  return blocks;
}

/// The products that give a chunk's scores: one for each block of templates, and on a CPU for each tile.
template <class Exec>
std::vector<Product<Exec>> chunk_products(const PlacedTemplates<Exec>& templates,
                                          const std::vector<TemplateBlock>& blocks, std::size_t first,
                                          std::size_t count, const MatchingWorkspace<Exec>& workspace) {
  const std::size_t tile = runs_on_host<Exec> ? score_tile : count;
  std::vector<Product<Exec>> products;
  for (std::size_t start = 0; start < count; start += tile) {
    const auto columns = std::make_pair(start, start + tile);
    const auto centres = std::make_pair(first + start, first + start + tile);
    for (const TemplateBlock& block : blocks) {
      const auto units = std::make_pair(block.first, block.last);
      const auto rows =
          std::make_pair(block.channels.first * templates.n_pcs, block.channels.last * templates.n_pcs);
      products.push_back({Kokkos::subview(templates.weights, rows, units),
                          Kokkos::subview(workspace.projections, rows, columns),
                          Kokkos::subview(workspace.scores, units, centres)});
    }
  }
  return products;
}

}  // namespace

template <class Exec>
void compute_scores(const Exec& exec, const PlacedTemplates<Exec>& templates, const Matrix<float, Exec>& wPCA,
                    const WindowExtent& window, const MatchingOptions& options,
                    const MatchingWorkspace<Exec>& workspace) {
  using Projection = ProjectTraces<Exec>;
  const auto blocks = make_blocks(templates, static_cast<std::size_t>(options.block_templates));
  const std::size_t n_scores = (window.n_scores + score_tile - 1) / score_tile * score_tile;
  const std::size_t chunk = workspace.projections.extent(1);
  for (std::size_t first = 0; first < n_scores; first += chunk) {
    const std::size_t count = std::min(chunk, n_scores - first);
    const std::size_t n_tiles = count / Projection::tile;
    Kokkos::parallel_for("kokkosort::matching::project_traces",
                         Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(templates.n_channels * n_tiles),
                                                  Projection::team_threads),
                         Projection{wPCA, workspace.traces, workspace.projections, first, n_tiles});
    multiply_transposed(exec, chunk_products(templates, blocks, first, count, workspace));
  }
}

#define INSTANTIATE(Exec)                                                                             \
  template void compute_scores(const Exec&, const PlacedTemplates<Exec>&, const Matrix<float, Exec>&, \
                               const WindowExtent&, const MatchingOptions&, const MatchingWorkspace<Exec>&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
