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
#include "sort/memory_share.hpp"
#include "sort/saved_stages.hpp"

namespace kokkosort {
namespace {

/// Spikes of one pass through the recording, and what they were clustered into.
struct FoundSpikes {
  SpikeFeatures spikes;                  // empty where what they were clustered into is all that is needed
  Matching matching;                     // owns the samples and centres of matched spikes
  HostTensor3<float> matched_templates;  // that they match; none of detected ones
  ClusteredUnits clustered;
};

/// A recording on its way to a sorting; its members are what the stages share.
template <class Exec>
class RecordingSorter {
 public:
  RecordingSorter(const Exec& exec, const SortInput& input, const SortOptions& options, StageTimes& times,
                  TransferLedger& ledger, Progress& progress, Checkpoints* checkpoints)
      : exec_(exec),
        input_(input),
        memory_(exec, input.recording, options, progress),
        times_(times),
        ledger_(ledger),
        progress_(progress),
        checkpoints_(checkpoints) {}

  SortResult run() {
    prepare();
    find_universal_templates();
    grid_ = make_detection_grid(input_.probe, options().detection);
    FoundSpikes found = run_pass(0, {});
    result_.detected_spikes = found.clustered.n_spikes;
    for (int pass = 1; pass <= options().matching_passes; ++pass) {
      const HostTensor3<float> templates = found.clustered.templates;
      found = {};  // not needed any more, and large
      found = run_pass(pass, templates);
    }
    if (found.clustered.n_spikes > 0)
      curate_units(found);
    else
      find_nothing();
    if (checkpoints_ != nullptr && checkpoints_->should_stop()) throw Stopped();
    return std::move(result_);
  }

 private:
  const SortOptions& options() const { return memory_.options(); }
  PreparedRecording prepared() { return {memory_.recording(), result_.preparation.traces, &progress_}; }

  /// What an earlier run has found. @return false if it has not
  template <class Found>
  bool restored(const std::string& name, Found& found) {
    std::optional<SavedArrays> saved;
    if (checkpoints_ != nullptr) saved = checkpoints_->load(name);
    if (saved) {
      restore(*saved, found);
      has_restored_ = true;
    }
    return saved.has_value();
  }

  template <class Found>
  void save(const std::string& name, const Found& found) {
    if (checkpoints_ == nullptr) return;
    checkpoints_->save(name, to_save(found));
    if (!checkpoints_->should_stop()) return;
    checkpoints_->finish();
    throw Stopped();
  }

  void begin(const std::string& stage, std::int64_t n_samples = 0) {
    progress_.begin(stage, n_samples);
    if (has_restored_ && result_.resumed_at.empty()) result_.resumed_at = stage;
  }

  /// Of a stage that need not be run again.
  void tell_restored(const std::string& stage, const std::string& found) {
    progress_.begin(stage, 0);
    progress_.end("from a checkpoint: " + found);
  }

  void prepare() {
    const std::string name = "preprocessing";
    Preparation& preparation = result_.preparation;
    if (restored(name, preparation)) return tell_restored(name, in_words(preparation));
    begin(name);
    preparation = memory_.run([&] {
      return prepare_recording(exec_, memory_.recording(), input_.probe, input_.column,
                               input_.sampling_rate_hz, input_.offset, options().preprocessing, ledger_);
    });
    times_.add(preparation.times);
    progress_.end(in_words(preparation));
    save(name, preparation);
  }

  static std::string in_words(const Preparation& preparation) {
    const auto& channels = preparation.channels;
    const auto count = [&](bool ChannelReport::*is) {
      return std::count_if(channels.begin(), channels.end(), [is](const auto& c) { return c.*is; });
    };
    return fmt::format("{}, {} dead, {} saturated", counted(channels.size(), "channel"),
                       count(&ChannelReport::is_dead), count(&ChannelReport::is_saturated));
  }

  void find_universal_templates() {
    if (input_.universal != nullptr) {
      result_.pcs = *input_.universal;
      return;
    }
    const std::string name = "universal templates";
    UniversalTemplates learned;
    if (restored("universal_templates", learned)) {
      tell_restored(name, in_words(learned));
    } else {
      begin(name);
      learned = memory_.run([&] {
        return learn_universal_templates(exec_, prepared(), input_.probe, options().detection, ledger_);
      });
      times_.add(learned.times);
      progress_.end(in_words(learned));
      save("universal_templates", learned);
    }
    result_.pcs = std::move(learned.pcs);
    result_.pcs_are_generic = learned.are_generic;
    result_.isolated_peaks = learned.n_peaks;
  }

  std::string in_words(const UniversalTemplates& learned) const {
    const std::string peaks = counted(learned.n_peaks, "isolated peak");
    if (!learned.are_generic) return "from " + peaks;
    return fmt::format("generic ones; too few to learn from: {}, and {} are needed", peaks,
                       fewest_peaks(options().detection));
  }

  /// Detects spikes, or matches templates, and clusters what is found.
  /// @param pass  0: detection
  FoundSpikes run_pass(int pass, const HostTensor3<float>& templates) {
    FoundSpikes found;
    if (pass > 0 && templates.extent(0) == 0) return found;
    found.matched_templates = templates;
    const std::string name = pass == 0 ? "clusters_detected" : fmt::format("clusters_{}", pass);
    const bool are_clustered = restored(name, found.clustered);
    if (!are_clustered || pass == options().matching_passes) pass == 0 ? detect(found) : match(found, pass);
    if (are_clustered) {
      tell_restored(clustering_name(pass), in_words(found.clustered));
    } else {
      cluster(found, pass);
      save(name, found.clustered);
    }
    if (pass > 1 && checkpoints_ != nullptr) checkpoints_->remove(matching_checkpoint(pass - 1) + "-");
    return found;
  }

  static std::string matching_checkpoint(int pass) { return fmt::format("matching_{}", pass); }
  static std::string clustering_name(int pass) {
    return pass == 0   ? "clustering of detected spikes"
           : pass == 1 ? "clustering of matched spikes"
                       : fmt::format("clustering, pass {}", pass);
  }
  static std::string in_words(const ClusteredUnits& clustered) {
    return counted(clustered.units.n_units(), "cluster") + ", " +
           counted(clustered.templates.extent(0), "template");
  }

  void detect(FoundSpikes& found) {
    begin("detection", input_.recording.n_samples());
    Detection detection = memory_.run([&] {
      return detect_spikes(exec_, prepared(), input_.probe, grid_, result_.pcs, options().detection, ledger_,
                           {checkpoints_, "detection"});
    });
    times_.add(detection.times);
    progress_.end(counted(detection.spikes.n_spikes(), "spike") + " at " +
                  counted(grid_.centres.x_um.size(), "centre"));
    found.spikes = std::move(detection.spikes);
  }

  void match(FoundSpikes& found, int pass) {
    begin(pass == 1 ? "matching" : fmt::format("matching, pass {}", pass), input_.recording.n_samples());
    found.matching = memory_.run([&] {
      return match_templates(exec_, {prepared(), input_.probe, result_.pcs, found.matched_templates},
                             options().matching, ledger_, {checkpoints_, matching_checkpoint(pass)});
    });
    times_.add(found.matching.times);
    result_.unfinished_windows = found.matching.unfinished_windows;
    progress_.end(fmt::format("{} of {}, in at most {}", counted(found.matching.n_spikes(), "spike"),
                              counted(found.matched_templates.extent(0), "template"),
                              counted(found.matching.most_rounds, "round")));
    found.spikes = features_of(found.matching);
  }

  void cluster(FoundSpikes& found, int pass) {
    ClusteredUnits& clustered = found.clustered;
    clustered.n_spikes = found.spikes.n_spikes();
    if (clustered.n_spikes == 0) return;
    begin(clustering_name(pass));
    const Clustering clustering =
        memory_.run([&] { return cluster_spikes(exec_, found.spikes, options().clustering, ledger_); });
    times_.add(clustering.times);
    if (pass > 0) {
      const ScopedStage stage(exec_, times_, "templates::split");
      clustered.units = split_by_template(found.spikes, clustering.labels, options().splitting);
    } else {
      clustered.units = {clustering.labels, clustering.templates};
    }
    const LearnedTemplates learned = memory_.run([&] {
      return learn_templates(exec_, found.spikes, clustered.units.labels, clustered.units.means,
                             options().templates, ledger_);
    });
    times_.add(learned.times);
    clustered.templates = learned.templates;
    progress_.end(in_words(clustered));
  }

  /// @param matching  must stay
  SpikeFeatures features_of(Matching& matching) const {
    SpikeFeatures spikes;
    spikes.probe = input_.probe;
    spikes.pcs = result_.pcs;
    spikes.sampling_rate_hz = input_.sampling_rate_hz;
    spikes.dmin_um = grid_.dmin_um;
    spikes.dminx_um = grid_.dminx_um;
    spikes.centres = matching.centres;
    spikes.sample = HostVector<std::int64_t>(matching.sample.data(), matching.n_spikes());
    spikes.centre = HostVector<std::int32_t>(matching.unit.data(), matching.n_spikes());
    spikes.features = matching.features;
    return spikes;
  }

  void curate_units(const FoundSpikes& found) {
    begin("curation");
    CurationReport report;
    result_.sorting = memory_.run([&] {
      report = {};
      return curate(exec_,
                    {found.spikes, found.matching.amplitude, found.matched_templates,
                     found.clustered.units.labels, found.clustered.units.means, input_.recording.n_samples()},
                    options().curation, ledger_, report);
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
        std::min(n_channels, static_cast<std::size_t>(options().matching.feature_channels));
    Sorting& sorting = result_.sorting;
    sorting.unit_channels = HostMatrix<std::int32_t>("kokkosort::sort::unit_channels", 0, n_rows);
    sorting.features = HostTensor3<float>("kokkosort::sort::features", 0, n_rows, n_pcs);
    sorting.templates = HostTensor3<float>("kokkosort::sort::templates", 0, n_channels, n_pcs);
    sorting.similarity = HostMatrix<float>("kokkosort::sort::similarity", 0, 0);
    result_.matched_templates = HostTensor3<float>("kokkosort::sort::templates", 0, n_channels, n_pcs);
  }

  const Exec& exec_;
  const SortInput& input_;
  MemoryShare<Exec> memory_;
  StageTimes& times_;
  TransferLedger& ledger_;
  Progress& progress_;
  Checkpoints* checkpoints_;  // null: none
  bool has_restored_ = false;
  DetectionGrid grid_;
  SortResult result_;
};

}  // namespace

template <class Exec>
SortResult sort_recording(const Exec& exec, const SortInput& input, const SortOptions& options,
                          StageTimes& times, TransferLedger& ledger, Progress& progress,
                          Checkpoints* checkpoints) {
  return RecordingSorter<Exec>(exec, input, options, times, ledger, progress, checkpoints).run();
}

#define INSTANTIATE(Exec)                                                                            \
  template SortResult sort_recording(const Exec&, const SortInput&, const SortOptions&, StageTimes&, \
                                     TransferLedger&, Progress&, Checkpoints*);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
