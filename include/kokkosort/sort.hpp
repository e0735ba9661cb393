#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kokkosort/checkpoints.hpp"
#include "kokkosort/clustering/options.hpp"
#include "kokkosort/curation/curate.hpp"
#include "kokkosort/detection/options.hpp"
#include "kokkosort/matching/options.hpp"
#include "kokkosort/progress.hpp"
#include "kokkosort/recording/preparation.hpp"
#include "kokkosort/stage_times.hpp"
#include "kokkosort/templates/learn.hpp"
#include "kokkosort/templates/split_by_template.hpp"
#include "kokkosort/transfer_ledger.hpp"

namespace kokkosort {

/// Options of all stages. Where a stage's own default serves it alone, these serve the whole (measured on
/// seven simulated recordings, README).
struct SortOptions {
  SortOptions() {
    clustering.neighbours.min_subset = 100;  // rather split too much: curation merges
    matching.threshold = 7.0;
    matching.feature_channels = 24;  // so that a large neuron's template leaves nothing of it behind
  }

  PreprocessingOptions preprocessing;
  DetectionOptions detection;
  ClusteringOptions clustering;
  TemplateOptions templates;
  MatchingOptions matching;
  SplitByTemplateOptions splitting;
  int matching_passes =
      3;  // through the recording; each after the first with templates of the spikes found before
  CurationOptions curation;
};

/// A recording, and what is known about it. All must stay.
struct SortInput {
  Recording& recording;
  const Probe& probe;
  const std::vector<std::int32_t>&
      column;  // [channels], of the recording, that holds each channel of the probe
  double sampling_rate_hz;
  double offset = 0.0;                             // of stored samples
  const PrincipalComponents* universal = nullptr;  // null: learned from the recording
};

/// A sorted recording, and what was learned on the way.
struct SortResult {
  Preparation preparation;
  PrincipalComponents pcs;
  bool pcs_are_generic = false;          // there were too few peaks to learn them from
  std::size_t isolated_peaks = 0;        // that there were
  HostTensor3<float> matched_templates;  // [templates, channels, pcs], of the last pass
  Sorting sorting;
  std::size_t detected_spikes = 0;
  std::int64_t unfinished_windows = 0;  // of the last pass
  std::string resumed_at;               // the first stage that was run; empty: no checkpoint was there
};

/// Sorts a recording: whitens, detects, clusters, learns templates, matches them, clusters again, curates.
///
/// @param exec      instance every kernel runs on; fenced on return
/// @param times, ledger, progress  hear of each stage as it ends, so that they are right when a later one
/// throws
/// @param checkpoints  keep what stages found, and what they kept before is not looked for again; null: none.
/// The sorting is the same to the last bit as that of a run that was not interrupted.
/// @return without spikes, if there are none
/// @throws InputError if recording or options cannot be sorted; Stopped if the checkpoints say so
/// Source: Pachitariu et al. 2024.
template <class Exec>
SortResult sort_recording(const Exec& exec, const SortInput& input, const SortOptions& options,
                          StageTimes& times, TransferLedger& ledger, Progress& progress,
                          Checkpoints* checkpoints = nullptr);

}  // namespace kokkosort
