#include "kokkosort/detection/detect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/counted.hpp"
#include "core/host_loop.hpp"
#include "core/instantiate.hpp"
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

/// Puts the windows' spikes into one list, and lets go of each as it is copied.
void join(std::vector<WindowSpikes>& windows, SpikeFeatures& spikes) {
  std::vector<std::size_t> first(1, 0);  // of the spikes of each window
  for (const WindowSpikes& window : windows) first.push_back(first.back() + window.sample.size());
  const std::size_t n = first.back();
  const auto named = [](const std::string& what) {
    return Kokkos::view_alloc(Kokkos::WithoutInitializing, "kokkosort::detection::" + what + "_on_host");
  };
  spikes.sample = HostVector<std::int64_t>(named("spike_samples"), n);
  spikes.centre = HostVector<std::int32_t>(named("spike_centres"), n);
  spikes.features = HostTensor3<float>(named("spike_features"), n, spikes.centres.channels.extent(1),
                                       spikes.pcs.wPCA.extent(0));
  const std::size_t width = spikes.n_rows() * spikes.n_pcs();
  host_loop("detection::join", windows.size(), [&](std::size_t w) {
    WindowSpikes& window = windows[w];
    std::copy(window.sample.begin(), window.sample.end(), spikes.sample.data() + first[w]);
    std::copy(window.centre.begin(), window.centre.end(), spikes.centre.data() + first[w]);
    std::copy(window.features.begin(), window.features.end(), spikes.features.data() + first[w] * width);
    window = {};
  });
}

/// Searches a recording's windows in order.
template <class Exec>
std::vector<WindowSpikes> search_windows(const Exec& exec, PreparedRecording recording,
                                         const DetectionGrid& grid, const PrincipalComponents& pcs,
                                         const DetectionOptions& options, StageTimes& times,
                                         TransferLedger& ledger) {
  const SearchPlan plan(recording, grid, pcs, options);
  if (plan.windows.empty()) return {};
  const auto time = [&](const char* stage) {
    return ScopedStage<Exec>(exec, times, std::string("detection::") + stage);
  };
  SearchTables<Exec> tables;
  SearchWorkspace<Exec> workspace;
  {
    const auto stage = time("workspace");
    tables = upload_tables(exec, grid, pcs, ledger);
    workspace = make_search_workspace(exec, plan.sizes, options,
                                      TraceLoader<Exec>::device_bytes(recording, plan.ranges));
  }
  TraceLoader<Exec> loader(exec, recording, plan.ranges, {}, "detection", ledger, times);
  std::vector<WindowSpikes> found;
  std::int64_t n = 0;
  for (const SearchWindow& window : plan.windows) {
    loader.next(workspace.traces);
    auto stage = time("search");
    found.push_back(search_window(exec, tables, window, options, workspace, ledger));
    stage.needs(work_of_search(plan.sizes, window, found.back().sample.size()));
    n += static_cast<std::int64_t>(found.back().sample.size());
    if (n > options.max_spikes)
      throw InputError(fmt::format(
          "detection found more than {} in the first {} of {}; raise detection.threshold or "
          "memory.host_limit_mb",
          counted(options.max_spikes, "spike"), window.last, counted(window.n_samples, "sample")));
  }
  return found;
}

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
                        const DetectionOptions& options, TransferLedger& ledger) {
  check_detection<Exec>(recording, grid, pcs, options);
  Detection result;
  std::vector<WindowSpikes> found = search_windows(exec, recording, grid, pcs, options, result.times, ledger);
  result.spikes.probe = probe;
  result.spikes.pcs = pcs;
  result.spikes.centres = grid.centres;
  result.spikes.sampling_rate_hz = recording.preparation.sampling_rate_hz;
  result.spikes.dmin_um = grid.dmin_um;
  result.spikes.dminx_um = grid.dminx_um;
  {
    const ScopedStage stage(exec, result.times, "detection::join");
    join(found, result.spikes);
  }
  return result;
}

#define INSTANTIATE(Exec)                                                                                  \
  template void check_detection<Exec>(PreparedRecording, const DetectionGrid&, const PrincipalComponents&, \
                                      const DetectionOptions&);                                            \
  template Detection detect_spikes(const Exec&, PreparedRecording, const Probe&, const DetectionGrid&,     \
                                   const PrincipalComponents&, const DetectionOptions&, TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
