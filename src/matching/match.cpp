#include "kokkosort/matching/match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/counted.hpp"
#include "core/host_loop.hpp"
#include "core/instantiate.hpp"
#include "core/transfers.hpp"
#include "core/window_blocks.hpp"
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

/// Spikes of a window, at most, that reach into the one behind it: blocks of nt + 1 samples hold one a round.
std::size_t most_reaching(const std::vector<WindowExtent>& windows, int nt, const MatchingOptions& options) {
  std::int64_t blocks = 0;
  for (std::size_t w = 1; w < windows.size(); ++w)
    blocks = std::max(blocks, (windows[w - 1].core_end - windows[w].first + nt) / (nt + 1) + 2);
  return static_cast<std::size_t>(blocks) * static_cast<std::size_t>(options.max_peels);
}

/// Device bytes of everything but the correlations.
template <class Exec>
std::size_t matching_bytes(const MatchingInput& input, const std::vector<WindowExtent>& windows,
                           const MatchingOptions& options) {
  const MatchingSizes sizes = sizes_of(input, windows);
  const std::size_t lists =
      sizeof(FoundSpike) * ((sizes.n_scores / static_cast<std::size_t>(sizes.nt + 1) + 1) *
                                static_cast<std::size_t>(options.max_peels) +
                            most_reaching(windows, sizes.nt, options));
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
                   const StageCheckpoints& kept, TransferLedger& ledger, Matching& result)
      : exec_(exec),
        input_(input),
        options_(options),
        ledger_(ledger),
        result_(result),
        nt_(static_cast<int>(input.pcs.wPCA.extent(1))),
        windows_(windows_of(input, options)),
        blocks_(kept),
        spikes_until_(windows_.size() + 1) {
    n_done_ = blocks_.restore([this](SavedArrays& block) { restore(block); });
    if (n_done_ == windows_.size()) return;
    {
      auto stage = time("correlations");
      templates_ = place_templates(exec_, input.probe, input.templates, ledger);
      place_of_.resize(templates_.n_templates);
      for (std::size_t place = 0; place < place_of_.size(); ++place)
        place_of_[static_cast<std::size_t>(templates_.template_at[place])] = static_cast<std::int32_t>(place);
      correlations_ = correlate_templates(exec_, templates_, input.pcs.wPCA,
                                          {.limit_bytes = options.device_limit_bytes}, ledger);
      stage.needs(work_of_correlations(templates_, correlations_));
    }
    const auto stage = time("workspace");
    wPCA_ = upload_matrix(exec_, ledger, "matching", "wPCA", input.pcs.wPCA);
    rows_ = upload_rows(exec_, templates_, result.centres, ledger);
    workspace_ = make_workspace(exec_, sizes_of(input, windows_), options);
    spikes_.spikes =
        Vector<FoundSpike, Exec>(unfilled(exec_, "kokkosort::matching::spike_list"), workspace_.found.size());
    reaching_ = Vector<FoundSpike, Exec>(unfilled(exec_, "kokkosort::matching::reaching_spikes"),
                                         most_reaching(windows_, nt_, options));
  }

  void run() {
    if (n_done_ > 0 && input_.traces.progress != nullptr)
      input_.traces.progress->resume(n_done_ == windows_.size() ? n_samples_of(input_)
                                                                : windows_[n_done_].first);
    if (n_done_ < windows_.size()) match_windows();
    join_features();
    blocks_.keep_rest(n_done_, [this](std::size_t, ArraysToSave& block) { collect_rest(block); });
    result_.windows = static_cast<std::int64_t>(windows_.size());
  }

 private:
  ScopedStage<Exec> time(const std::string& stage) {
    return ScopedStage<Exec>(exec_, result_.times, "matching::" + stage);
  }

  /// Those that are left.
  void match_windows() {
    const std::vector<SampleRange> ranges = sample_ranges(input_, windows_);
    TraceLoader<Exec> loader(exec_, input_.traces,
                             {ranges.begin() + static_cast<std::ptrdiff_t>(n_done_), ranges.end()},
                             templates_.channel_at, "matching", ledger_, result_.times);
    while (n_done_ < windows_.size()) {
      const WindowExtent& window = windows_[n_done_++];
      loader.next(workspace_.traces);
      take_out_found(window);
      match(window);
      collect(window);
      spikes_until_[n_done_] = result_.n_spikes();
      if (n_done_ < windows_.size())
        blocks_.keep_some(n_done_,
                          [this](std::size_t first, ArraysToSave& block) { collect_block(first, block); });
    }
  }

  /// Takes out what the windows before have found in this one.
  void take_out_found(const WindowExtent& window) {
    const auto stage = time("traces");
    const std::vector<FoundSpike> spikes = spikes_reaching(window);
    const Vector<FoundSpike, Exec> some(
        Kokkos::subview(reaching_, std::make_pair(std::size_t{0}, spikes.size())));
    if (!spikes.empty())
      copy_up(exec_, ledger_, "matching", "spikes of the window before", some,
              HostVector<const FoundSpike>(spikes.data(), spikes.size()));
    take_out_spikes(exec_, templates_, wPCA_, some, window, workspace_);
    exec_.fence("kokkosort::matching::take_out_spikes");  // the spikes on the host go
  }

  /// In time order; centres count from the window's first.
  std::vector<FoundSpike> spikes_reaching(const WindowExtent& window) const {
    std::size_t first = result_.n_spikes();
    while (first > 0 && result_.sample[first - 1] + centre_shift() - window.first > -nt_) --first;
    std::vector<FoundSpike> spikes;
    for (std::size_t i = first; i < result_.n_spikes(); ++i)
      spikes.push_back({static_cast<std::int32_t>(result_.sample[i] + centre_shift() - window.first),
                        place_of_[static_cast<std::size_t>(result_.unit[i])], result_.amplitude[i]});
    return spikes;
  }

  /// From a spike's sample to its centre.
  std::int64_t centre_shift() const { return nt_ / 2 - input_.pcs.peak_sample; }

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
    const std::int64_t shift = centre_shift();
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
    if (static_cast<std::int64_t>(result_.n_spikes()) > options_.max_spikes)
      throw InputError(
          fmt::format("matching found more than {} in the first {} of {}; raise matching.threshold or "
                      "memory.host_limit_mb",
                      counted(options_.max_spikes, "spike"), std::min(window.core_end, n_samples_of(input_)),
                      counted(n_samples_of(input_), "sample")));
  }

  /// The spikes of windows [first, n_done_), which were found last.
  void collect_block(std::size_t first, ArraysToSave& block) {
    ArrayToSave::Pieces<float> features;
    std::size_t n = 0;
    for (std::size_t w = found_.size() - (n_done_ - first); w < found_.size(); ++w) {
      features.emplace_back(found_[w].features.data(), found_[w].features.size());
      n += found_[w].features.extent(0);
    }
    block.add<float>("features", {n, width()}, std::move(features));
    collect_spikes(n, block);
  }

  /// Those that no block has, of all spikes.
  void collect_rest(ArraysToSave& block) const {
    const std::size_t n_before = spikes_until_[blocks_.n_kept()];
    const std::size_t n = result_.n_spikes() - n_before;
    block.add<float>("features", {n, width()}, {{result_.features.data() + n_before * width(), n * width()}});
    block.keep(result_.features);
    collect_spikes(n, block);
  }

  /// The last n, without their features.
  void collect_spikes(std::size_t n, ArraysToSave& block) const {
    const auto last = [n](const auto& values) {
      return std::vector(values.end() - static_cast<std::ptrdiff_t>(n), values.end());
    };
    block.add("sample", last(result_.sample));
    block.add("unit", last(result_.unit));
    block.add("amplitude", last(result_.amplitude));
    block.add_number("unfinished_windows", static_cast<double>(result_.unfinished_windows));
    block.add_number("most_rounds", result_.most_rounds);
  }

  std::size_t width() const { return result_.centres.channels.extent(1) * input_.pcs.wPCA.extent(0); }

  void restore(SavedArrays& block) {
    const auto append = [&]<class T>(const char* name, std::vector<T>& to) {
      const std::vector<T>& some = block.vector<T>(name);
      to.insert(to.end(), some.begin(), some.end());
    };
    append("sample", result_.sample);
    append("unit", result_.unit);
    append("amplitude", result_.amplitude);
    found_.push_back({{}, block.matrix<float>("features")});
    result_.unfinished_windows = static_cast<std::int64_t>(block.number("unfinished_windows"));
    result_.most_rounds = static_cast<int>(block.number("most_rounds"));
    spikes_until_[static_cast<std::size_t>(block.number("last_window"))] = result_.n_spikes();
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
  Vector<FoundSpike, Exec> reaching_;   // from the windows before into this one
  std::vector<std::int32_t> place_of_;  // [templates], of each the place along the probe
  WindowBlocks blocks_;
  std::size_t n_done_ = 0;                 // windows
  std::vector<std::size_t> spikes_until_;  // [windows + 1], spikes of the windows before each
  std::vector<MatchedSpikes> found_;       // of each window, or of each block that was kept before
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
                         TransferLedger& ledger, const StageCheckpoints& kept) {
  check_matching<Exec>(input, options);
  Matching result;
  result.centres = template_centres(input.probe, input.templates, options.feature_channels);
  RecordingMatcher<Exec>(exec, input, options, kept, ledger, result).run();
  return result;
}

#define INSTANTIATE(Exec)                                                                      \
  template void check_matching<Exec>(const MatchingInput&, const MatchingOptions&);            \
  template Matching match_templates(const Exec&, const MatchingInput&, const MatchingOptions&, \
                                    TransferLedger&, const StageCheckpoints&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
