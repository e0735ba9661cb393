#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/counted.hpp"
#include "core/instantiate.hpp"
#include "kokkosort/clustering/cluster.hpp"
#include "kokkosort/detection/detect.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/matching/match.hpp"
#include "kokkosort/sort.hpp"
#include "recording/resident_recording.hpp"

namespace kokkosort {
namespace {

/// Clustered spikes, and the templates made of the clusters.
struct ClusteredSpikes {
  SpikeFeatures spikes;
  Matching matching;                     // owns the samples and centres of matched spikes
  HostTensor3<float> matched_templates;  // that they match; none of detected ones
  SpikeUnits units;
  HostTensor3<float> templates;  // learned from the units
};

/// The stages' limits of device memory.
template <class Body>
void for_each_limit(SortOptions& options, const Body& body) {
  for (std::size_t* const limit :
       {&options.preprocessing.device_limit_bytes, &options.detection.device_limit_bytes,
        &options.clustering.device_limit_bytes, &options.templates.device_limit_bytes,
        &options.matching.device_limit_bytes, &options.curation.device_limit_bytes})
    body(*limit);
}

/// A recording on its way to a sorting; its members are what the stages share.
template <class Exec>
class RecordingSorter {
 public:
  RecordingSorter(const Exec& exec, const SortInput& input, const SortOptions& options, StageTimes& times,
                  TransferLedger& ledger, Progress& progress)
      : exec_(exec),
        input_(input),
        given_(options),
        options_(options),
        times_(times),
        ledger_(ledger),
        progress_(progress) {
    if (!runs_on_host<Exec>) keep_recording();
  }

  SortResult run() {
    prepare();
    find_universal_templates();
    ClusteredSpikes found = detect();
    for (int pass = 0; pass < options_.matching_passes; ++pass) found = match(std::move(found), pass);
    if (found.spikes.n_spikes() > 0)
      curate_units(found);
    else
      find_nothing();
    return std::move(result_);
  }

 private:
  /// On the device, as much as is worth it. The stages have what is left of their limits.
  void keep_recording() {
    std::size_t smallest = options_.matching.device_limit_bytes;
    for_each_limit(options_, [&](std::size_t limit) { smallest = std::min(smallest, limit); });
    resident_.emplace(exec_, input_.recording, resident_share(input_.recording, smallest));
    for_each_limit(options_, [&](std::size_t& limit) { limit -= resident_->device_bytes(); });
  }

  /// Runs a stage. If what is left of its limit is too little for it, the recording's samples make room.
  template <class Stage>
  auto run_stage(const Stage& stage) {
    if (resident_ && resident_->device_bytes() > 0) {
      try {
        return stage();
      } catch (const DeviceLimitError&) {
        resident_->release();
        options_ = given_;
      }
    }
    return stage();
  }

  Recording& recording() { return resident_ ? *resident_ : input_.recording; }
  PreparedRecording prepared() { return {recording(), result_.preparation.traces, &progress_}; }

  void prepare() {
    progress_.begin("preprocessing", 0);
    result_.preparation = run_stage([&] {
      return prepare_recording(exec_, recording(), input_.probe, input_.column, input_.sampling_rate_hz,
                               input_.offset, options_.preprocessing, ledger_);
    });
    times_.add(result_.preparation.times);
    const auto& channels = result_.preparation.channels;
    const auto n_dead =
        std::count_if(channels.begin(), channels.end(), [](const auto& c) { return c.is_dead; });
    const auto n_saturated =
        std::count_if(channels.begin(), channels.end(), [](const auto& c) { return c.is_saturated; });
    progress_.end(
        fmt::format("{}, {} dead, {} saturated", counted(channels.size(), "channel"), n_dead, n_saturated));
  }

  void find_universal_templates() {
    if (input_.universal != nullptr) {
      result_.pcs = *input_.universal;
      return;
    }
    progress_.begin("universal templates", 0);
    UniversalTemplates learned = run_stage([&] {
      return learn_universal_templates(exec_, prepared(), input_.probe, options_.detection, ledger_);
    });
    times_.add(learned.times);
    result_.pcs = std::move(learned.pcs);
    result_.pcs_are_generic = learned.are_generic;
    progress_.end((learned.are_generic ? "generic ones; too few to learn from: " : "from ") +
                  counted(learned.n_peaks, "isolated peak"));
  }

  ClusteredSpikes detect() {
    progress_.begin("detection", input_.recording.n_samples());
    const DetectionGrid grid = make_detection_grid(input_.probe, options_.detection);
    dmin_um_ = grid.dmin_um;
    dminx_um_ = grid.dminx_um;
    Detection detection = run_stage([&] {
      return detect_spikes(exec_, prepared(), input_.probe, grid, result_.pcs, options_.detection, ledger_);
    });
    times_.add(detection.times);
    result_.detected_spikes = detection.spikes.n_spikes();
    progress_.end(counted(detection.spikes.n_spikes(), "spike") + " at " +
                  counted(grid.centres.x_um.size(), "centre"));
    ClusteredSpikes found;
    found.spikes = std::move(detection.spikes);
    cluster(found, "clustering of detected spikes");
    return found;
  }

  ClusteredSpikes match(ClusteredSpikes before, int pass) {
    if (before.templates.extent(0) == 0) return {};
    before.spikes = {};  // not needed any more, and large
    before.matching = {};
    const std::string name = pass == 0 ? "matching" : "matching, pass " + std::to_string(pass + 1);
    progress_.begin(name, input_.recording.n_samples());
    Matching matching = run_stage([&] {
      return match_templates(exec_, {prepared(), input_.probe, result_.pcs, before.templates},
                             options_.matching, ledger_);
    });
    times_.add(matching.times);
    result_.unfinished_windows = matching.unfinished_windows;
    progress_.end(fmt::format("{} of {}, in at most {}", counted(matching.n_spikes(), "spike"),
                              counted(before.templates.extent(0), "template"),
                              counted(matching.most_rounds, "round")));
    ClusteredSpikes found;
    found.matched_templates = before.templates;
    found.matching = std::move(matching);
    found.spikes = features_of(found.matching);
    cluster(found,
            pass == 0 ? "clustering of matched spikes" : "clustering, pass " + std::to_string(pass + 1));
    return found;
  }

  void cluster(ClusteredSpikes& found, const std::string& name) {
    if (found.spikes.n_spikes() == 0) return;
    progress_.begin(name, 0);
    const Clustering clustering =
        run_stage([&] { return cluster_spikes(exec_, found.spikes, options_.clustering, ledger_); });
    times_.add(clustering.times);
    const bool are_matched = found.matched_templates.extent(0) > 0;
    if (are_matched) {
      const ScopedStage stage(exec_, times_, "templates::split");
      found.units = split_by_template(found.spikes, clustering.labels, options_.splitting);
    } else {
      found.units = {clustering.labels, clustering.templates};
    }
    const LearnedTemplates learned = run_stage([&] {
      return learn_templates(exec_, found.spikes, found.units.labels, found.units.means, options_.templates,
                             ledger_);
    });
    times_.add(learned.times);
    found.templates = learned.templates;
    progress_.end(counted(found.units.n_units(), "cluster") + ", " +
                  counted(learned.n_templates(), "template"));
  }

  /// @param matching  must stay
  SpikeFeatures features_of(Matching& matching) const {
    SpikeFeatures spikes;
    spikes.probe = input_.probe;
    spikes.pcs = result_.pcs;
    spikes.sampling_rate_hz = input_.sampling_rate_hz;
    spikes.dmin_um = dmin_um_;
    spikes.dminx_um = dminx_um_;
    spikes.centres = matching.centres;
    spikes.sample = HostVector<std::int64_t>(matching.sample.data(), matching.n_spikes());
    spikes.centre = HostVector<std::int32_t>(matching.unit.data(), matching.n_spikes());
    spikes.features = matching.features;
    return spikes;
  }

  void curate_units(const ClusteredSpikes& found) {
    progress_.begin("curation", 0);
    CurationReport report;
    result_.sorting = run_stage([&] {
      report = {};
      return curate(exec_,
                    {found.spikes, found.matching.amplitude, found.matched_templates, found.units.labels,
                     found.units.means, input_.recording.n_samples()},
                    options_.curation, ledger_, report);
    });
    times_.add(report.times);
    result_.matched_templates = found.matched_templates;
    progress_.end(fmt::format("{} of {}; {} merged; {} removed with {}, and {}",
                              counted(result_.sorting.n_units(), "unit"),
                              counted(result_.sorting.n_spikes(), "spike"), counted(report.merges, "cluster"),
                              counted(report.ghosts, "ghost"), counted(report.ghost_spikes, "spike"),
                              counted(report.duplicates, "duplicate spike")));
  }

  /// A sorting without spikes, whose arrays have their widths all the same.
  void find_nothing() {
    const std::size_t n_channels = input_.probe.x_um.size();
    const std::size_t n_pcs = result_.pcs.wPCA.extent(0);
    const std::size_t n_rows =
        std::min(n_channels, static_cast<std::size_t>(options_.matching.feature_channels));
    Sorting& sorting = result_.sorting;
    sorting.unit_channels = HostMatrix<std::int32_t>("kokkosort::sort::unit_channels", 0, n_rows);
    sorting.features = HostTensor3<float>("kokkosort::sort::features", 0, n_rows, n_pcs);
    sorting.templates = HostTensor3<float>("kokkosort::sort::templates", 0, n_channels, n_pcs);
    sorting.similarity = HostMatrix<float>("kokkosort::sort::similarity", 0, 0);
    result_.matched_templates = HostTensor3<float>("kokkosort::sort::templates", 0, n_channels, n_pcs);
  }

  const Exec& exec_;
  const SortInput& input_;
  const SortOptions& given_;
  SortOptions options_;  // of what is left of the device
  StageTimes& times_;
  TransferLedger& ledger_;
  Progress& progress_;
  std::optional<ResidentRecording<Exec>> resident_;  // where the device is not the host
  SortResult result_;
  double dmin_um_ = 0.0;
  double dminx_um_ = 0.0;
};

}  // namespace

template <class Exec>
SortResult sort_recording(const Exec& exec, const SortInput& input, const SortOptions& options,
                          StageTimes& times, TransferLedger& ledger, Progress& progress) {
  return RecordingSorter<Exec>(exec, input, options, times, ledger, progress).run();
}

#define INSTANTIATE(Exec)                                                                            \
  template SortResult sort_recording(const Exec&, const SortInput&, const SortOptions&, StageTimes&, \
                                     TransferLedger&, Progress&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
