#include "kokkosort/detection/search.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/instantiate.hpp"
#include "core/lanes.hpp"
#include "core/transfers.hpp"
#include "detection/find_spikes.hpp"
#include "detection/score_cells.hpp"
#include "detection/search_parts.hpp"

namespace kokkosort {
namespace {

/// Scores the cells of a chunk, those before and behind it too.
template <class Exec>
struct ScoreChunk {
  ProjectTraces<Exec> project;
  ScoreCentre<Exec> score;
  Matrix<float, Exec> projections;
  Matrix<float, Exec> scores;
  Matrix<float, Exec> highest;
  std::size_t n_channels;
  std::size_t first_column;   // of the first cell's first tap
  std::int64_t first_inside;  // samples of the recording, from the first cell's first on
  std::int64_t last_inside;

  KOKKOS_INLINE_FUNCTION std::size_t cell_size() const {
    return n_channels * project.n_rows() * cell_samples;
  }

  KOKKOS_INLINE_FUNCTION void project_channel(std::size_t cell, std::size_t channel, int lane,
                                              float* to) const {
    const auto offset = static_cast<std::size_t>(lane);
    project(channel, first_column + cell * cell_samples + offset,
            to + channel * project.n_rows() * cell_samples + offset, runs_on_host<Exec> ? 1 : cell_size());
  }

  KOKKOS_INLINE_FUNCTION void score_centre(const TeamMember<Exec>& member, std::size_t cell,
                                           std::size_t centre, const float* from) const {
    constexpr int pack = ScoreCentre<Exec>::pack;
    const auto first = static_cast<std::int64_t>(cell * cell_samples);
    const LaneRange inside{lane_of(first_inside - first), lane_of(last_inside - first)};
    float most = 0.0f;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, cell_samples / pack),
        [&](const int i, float& largest) {
          const float value = score(centre, from, i * pack, inside, &scores(cell, centre * cell_samples));
          largest = value > largest ? value : largest;
        },
        Kokkos::Max<float>(most));
    Kokkos::single(Kokkos::PerThread(member), [&]() { highest(cell, centre) = most; });
  }

  KOKKOS_INLINE_FUNCTION static int lane_of(std::int64_t sample) {
    return static_cast<int>(Kokkos::clamp(sample, std::int64_t{0}, std::int64_t{cell_samples}));
  }
};

/// A CPU's thread projects a cell and scores it while the projections are in its cache.
template <class Exec>
struct SearchCell {
  ScoreChunk<Exec> chunk;

  std::size_t scratch_bytes() const { return Scratch<float, Exec>::shmem_size(chunk.cell_size()); }

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const auto cell = static_cast<std::size_t>(member.league_rank());
    const Scratch<float, Exec> projections(member.team_scratch(1), chunk.cell_size());
    for (std::size_t channel = 0; channel < chunk.n_channels; ++channel)
      chunk.project_channel(cell, channel, 0, projections.data());
    for (std::size_t centre = 0; centre < chunk.highest.extent(1); ++centre)
      chunk.score_centre(member, cell, centre, projections.data());
  }
};

constexpr int team_warps = 8;

/// A GPU's team projects some channels of some cells.
template <class Exec>
struct ProjectCells {
  ScoreChunk<Exec> chunk;

  KOKKOS_INLINE_FUNCTION int n_groups() const {
    return (static_cast<int>(chunk.n_channels) + team_warps - 1) / team_warps;
  }

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const std::size_t cell =
        static_cast<std::size_t>(member.league_rank() / n_groups()) * ProjectTraces<Exec>::pack;
    const int first = member.league_rank() % n_groups() * team_warps;
    const int last = Kokkos::min(first + team_warps, static_cast<int>(chunk.n_channels));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, first, last), [&](const int channel) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, cell_samples), [&](const int lane) {
        chunk.project_channel(cell, static_cast<std::size_t>(channel), lane, &chunk.projections(cell, 0));
      });
    });
  }
};

/// A GPU's team scores some neighbouring centres, which share channels, in a cell.
template <class Exec>
struct ScoreCells {
  static constexpr int group = 32;

  ScoreChunk<Exec> chunk;

  KOKKOS_INLINE_FUNCTION int n_groups() const {
    return (static_cast<int>(chunk.highest.extent(1)) + group - 1) / group;
  }

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const auto cell = static_cast<std::size_t>(member.league_rank() / n_groups());
    const int first = member.league_rank() % n_groups() * group;
    const int last = Kokkos::min(first + group, static_cast<int>(chunk.highest.extent(1)));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, first, last), [&](const int centre) {
      chunk.score_centre(member, cell, static_cast<std::size_t>(centre), &chunk.projections(cell, 0));
    });
  }
};

template <class Exec>
void score_cells(const Exec& exec, const ScoreChunk<Exec>& chunk, std::size_t n_cells) {
  const auto cells = static_cast<int>(n_cells);
  if constexpr (runs_on_host<Exec>) {
    const SearchCell<Exec> kernel{chunk};
    Kokkos::parallel_for("kokkosort::detection::search_cells",
                         Kokkos::TeamPolicy<Exec>(exec, cells, 1, 1)
                             .set_scratch_size(1, Kokkos::PerTeam(kernel.scratch_bytes())),
                         kernel);
  } else {
    const ProjectCells<Exec> project{chunk};
    const int packs = (cells + ProjectTraces<Exec>::pack - 1) / ProjectTraces<Exec>::pack;
    Kokkos::parallel_for("kokkosort::detection::project_cells",
                         Kokkos::TeamPolicy<Exec>(exec, packs * project.n_groups(), team_warps, cell_samples),
                         project);
    const ScoreCells<Exec> score{chunk};
    Kokkos::parallel_for("kokkosort::detection::score_cells",
                         Kokkos::TeamPolicy<Exec>(exec, cells * score.n_groups(), team_warps, cell_samples),
                         score);
  }
}

/// Features of one spike a team.
template <class Exec>
struct SpikeFeatureRows {
  static constexpr int pack = static_cast<int>(feature_pack<Exec>);

  Vector<const FoundPeak, Exec> spikes;
  Matrix<const std::int32_t, Exec> channels;
  Matrix<const float, Exec> components;
  Matrix<const float, Exec> traces;
  Matrix<float, Exec> features;
  std::int32_t first_column;  // of the first tap of the window's first sample
  int n_pcs;

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const int place = member.league_rank();
    const int packs = (n_pcs + pack - 1) / pack;
    const auto n_rows = static_cast<int>(channels.extent(1));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, n_rows * packs),
                         [&](const int i) { project(place, i / packs, i % packs * pack); });
  }

  KOKKOS_INLINE_FUNCTION void project(int place, int row, int first_pc) const {
    const FoundPeak spike = spikes(place);
    const float* const x = &traces(channels(spike.site, row), first_column + spike.sample);
    float sums[pack] = {};
    for (std::size_t s = 0; s < components.extent(0); ++s) {
      const float* const w = &components(s, first_pc);
      for_lanes<pack>([&](const int p) { sums[p] += w[p] * x[s]; });
    }
    for (int p = 0; p < pack; ++p)
      if (first_pc + p < n_pcs) features(place, row * n_pcs + first_pc + p) = sums[p];
  }
};

/// Searches a window chunk by chunk.
template <class Exec>
class WindowSearch {
 public:
  WindowSearch(const Exec& exec, const SearchTables<Exec>& tables, const SearchWindow& window,
               const DetectionOptions& options, const SearchWorkspace<Exec>& workspace,
               TransferLedger& ledger)
      : exec_(exec),
        tables_(tables),
        window_(window),
        options_(options),
        workspace_(workspace),
        ledger_(ledger),
        halo_(halo_cells(workspace.sizes.peak_sample)) {}

  WindowSpikes run() {
    const std::size_t n_cells = (window_.size() + cell_samples - 1) / cell_samples;
    for (std::size_t first = 0; first < n_cells; first += workspace_.chunk_cells) {
      const std::size_t count = std::min(workspace_.chunk_cells, n_cells - first);
      score(first, count);
      find(first, count);
      collect(first, count);
    }
    sort_by_time();
    return std::move(spikes_);
  }

 private:
  void score(std::size_t first, std::size_t count) {
    constexpr float rounding = 1e-4f;  // far more than that of a sum of so few products
    const auto threshold = static_cast<float>(options_.threshold);
    const auto first_sample =
        (static_cast<std::int64_t>(first) - static_cast<std::int64_t>(halo_)) * cell_samples;
    score_cells(exec_,
                ScoreChunk<Exec>{{tables_.shapes, workspace_.traces},
                                 {tables_.channels, tables_.weights, tables_.n_scales,
                                  static_cast<int>(tables_.shapes.extent(0)), threshold,
                                  threshold * threshold * (1.0f - rounding)},
                                 workspace_.projections,
                                 workspace_.scores,
                                 workspace_.highest,
                                 workspace_.sizes.n_channels,
                                 first * cell_samples,
                                 -window_.first - first_sample,
                                 window_.n_samples - window_.first - first_sample},
                count + 2 * halo_);
  }

  void find(std::size_t first, std::size_t count) {
    const FindSpikes<Exec> kernel{workspace_.scores,
                                  workspace_.highest,
                                  tables_.neighbours,
                                  workspace_.marks,
                                  tables_.peak_sample,
                                  static_cast<int>(halo_),
                                  static_cast<int>(window_.size() - first * cell_samples)};
    const int n_teams = static_cast<int>(count) * kernel.n_groups();
    Kokkos::parallel_for("kokkosort::detection::find_spikes",
                         runs_on_host<Exec>
                             ? Kokkos::TeamPolicy<Exec>(exec_, n_teams, 1, 1)
                             : Kokkos::TeamPolicy<Exec>(exec_, n_teams, team_warps, cell_samples),
                         kernel);
  }

  void collect(std::size_t first_cell, std::size_t count) {
    const std::size_t room = workspace_.spikes.peaks.extent(0);
    std::uint64_t total = 1;
    for (std::uint64_t first = 0; first < total; first += room) {
      total = list_peaks(exec_, workspace_.marks, count, static_cast<std::int32_t>(first_cell * cell_samples),
                         first, {}, workspace_.spikes, ledger_);
      if (total > first) take(static_cast<std::size_t>(std::min<std::uint64_t>(room, total - first)));
    }
  }

  /// Appends the spikes that are listed.
  void take(std::size_t count) {
    const std::size_t width = workspace_.features.extent(1);
    Kokkos::parallel_for(
        "kokkosort::detection::spike_features",
        Kokkos::TeamPolicy<Exec>(exec_, static_cast<int>(count), runs_on_host<Exec> ? 1 : 64),
        SpikeFeatureRows<Exec>{workspace_.spikes.peaks, tables_.channels, tables_.components,
                               workspace_.traces, workspace_.features,
                               static_cast<std::int32_t>(halo_ * cell_samples), tables_.n_pcs});
    const Vector<FoundPeak, Exec> found(
        Kokkos::subview(workspace_.spikes.peaks, std::make_pair(std::size_t{0}, count)));
    const auto peaks = bring_down(exec_, ledger_, "detection", "spikes", workspace_.spikes.on_host, found);
    const auto features = bring_down(exec_, ledger_, "detection", "features", workspace_.features_on_host,
                                     Vector<float, Exec>(workspace_.features.data(), count * width));
    for (std::size_t i = 0; i < count; ++i) {
      spikes_.sample.push_back(window_.first + peaks(i).sample);
      spikes_.centre.push_back(peaks(i).site);
    }
    spikes_.features.insert(spikes_.features.end(), features.data(), features.data() + count * width);
  }

  /// They were listed by cell, then by centre.
  void sort_by_time() {
    std::vector<std::size_t> order(spikes_.sample.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return std::pair(spikes_.sample[a], spikes_.centre[a]) <
             std::pair(spikes_.sample[b], spikes_.centre[b]);
    });
    const std::size_t width = workspace_.features.extent(1);
    WindowSpikes sorted;
    sorted.features.reserve(spikes_.features.size());
    for (const std::size_t i : order) {
      sorted.sample.push_back(spikes_.sample[i]);
      sorted.centre.push_back(spikes_.centre[i]);
      const auto from = spikes_.features.begin() + static_cast<std::ptrdiff_t>(i * width);
      sorted.features.insert(sorted.features.end(), from, from + static_cast<std::ptrdiff_t>(width));
    }
    spikes_ = std::move(sorted);
  }

  const Exec& exec_;
  const SearchTables<Exec>& tables_;
  const SearchWindow& window_;
  const DetectionOptions& options_;
  const SearchWorkspace<Exec>& workspace_;
  TransferLedger& ledger_;
  std::size_t halo_;
  WindowSpikes spikes_;
};

}  // namespace

template <class Exec>
WindowSpikes search_window(const Exec& exec, const SearchTables<Exec>& tables, const SearchWindow& window,
                           const DetectionOptions& options, const SearchWorkspace<Exec>& workspace,
                           TransferLedger& ledger) {
  return WindowSearch<Exec>(exec, tables, window, options, workspace, ledger).run();
}

#define INSTANTIATE(Exec)                                                                          \
  template WindowSpikes search_window(const Exec&, const SearchTables<Exec>&, const SearchWindow&, \
                                      const DetectionOptions&, const SearchWorkspace<Exec>&,       \
                                      TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
