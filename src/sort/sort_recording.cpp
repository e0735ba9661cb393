#include <algorithm>
#include <string>
#include <utility>

#include "core/counted.hpp"
#include "core/instantiate.hpp"
#include "kokkosort/clustering/cluster.hpp"
#include "kokkosort/detection/detect.hpp"
#include "kokkosort/matching/match.hpp"
#include "kokkosort/sort.hpp"

namespace kokkosort {
namespace {

void add(StageTimes& times, const StageTimes& stages, const std::string& prefix = "") {
  for (const auto& [stage, seconds] : stages.entries()) times.add(prefix + stage, seconds);
}

/// Clustered spikes, and the templates made of the clusters.
struct ClusteredSpikes {
  SpikeFeatures spikes;
  std::vector<float> amplitude;  // [spikes], times the template that found each; of matched spikes alone
  HostTensor3<float> matched_templates;  // likewise
  SpikeUnits units;
  HostTensor3<float> templates;  // learned from the units
};

/// A recording on its way to a sorting; its members are what the stages share.
template <class Exec>
class RecordingSorter {
 public:
  RecordingSorter(const Exec& exec, const SortInput& input, const SortOptions& options, StageTimes& times,
                  TransferLedger& ledger, Progress& progress)
      : exec_(exec), input_(input), options_(options), times_(times), ledger_(ledger), progress_(progress) {}

  SortResult run() {
    prepare();
    find_universal_templates();
    ClusteredSpikes found = detect();
    for (int pass = 0; pass < options_.matching_passes; ++pass) found = match(std::move(found), pass);
    curate_units(found);
    result_.matched_templates = found.matched_templates;
    return std::move(result_);
  }

 private:
  PreparedRecording prepared() { return {input_.recording, result_.preparation.traces, &progress_}; }

  void prepare() {
    progress_.begin("preprocessing", 0);
    result_.preparation =
        prepare_recording(exec_, input_.recording, input_.probe, input_.column, input_.sampling_rate_hz,
                          input_.offset, options_.preprocessing, ledger_);
    add(times_, result_.preparation.times);
    const auto& channels = result_.preparation.channels;
    const auto n_dead =
        std::count_if(channels.begin(), channels.end(), [](const auto& c) { return c.is_dead; });
    progress_.end(counted(channels.size() - static_cast<std::size_t>(n_dead), "channel"));
  }

  void find_universal_templates() {
    if (input_.universal != nullptr) {
      result_.pcs = *input_.universal;
      return;
    }
    progress_.begin("universal templates", 0);
    UniversalTemplates learned =
        learn_universal_templates(exec_, prepared(), input_.probe, options_.detection, ledger_);
    add(times_, learned.times);
    result_.pcs = std::move(learned.pcs);
    progress_.end("from " + counted(learned.n_peaks, "peak"));
  }

  ClusteredSpikes detect() {
    progress_.begin("detection", input_.recording.n_samples());
    const DetectionGrid grid = make_detection_grid(input_.probe, options_.detection);
    dmin_um_ = grid.dmin_um;
    dminx_um_ = grid.dminx_um;
    Detection detection =
        detect_spikes(exec_, prepared(), input_.probe, grid, result_.pcs, options_.detection, ledger_);
    add(times_, detection.times);
    result_.detected_spikes = detection.spikes.n_spikes();
    progress_.end(counted(detection.spikes.n_spikes(), "spike"));
    ClusteredSpikes found;
    found.spikes = std::move(detection.spikes);
    cluster(found, "clustering of detected spikes");
    return found;
  }

  ClusteredSpikes match(ClusteredSpikes before, int pass) {
    if (before.templates.extent(0) == 0) return before;
    before.spikes = {};  // not needed any more, and large
    const std::string name = pass == 0 ? "matching" : "matching, pass " + std::to_string(pass + 1);
    progress_.begin(name, input_.recording.n_samples());
    Matching matching = match_templates(exec_, {prepared(), input_.probe, result_.pcs, before.templates},
                                        options_.matching, ledger_);
    add(times_, matching.times);
    result_.unfinished_windows = matching.unfinished_windows;
    progress_.end(counted(matching.n_spikes(), "spike") + " of " +
                  counted(before.templates.extent(0), "template"));
    ClusteredSpikes found;
    found.matched_templates = before.templates;
    found.amplitude = std::move(matching.amplitude);
    found.spikes = features_of(std::move(matching));
    cluster(found,
            pass == 0 ? "clustering of matched spikes" : "clustering, pass " + std::to_string(pass + 1));
    return found;
  }

  void cluster(ClusteredSpikes& found, const std::string& name) {
    if (found.spikes.n_spikes() == 0) return;
    progress_.begin(name, 0);
    const Clustering clustering = cluster_spikes(exec_, found.spikes, options_.clustering, ledger_);
    add(times_, clustering.times);
    const bool are_matched = found.matched_templates.extent(0) > 0;
    if (are_matched)
      found.units = split_by_template(found.spikes, clustering.labels, options_.splitting);
    else
      found.units = {clustering.labels, clustering.templates};
    const LearnedTemplates learned = learn_templates(exec_, found.spikes, found.units.labels,
                                                     found.units.means, options_.templates, ledger_);
    add(times_, learned.times);
    found.templates = learned.templates;
    progress_.end(counted(found.units.n_units(), "cluster") + ", " +
                  counted(learned.n_templates(), "template"));
  }

  SpikeFeatures features_of(Matching&& matching) const {
    SpikeFeatures spikes;
    spikes.probe = input_.probe;
    spikes.pcs = result_.pcs;
    spikes.sampling_rate_hz = input_.sampling_rate_hz;
    spikes.dmin_um = dmin_um_;
    spikes.dminx_um = dminx_um_;
    spikes.centres = std::move(matching.centres);
    const std::size_t n = matching.n_spikes();
    const std::size_t n_rows = spikes.centres.channels.extent(1);
    spikes.sample = HostVector<std::int64_t>("kokkosort::sort::sample", n);
    spikes.centre = HostVector<std::int32_t>("kokkosort::sort::centre", n);
    spikes.features = HostTensor3<float>("kokkosort::sort::features", n, n_rows, result_.pcs.wPCA.extent(0));
    std::copy_n(matching.sample.data(), n, spikes.sample.data());
    std::copy_n(matching.unit.data(), n, spikes.centre.data());
    std::copy_n(matching.features.data(), matching.features.size(), spikes.features.data());
    return spikes;
  }

  void curate_units(const ClusteredSpikes& found) {
    if (found.spikes.n_spikes() == 0) return;
    progress_.begin("curation", 0);
    CurationReport report;
    result_.sorting = curate(exec_,
                             {found.spikes, found.amplitude, found.matched_templates, found.units.labels,
                              found.units.means, input_.recording.n_samples()},
                             options_.curation, ledger_, report);
    add(times_, report.times);
    progress_.end(counted(result_.sorting.n_units(), "unit") + ", " +
                  counted(result_.sorting.n_spikes(), "spike"));
  }

  const Exec& exec_;
  const SortInput& input_;
  const SortOptions& options_;
  StageTimes& times_;
  TransferLedger& ledger_;
  Progress& progress_;
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
