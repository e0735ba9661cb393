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
  std::int64_t min_spikes = 10;             // a unit of fewer is not said to be refractory
  bool merge = true;
  double min_similarity = 0.5;          // at some lag, of units that may be one neuron
  double max_merge_ratio = 0.25;        // R12 of two halves of one neuron
  double max_merge_probability = 0.05;  // Q12 likewise
  double min_expected_pairs =
      10.0;  // within the refractory time, were the trains independent: fewer are no evidence
  double min_bimodality = 0.6;  // a trough as deep as this keeps units apart
  double duplicate_ms = 0.25;   // two spikes of a unit within this are one
  double position_um = 100.0;   // channels this near a spike's have a say in where it is
  std::size_t device_limit_bytes = 4ull << 30;
};

/// Clustered spikes of a recording, as matching found them.
struct CurationInput {
  const SpikeFeatures& spikes;                  // a spike's centre is the template that found it
  const std::vector<float>& amplitude;          // [spikes], times its template
  const HostTensor3<float>& matched_templates;  // [templates, channels, pcs]
  const std::vector<std::int32_t>& labels;      // [spikes], cluster of each, 0 … clusters − 1
  const HostTensor3<float>& means;              // [clusters, channels, pcs], mean features
};

/// What curation did, for the log.
struct CurationReport {
  std::size_t clusters = 0;
  std::size_t merges = 0;
  std::size_t duplicates = 0;
  StageTimes times;
};

/// Merges clusters that are one neuron, from the largest refractory one down; removes duplicate spikes;
/// measures the units that are left. A merge needs all of: similarity at some lag, cross-refractory trains on
/// enough counts, and no trough between the spikes moved by the lag. Never across shanks. Units without
/// spikes do not stay.
///
/// @param exec  fenced on return
/// Source: Pachitariu et al. 2024, Methods, "Refractory period criterion", "Global merges"; DESIGN,
/// section 7.
template <class Exec>
Sorting curate(const Exec& exec, const CurationInput& input, const CurationOptions& options,
               TransferLedger& ledger, CurationReport& report);

}  // namespace kokkosort
