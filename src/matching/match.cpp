#include "kokkosort/matching/match.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/host_loop.hpp"
#include "core/instantiate.hpp"
#include "core/transfers.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/matching/pursuit.hpp"
#include "kokkosort/matching/scores.hpp"
#include "kokkosort/matching/window.hpp"
#include "kokkosort/recording/trace_loader.hpp"
#include "kokkosort/templates/correlations.hpp"
#include "kokkosort/templates/placed_templates.hpp"
#include "matching/collect.hpp"
#include "matching/traces.hpp"
#include "matching/work.hpp"

namespace kokkosort {
namespace {

constexpr std::size_t feature_buffer = 16384;  // spikes whose features are on the device at once

MatchingSizes sizes_of(const MatchingInput& input, const std::vector<WindowExtent>& windows) {
  std::size_t n_scores = 0;
  for (const WindowExtent& window : windows) n_scores = std::max<std::size_t>(n_scores, window.n_scores);
  return {input.templates.extent(0), input.templates.extent(1), input.templates.extent(2),
          static_cast<int>(input.pcs.wPCA.extent(1)), n_scores};
}

std::int64_t n_samples_of(const MatchingInput& input) { return input.traces.stored.n_samples(); }

std::vector<WindowExtent> windows_of(const MatchingInput& input, const MatchingOptions& options) {
  return make_windows(n_samples_of(input), static_cast<int>(input.pcs.wPCA.extent(1)), input.pcs.peak_sample,
                      options);
}

/// The samples that windows' traces are of.
std::vector<SampleRange> sample_ranges(const MatchingInput& input, const std::vector<WindowExtent>& windows) {
  const auto half = static_cast<std::int64_t>(input.pcs.wPCA.extent(1) / 2);
  std::vector<SampleRange> ranges;
  for (const WindowExtent& window : windows)
    ranges.push_back({window.first - half, window.first - half + window.n_samples});
  return ranges;
}

/// Device bytes of everything but the correlations.
template <class Exec>
std::size_t matching_bytes(const MatchingInput& input, const std::vector<WindowExtent>& windows,
                           const MatchingOptions& options) {
  const MatchingSizes sizes = sizes_of(input, windows);
  const std::size_t lists = 2 * sizeof(FoundSpike) *
                            (sizes.n_scores / static_cast<std::size_t>(sizes.nt + 1) + 1) *
                            static_cast<std::size_t>(options.max_peels);
  const std::size_t features =
      feature_buffer *
      (sizeof(float) * static_cast<std::size_t>(options.feature_channels) * sizes.n_pcs + sizeof(FoundSpike));
  return workspace_bytes<Exec>(sizes, options) + lists + features +
         TraceLoader<Exec>::device_bytes(input.traces, sample_ranges(input, windows)) +
         sizeof(float) * input.templates.size();
}

/// Feature rows of each template, everything as placed.
template <class Exec>
FeatureRows<Exec> upload_rows(const Exec& exec, const PlacedTemplates<Exec>& templates,
                              const DetectionCentres& centres, TransferLedger& ledger) {
  std::vector<std::int32_t> place_of(templates.n_channels);
  for (std::size_t place = 0; place < place_of.size(); ++place)
    place_of[static_cast<std::size_t>(templates.channel_at[place])] = static_cast<std::int32_t>(place);
  const std::size_t n_rows = centres.channels.extent(1);
  const HostMatrix<std::int32_t> placed("kokkosort::matching::placed_rows", templates.n_templates, n_rows);
  for (std::size_t unit = 0; unit < templates.n_templates; ++unit)
    for (std::size_t row = 0; row < n_rows; ++row)
      placed(unit, row) = place_of[static_cast<std::size_t>(
          centres.channels(static_cast<std::size_t>(templates.template_at[unit]), row))];

  FeatureRows<Exec> rows;
  rows.channels = upload_matrix(exec, ledger, "matching", "feature_rows", placed);
  const std::size_t width = n_rows * templates.n_pcs;
  rows.features = Matrix<float, Exec>(unfilled(exec, "kokkosort::matching::features"), feature_buffer, width);
  const auto staged = [](const char* what) {
    return Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string("kokkosort::matching::") + what);
  };
  const std::size_t n_staged = runs_on_host<Exec> ? 0 : feature_buffer;
  rows.features_on_host = StagingVector<float, Exec>(staged("features_on_host"), n_staged * width);
  rows.spikes_on_host = StagingVector<FoundSpike, Exec>(staged("spikes_on_host"), feature_buffer);
  rows.spikes =
      Vector<FoundSpike, Exec>(unfilled(exec, "kokkosort::matching::spikes_in_order"), feature_buffer);
  return rows;
}

/// Matches a recording's windows in order; its members are what the windows share.
template <class Exec>
class RecordingMatcher {
 public:
  RecordingMatcher(const Exec& exec, const MatchingInput& input, const MatchingOptions& options,
                   TransferLedger& ledger, Matching& result)
      : exec_(exec),
        input_(input),
        options_(options),
        ledger_(ledger),
        result_(result),
        nt_(static_cast<int>(input.pcs.wPCA.extent(1))),
        windows_(windows_of(input, options)) {
    {
      auto stage = time("correlations");
      templates_ = place_templates(exec_, input.probe, input.templates, ledger);
      correlations_ = correlate_templates(exec_, templates_, input.pcs.wPCA,
                                          {.limit_bytes = options.device_limit_bytes}, ledger);
      stage.needs(work_of_correlations(templates_, correlations_));
    }
    const auto stage = time("workspace");
    wPCA_ = upload_matrix(exec_, ledger, "matching", "wPCA", input.pcs.wPCA);
    rows_ = upload_rows(exec_, templates_, result.centres, ledger);
    workspace_ = make_workspace(exec_, sizes_of(input, windows_), options);
    for (SpikeList<Exec>* list : {&spikes_, &spikes_before_})
      list->spikes = Vector<FoundSpike, Exec>(unfilled(exec_, "kokkosort::matching::spike_list"),
                                              workspace_.found.size());
  }

  void run() {
    TraceLoader<Exec> loader(exec_, input_.traces, sample_ranges(input_, windows_), templates_.channel_at,
                             "matching", ledger_, result_.times);
    for (std::size_t w = 0; w < windows_.size(); ++w) {
      load(loader, w);
      match(windows_[w]);
      collect(windows_[w]);
      std::swap(spikes_, spikes_before_);
    }
    join_features();
    result_.windows = static_cast<std::int64_t>(windows_.size());
  }

 private:
  ScopedStage<Exec> time(const std::string& stage) {
    return ScopedStage<Exec>(exec_, result_.times, "matching::" + stage);
  }

  void load(TraceLoader<Exec>& loader, std::size_t w) {
    loader.next(workspace_.traces);
    if (w == 0) return;
    const auto stage = time("traces");
    take_out_spikes(exec_, templates_, wPCA_, spikes_before_.spikes, spikes_before_.count,
                    windows_[w - 1].first - windows_[w].first, windows_[w], workspace_);
  }

  void match(const WindowExtent& window) {
    {
      auto stage = time("scores");
      stage.needs(work_of_scores(templates_, nt_, window));
      compute_scores(exec_, templates_, wPCA_, window, options_, workspace_);
    }
    auto stage = time("pursuit");
    stage.needs(work_of_pursuit(templates_, window));
    const PursuitEnd end =
        pursue(exec_, templates_, correlations_, wPCA_, window, options_, workspace_, ledger_);
    result_.most_rounds = std::max(result_.most_rounds, end.rounds);
    if (!end.finished) ++result_.unfinished_windows;
  }

  void collect(const WindowExtent& window) {
    auto stage = time("features");
    const std::int64_t shift = nt_ / 2 - input_.pcs.peak_sample;
    WindowExtent within = window;  // the recording: a peak outside it is not reported
    within.core_end = std::min(window.core_end, n_samples_of(input_) + shift);
    list_spikes(exec_, within, shift, workspace_, spikes_, ledger_);
    found_.push_back(read_spikes(exec_, templates_, wPCA_, spikes_, rows_, workspace_, ledger_));
    const std::vector<FoundSpike>& found = found_.back().spikes;
    stage.needs(work_of_features(templates_, nt_, window, found.size(), rows_.channels.extent(1)));
    for (const FoundSpike& spike : found) {
      result_.sample.push_back(window.first + spike.centre - shift);
      result_.unit.push_back(templates_.template_at[static_cast<std::size_t>(spike.unit)]);
      result_.amplitude.push_back(spike.amplitude);
    }
  }

  /// Windows' spikes follow each other in time: each has those of its core.
  void join_features() {
    const auto stage = time("features");
    result_.features = HostTensor3<float>(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "kokkosort::matching::features_of_all"),
        result_.n_spikes(), result_.centres.channels.extent(1), input_.pcs.wPCA.extent(0));
    std::vector<float*> to;
    float* next = result_.features.data();
    for (const MatchedSpikes& window : found_) {
      to.push_back(next);
      next += window.features.size();
    }
    host_loop("matching::join_features", found_.size(), [&](const std::size_t w) {
      std::copy_n(found_[w].features.data(), found_[w].features.size(), to[w]);
    });
    found_.clear();
  }

  const Exec& exec_;
  const MatchingInput& input_;
  const MatchingOptions& options_;
  TransferLedger& ledger_;
  Matching& result_;
  int nt_;
  std::vector<WindowExtent> windows_;
  PlacedTemplates<Exec> templates_;
  TemplateCorrelations<Exec> correlations_;
  Matrix<float, Exec> wPCA_;
  FeatureRows<Exec> rows_;
  MatchingWorkspace<Exec> workspace_;
  SpikeList<Exec> spikes_;
  SpikeList<Exec> spikes_before_;  // of the window before
  std::vector<MatchedSpikes> found_;
};

}  // namespace

template <class Exec>
void check_matching(const MatchingInput& input, const MatchingOptions& options) {
  const std::size_t correlations = correlation_bytes(lay_out_templates(input.probe, input.templates),
                                                     static_cast<int>(input.pcs.wPCA.extent(1)), {});
  const std::size_t needed = matching_bytes<Exec>(input, windows_of(input, options), options) + correlations;
  if (needed <= options.device_limit_bytes) return;
  const auto megabytes = [](std::size_t bytes) { return std::to_string((bytes >> 20) + 1); };
  throw DeviceLimitError("memory.device_limit_mb = " + std::to_string(options.device_limit_bytes >> 20) +
                         " is too small: matching " + std::to_string(input.templates.extent(0)) +
                         " templates in windows of " + std::to_string(options.window_samples) +
                         " samples needs " + megabytes(needed) + ", " + megabytes(correlations) +
                         " of them for the templates' correlations; raise it, or lower "
                         "matching.window_samples");
}

template <class Exec>
Matching match_templates(const Exec& exec, const MatchingInput& input, const MatchingOptions& options,
                         TransferLedger& ledger) {
  check_matching<Exec>(input, options);
  Matching result;
  result.centres = template_centres(input.probe, input.templates, options.feature_channels);
  RecordingMatcher<Exec>(exec, input, options, ledger, result).run();
  return result;
}

#define INSTANTIATE(Exec)                                                                      \
  template void check_matching<Exec>(const MatchingInput&, const MatchingOptions&);            \
  template Matching match_templates(const Exec&, const MatchingInput&, const MatchingOptions&, \
                                    TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
