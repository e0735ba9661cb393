#include "kokkosort/detection/detect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/counted.hpp"
#include "core/host_loop.hpp"
#include "core/instantiate.hpp"
#include "core/window_blocks.hpp"
#include "detection/limit.hpp"
#include "kokkosort/detection/search.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/recording/trace_loader.hpp"

namespace kokkosort {
namespace {

std::vector<SearchWindow> windows_of(std::int64_t n_samples, const DetectionOptions& options) {
  if (options.window_samples < 1)
    throw InputError(
        fmt::format("detection.window_samples is {}; it must be at least 1", options.window_samples));
  std::vector<SearchWindow> windows;
  for (std::int64_t first = 0; first < n_samples; first += options.window_samples)
    windows.push_back({first, std::min(n_samples, first + options.window_samples), n_samples});
  return windows;
}

/// The samples that the windows' traces are of.
std::vector<SampleRange> ranges_of(const std::vector<SearchWindow>& windows, const SearchSizes& sizes) {
  std::vector<SampleRange> ranges;
  for (const SearchWindow& window : windows)
    ranges.push_back({window.first - static_cast<std::int64_t>(lead_samples(sizes)),
                      window.last + static_cast<std::int64_t>(trail_samples(sizes))});
  return ranges;
}

/// How a recording is searched.
struct SearchPlan {
  std::vector<SearchWindow> windows;
  SearchSizes sizes;
  std::vector<SampleRange> ranges;

  SearchPlan(const PreparedRecording& recording, const DetectionGrid& grid, const PrincipalComponents& pcs,
             const DetectionOptions& options)
      : windows(windows_of(recording.stored.n_samples(), options)),
        sizes(sizes_of_search(recording.preparation.n_channels(), grid, pcs,
                              windows.empty() ? 0 : windows.front().size())),
        ranges(ranges_of(windows, sizes)) {}
};

/// Reads the traces, writes the spikes' features. Every channel is projected onto the shapes, and the spikes'
/// waveforms onto the components; which centres are scored depends on the traces.
StageWork work_of_search(const SearchSizes& sizes, const SearchWindow& window, std::size_t n_spikes) {
  const double traces = static_cast<double>(sizes.n_channels) * static_cast<double>(window.size());
  const auto features = static_cast<double>(n_spikes * sizes.n_rows * sizes.n_pcs);
  return {sizeof(float) * (traces + features),
          2.0 * static_cast<double>(sizes.nt) * (static_cast<double>(sizes.n_shapes) * traces + features)};
}

/// Searches the windows of a recording in order; members are what they share.
template <class Exec>
class RecordingSearch {
 public:
  RecordingSearch(const Exec& exec, PreparedRecording recording, const DetectionGrid& grid,
                  const PrincipalComponents& pcs, const DetectionOptions& options,
                  const StageCheckpoints& kept, StageTimes& times, TransferLedger& ledger)
      : exec_(exec),
        recording_(recording),
        options_(options),
        times_(times),
        ledger_(ledger),
        plan_(recording, grid, pcs, options),
        blocks_(kept) {
    n_done_ = blocks_.restore([this](SavedArrays& block) {
      add({std::move(block.vector<std::int64_t>("sample")), std::move(block.vector<std::int32_t>("centre")),
           std::move(block.vector<float>("features"))});
    });
    if (n_done_ == plan_.windows.size()) return;
    const auto stage = time("workspace");
    tables_ = upload_tables(exec, grid, pcs, ledger);
    workspace_ = make_search_workspace(exec, plan_.sizes, options,
                                       TraceLoader<Exec>::device_bytes(recording, plan_.ranges));
  }

  /// Fills in the spikes, whose centres and components are there.
  void run(SpikeFeatures& spikes) {
    if (n_done_ > 0 && recording_.progress != nullptr)
      recording_.progress->resume(n_done_ == plan_.windows.size() ? recording_.stored.n_samples()
                                                                  : plan_.windows[n_done_].first);
    if (n_done_ < plan_.windows.size()) search_windows();
    join(spikes);
    blocks_.keep_rest(n_done_, [&](std::size_t, ArraysToSave& block) { collect_rest(spikes, block); });
  }

 private:
  ScopedStage<Exec> time(const std::string& stage) {
    return ScopedStage<Exec>(exec_, times_, "detection::" + stage);
  }

  /// Those that are left.
  void search_windows() {
    const auto left = plan_.ranges.begin() + static_cast<std::ptrdiff_t>(n_done_);
    TraceLoader<Exec> loader(exec_, recording_, {left, plan_.ranges.end()}, {}, "detection", ledger_, times_);
    while (n_done_ < plan_.windows.size()) {
      loader.next(workspace_.traces);
      search(plan_.windows[n_done_++]);
      if (n_done_ < plan_.windows.size())
        blocks_.keep_some(n_done_, [this](std::size_t first, ArraysToSave& block) { collect(first, block); });
    }
  }

  void search(const SearchWindow& window) {
    auto stage = time("search");
    add(search_window(exec_, tables_, window, options_, workspace_, ledger_));
    stage.needs(work_of_search(plan_.sizes, window, found_.back().sample.size()));
    if (n_spikes_ > options_.max_spikes)
      throw InputError(fmt::format(
          "detection found more than {} in the first {} of {}; raise detection.threshold or "
          "memory.host_limit_mb",
          counted(options_.max_spikes, "spike"), window.last, counted(window.n_samples, "sample")));
  }

  void add(WindowSpikes&& spikes) {
    n_spikes_ += static_cast<std::int64_t>(spikes.sample.size());
    found_.push_back(std::move(spikes));
  }

  /// The spikes of windows [first, n_done_), which were found last.
  void collect(std::size_t first, ArraysToSave& block) const {
    ArrayToSave::Pieces<std::int64_t> sample;
    ArrayToSave::Pieces<std::int32_t> centre;
    ArrayToSave::Pieces<float> features;
    std::size_t n = 0;
    for (std::size_t w = found_.size() - (n_done_ - first); w < found_.size(); ++w) {
      sample.emplace_back(found_[w].sample);
      centre.emplace_back(found_[w].centre);
      features.emplace_back(found_[w].features);
      n += found_[w].sample.size();
    }
    block.add<std::int64_t>("sample", {n}, std::move(sample));
    block.add<std::int32_t>("centre", {n}, std::move(centre));
    block.add<float>("features", {n * width()}, std::move(features));
  }

  /// Those of windows that no block has, of all spikes.
  void collect_rest(const SpikeFeatures& spikes, ArraysToSave& block) const {
    const std::int64_t first_sample = plan_.windows[blocks_.n_kept()].first;
    const auto* const begin = spikes.sample.data();
    const auto first =
        static_cast<std::size_t>(std::lower_bound(begin, begin + spikes.n_spikes(), first_sample) - begin);
    const std::size_t n = spikes.n_spikes() - first;
    block.add<std::int64_t>("sample", {n}, {{begin + first, n}});
    block.add<std::int32_t>("centre", {n}, {{spikes.centre.data() + first, n}});
    block.add<float>("features", {n * width()}, {{spikes.features.data() + first * width(), n * width()}});
    block.keep(spikes.sample);
    block.keep(spikes.centre);
    block.keep(spikes.features);
  }

  std::size_t width() const { return plan_.sizes.n_rows * plan_.sizes.n_pcs; }

  /// Puts the windows' spikes into one list, and lets go of each as it is copied.
  void join(SpikeFeatures& spikes) {
    const auto stage = time("join");
    std::vector<std::size_t> first(1, 0);  // of the spikes of each window
    for (const WindowSpikes& window : found_) first.push_back(first.back() + window.sample.size());
    const std::size_t n = first.back();
    const auto named = [](const std::string& what) {
      return Kokkos::view_alloc(Kokkos::WithoutInitializing, "kokkosort::detection::" + what + "_on_host");
    };
    spikes.sample = HostVector<std::int64_t>(named("spike_samples"), n);
    spikes.centre = HostVector<std::int32_t>(named("spike_centres"), n);
    spikes.features = HostTensor3<float>(named("spike_features"), n, plan_.sizes.n_rows, plan_.sizes.n_pcs);
    host_loop("detection::join", found_.size(), [&](std::size_t w) {
      WindowSpikes& window = found_[w];
      std::copy(window.sample.begin(), window.sample.end(), spikes.sample.data() + first[w]);
      std::copy(window.centre.begin(), window.centre.end(), spikes.centre.data() + first[w]);
      std::copy(window.features.begin(), window.features.end(), spikes.features.data() + first[w] * width());
      window = {};
    });
  }

  const Exec& exec_;
  PreparedRecording recording_;
  const DetectionOptions& options_;
  StageTimes& times_;
  TransferLedger& ledger_;
  SearchPlan plan_;
  WindowBlocks blocks_;
  SearchTables<Exec> tables_;
  SearchWorkspace<Exec> workspace_;
  std::vector<WindowSpikes> found_;  // of each window, or of each block that was kept before
  std::size_t n_done_ = 0;           // windows
  std::int64_t n_spikes_ = 0;
};

}  // namespace

template <class Exec>
void check_detection(PreparedRecording recording, const DetectionGrid& grid, const PrincipalComponents& pcs,
                     const DetectionOptions& options) {
  const SearchPlan plan(recording, grid, pcs, options);
  if (plan.windows.empty()) return;
  const std::size_t loader = TraceLoader<Exec>::device_bytes(recording, plan.ranges);
  refuse_small_limit(loader + search_bytes<Exec>(plan.sizes, options, loader), options,
                     fmt::format("detection with {} and {}", counted(plan.sizes.n_channels, "channel"),
                                 counted(plan.sizes.n_centres, "centre")));
}

template <class Exec>
Detection detect_spikes(const Exec& exec, PreparedRecording recording, const Probe& probe,
                        const DetectionGrid& grid, const PrincipalComponents& pcs,
                        const DetectionOptions& options, TransferLedger& ledger,
                        const StageCheckpoints& kept) {
  check_detection<Exec>(recording, grid, pcs, options);
  Detection result;
  result.spikes.probe = probe;
  result.spikes.pcs = pcs;
  result.spikes.centres = grid.centres;
  result.spikes.sampling_rate_hz = recording.preparation.sampling_rate_hz;
  result.spikes.dmin_um = grid.dmin_um;
  result.spikes.dminx_um = grid.dminx_um;
  RecordingSearch<Exec>(exec, recording, grid, pcs, options, kept, result.times, ledger).run(result.spikes);
  return result;
}

#define INSTANTIATE(Exec)                                                                                  \
  template void check_detection<Exec>(PreparedRecording, const DetectionGrid&, const PrincipalComponents&, \
                                      const DetectionOptions&);                                            \
  template Detection detect_spikes(const Exec&, PreparedRecording, const Probe&, const DetectionGrid&,     \
                                   const PrincipalComponents&, const DetectionOptions&, TransferLedger&,   \
                                   const StageCheckpoints&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
