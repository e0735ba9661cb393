#include "kokkosort/detection/universal_templates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/counted.hpp"
#include "core/instantiate.hpp"
#include "core/transfers.hpp"
#include "detection/generic_clips.hpp"
#include "detection/isolated_peaks.hpp"
#include "detection/limit.hpp"
#include "detection/waveform_shapes.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/recording/trace_loader.hpp"

namespace kokkosort {
namespace {

/// Windows spread evenly over a recording.
std::vector<SampleRange> learning_windows(std::int64_t n_samples, const DetectionOptions& options) {
  if (options.window_samples < 1)
    throw InputError(
        fmt::format("detection.window_samples is {}; it must be at least 1", options.window_samples));
  const std::int64_t length = options.window_samples;
  const std::int64_t n_windows = (n_samples + length - 1) / length;
  const std::int64_t count = std::min<std::int64_t>(options.learning_windows, n_windows);
  std::vector<SampleRange> windows;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t w = (i * n_windows + n_windows / 2) / count;
    windows.push_back({w * length, std::min(n_samples, (w + 1) * length)});
  }
  return windows;
}

std::size_t longest_of(const std::vector<SampleRange>& windows) {
  std::size_t longest = 0;
  for (const SampleRange& window : windows) longest = std::max(longest, window.size());
  return longest;
}

/// What is looked at, and at how many peaks of each window.
struct LearningPlan {
  std::vector<SampleRange> windows;
  std::size_t n_columns;  // of the longest
  std::size_t n_cells;
  std::size_t room;  // for a window's peaks

  LearningPlan(std::int64_t n_samples, const DetectionOptions& options)
      : windows(learning_windows(n_samples, options)),
        n_columns(longest_of(windows)),
        n_cells((n_columns + cell_samples - 1) / cell_samples),
        room(std::max<std::size_t>(
            1, static_cast<std::size_t>(options.max_peaks) / std::max<std::size_t>(windows.size(), 1))) {}
};

/// Device bytes that collecting clips takes.
template <class Exec>
std::size_t collecting_bytes(PreparedRecording recording, const LearningPlan& plan,
                             const HostMatrix<std::int32_t>& near, const DetectionOptions& options) {
  const auto nt = static_cast<std::size_t>(options.nt);
  return TraceLoader<Exec>::device_bytes(recording, plan.windows) +
         sizeof(float) * (near.extent(0) * (plan.n_columns + plan.n_cells) + near.size() + plan.room * nt) +
         sizeof(FoundPeak) * plan.room + sizeof(std::uint64_t);
}

/// Collects the waveforms of isolated peaks, window by window.
template <class Exec>
class ClipCollector {
 public:
  ClipCollector(const Exec& exec, PreparedRecording recording, const Probe& probe,
                const DetectionOptions& options, StageTimes& times, TransferLedger& ledger)
      : exec_(exec),
        recording_(recording),
        options_(options),
        times_(times),
        ledger_(ledger),
        plan_(recording.stored.n_samples(), options) {
    if (plan_.windows.empty()) return;
    const HostMatrix<std::int32_t> near = channels_near(probe);
    const auto nt = static_cast<std::size_t>(options.nt);
    const auto named = [&exec](const char* what) {
      return unfilled(exec, std::string("kokkosort::detection::") + what);
    };
    near_ = upload_matrix(exec, ledger, "detection", "near", near);
    traces_ = Matrix<float, Exec>(named("learning_traces"), near.extent(0), plan_.n_columns);
    marks_ = Matrix<std::uint32_t, Exec>(named("learning_marks"), plan_.n_cells, near.extent(0));
    list_ = make_peak_list(exec, plan_.room);
    clips_ = Matrix<float, Exec>(named("clips"), plan_.room, nt);
    clips_on_host_ = StagingVector<float, Exec>(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "kokkosort::detection::clips_on_host"),
        runs_on_host<Exec> ? 0 : plan_.room * nt);
  }

  /// @return [peaks, nt]
  std::vector<float> run() {
    if (plan_.windows.empty()) return {};
    TraceLoader<Exec> loader(exec_, recording_, plan_.windows, {}, "detection", ledger_, times_);
    for (const SampleRange& window : plan_.windows) {
      loader.next(traces_);
      ScopedStage<Exec> stage(exec_, times_, "detection::peaks");
      stage.needs(
          {sizeof(float) * static_cast<double>(traces_.extent(0) * window.size()), 0.0});  // reads the traces
      collect(window.size());
    }
    return std::move(found_);
  }

 private:
  void collect(std::size_t n_samples) {
    mark_isolated_peaks(exec_, traces_, n_samples, near_, options_, marks_);
    const std::size_t n_cells = (n_samples + cell_samples - 1) / cell_samples;
    const std::uint64_t room = list_.peaks.extent(0);
    const std::uint64_t total = list_peaks(exec_, marks_, n_cells, 0, 0, {}, list_, ledger_);
    if (total > room) list_peaks(exec_, marks_, n_cells, 0, 0, {room, total}, list_, ledger_);
    const auto count = static_cast<std::size_t>(std::min(room, total));
    if (count == 0) return;
    cut_clips(exec_, traces_, list_, count, options_, clips_);
    const auto some = bring_down(exec_, ledger_, "detection", "clips", clips_on_host_,
                                 Vector<float, Exec>(clips_.data(), count * clips_.extent(1)));
    found_.insert(found_.end(), some.data(), some.data() + some.size());
  }

  const Exec& exec_;
  PreparedRecording recording_;
  const DetectionOptions& options_;
  StageTimes& times_;
  TransferLedger& ledger_;
  LearningPlan plan_;
  Matrix<std::int32_t, Exec> near_;
  Matrix<float, Exec> traces_;
  Matrix<std::uint32_t, Exec> marks_;
  PeakList<Exec> list_;
  Matrix<float, Exec> clips_;
  StagingVector<float, Exec> clips_on_host_;
  std::vector<float> found_;
};

}  // namespace

template <class Exec>
void check_learning(PreparedRecording recording, const Probe& probe, const DetectionOptions& options) {
  const LearningPlan plan(recording.stored.n_samples(), options);
  if (plan.windows.empty()) return;
  const HostMatrix<std::int32_t> near = channels_near(probe);
  refuse_small_limit(collecting_bytes<Exec>(recording, plan, near, options), options,
                     "learning universal templates from " + counted(near.extent(0), "channel"));
  const std::size_t most_peaks = plan.room * plan.windows.size();
  const std::size_t needed = k_means_bytes(most_peaks, static_cast<std::size_t>(options.pcs),
                                           static_cast<std::size_t>(options.shapes));
  if (needed <= options.device_limit_bytes) return;
  throw DeviceLimitError(
      fmt::format("memory.device_limit_mb = {} is too small: learning universal templates from up to {} "
                  "needs {}; raise it, or lower detection.max_peaks",
                  options.device_limit_bytes >> 20, counted(most_peaks, "peak"), (needed >> 20) + 1));
}

template <class Exec>
UniversalTemplates learn_universal_templates(const Exec& exec, PreparedRecording recording,
                                             const Probe& probe, const DetectionOptions& options,
                                             TransferLedger& ledger) {
  check_learning<Exec>(recording, probe, options);
  UniversalTemplates result;
  // What collecting takes of the device is free again when shapes are looked for.
  std::vector<float> found = ClipCollector<Exec>(exec, recording, probe, options, result.times, ledger).run();

  const ScopedStage<Exec> stage(exec, result.times, "detection::shapes");
  const auto nt = static_cast<std::size_t>(options.nt);
  result.n_peaks = found.size() / nt;
  result.are_generic = result.n_peaks < fewest_peaks(options);
  const HostMatrix<float> clips = result.are_generic ? generic_clips(nt, options.peak_sample)
                                                     : HostMatrix<float>(found.data(), result.n_peaks, nt);
  scale_to_unit(clips);
  result.pcs.wPCA = principal_components(clips, static_cast<std::size_t>(options.pcs));
  const HostPoints points = coefficients(clips, result.pcs.wPCA);
  const Clusters clusters =
      k_means(exec, points, static_cast<std::size_t>(options.shapes), options.seed, ledger);
  result.pcs.wTEMP = frequent_shapes(points, clusters, result.pcs.wPCA);
  result.pcs.peak_sample = options.peak_sample;
  return result;
}

#define INSTANTIATE(Exec)                                                                             \
  template void check_learning<Exec>(PreparedRecording, const Probe&, const DetectionOptions&);       \
  template UniversalTemplates learn_universal_templates(const Exec&, PreparedRecording, const Probe&, \
                                                        const DetectionOptions&, TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
