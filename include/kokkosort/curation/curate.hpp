#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kokkosort/curation/sorting.hpp"
#include "kokkosort/spike_features.hpp"
#include "kokkosort/stage_times.hpp"
#include "kokkosort/transfer_ledger.hpp"

namespace kokkosort {

struct CurationOptions {
  double max_refractory_ratio = 0.2;        // R12 of a unit's own correlogram
  double max_refractory_probability = 0.2;  // Q12 likewise
  std::int64_t min_spikes = 10;             // a unit of no more is not judged by the times of its spikes
  bool merge = true;
  double min_similarity = 0.5;          // at some lag, of units that may be one neuron
  double max_merge_ratio = 0.25;        // R12 of two halves of one neuron
  double max_merge_probability = 0.05;  // Q12 likewise
  double min_expected_pairs = 10.0;     // within ±10 ms, were the trains independent: fewer are no evidence
  double min_bimodality = 0.6;          // a trough as deep as this keeps units apart,
  double certain_similarity = 0.95;     // but not units as alike as this
  double twin_similarity = 0.96;  // units as alike as this, and of norms as alike as the next, are one neuron
  double max_twin_norm_difference =
      0.2;                     // over their mean, unless the times of their spikes speak against it
  double duplicate_ms = 0.25;  // two spikes of a unit within this are one
  double min_ghost_share =
      0.8;  // a unit more of whose spikes go with a larger unit's is its ghost; 1: keep all
  double max_ghost_lag_ms = 1.0;  // from the larger unit's spikes to those that go with them
  double position_um = 100.0;     // channels this near a spike's have a say in where it is
  std::size_t device_limit_bytes = 4ull << 30;
};

/// Clustered spikes of a recording, as matching found them.
struct CurationInput {
  const SpikeFeatures& spikes;                  // a spike's centre is the template that found it
  const std::vector<float>& amplitude;          // [spikes], times its template
  const HostTensor3<float>& matched_templates;  // [templates, channels, pcs]
  const std::vector<std::int32_t>& labels;      // [spikes], cluster of each, 0 … clusters − 1
  const HostTensor3<float>& means;              // [clusters, channels, pcs], mean features
  std::int64_t n_samples = 0;                   // of the recording
};

/// What curation did, for the log.
struct CurationReport {
  std::size_t clusters = 0;  // that have spikes
  std::size_t merges = 0;
  std::size_t duplicates = 0;    // spikes
  std::size_t ghosts = 0;        // units
  std::size_t ghost_spikes = 0;  // that went with them
  StageTimes times;
};

/// Merges clusters that are one neuron, from the largest refractory one down; removes duplicate spikes and
/// ghosts; measures the units that are left.
///
/// A merge needs all of: similarity at some lag, cross-refractory trains on enough counts (of twins, which
/// are as good as equal in shape and size, no counts that say otherwise), and no trough between the spikes
/// moved by the lag; a trough has no say where units that pass the rest are almost equal: the parts of a
/// strong neuron that were found a sample apart have one, as the components hold no shift exactly. Never
/// across shanks, and only into a unit that is itself refractory and has more spikes. The smaller unit's
/// spikes move by the lag, in time as in their waveforms. A ghost is a unit that fires when a larger one near
/// it does, as what matching leaves of a spike can look like another: it goes. Units are numbered along the
/// probe: by shank, y and x of their channel, ties by cluster.
///
/// @param exec  fenced on return
/// Source: Pachitariu et al. 2024, Methods, "Refractory period criterion", "Global merges"; DESIGN,
/// section 7. Ghosts are ours.
template <class Exec>
Sorting curate(const Exec& exec, const CurationInput& input, const CurationOptions& options,
               TransferLedger& ledger, CurationReport& report);

}  // namespace kokkosort
