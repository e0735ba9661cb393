#pragma once

#include <cstdint>
#include <vector>

#include "kokkosort/spike_features.hpp"
#include "kokkosort/stage_times.hpp"
#include "kokkosort/templates/correlations.hpp"
#include "kokkosort/transfer_ledger.hpp"

namespace kokkosort {

struct TemplateOptions {
  bool merge = true;                  // near-duplicates
  double min_correlation = 0.9;       // at some lag, of candidates for merging
  double certain_correlation = 0.98;  // candidates above it merge without a look: no two neurons are so alike
  double max_norm_difference = 0.2;   // over the mean of the norms
  double min_bimodality = 0.6;        // spikes whose projections score less have no trough between them
  std::size_t device_limit_bytes = 4ull << 30;
};

/// Templates made from clusters.
struct LearnedTemplates {
  HostTensor3<float> templates;      // [templates, channels, pcs]
  std::vector<std::int64_t> spikes;  // [templates], that each is the mean of
  std::vector<std::int32_t>
      template_of;  // [units], the template that each cluster went into; −1: its mean is zero
  std::vector<std::int32_t> shift_of;  // [units], samples by which the cluster's waveforms were moved later
  StageTimes times;

  std::size_t n_templates() const { return templates.extent(0); }
};

/// Turns clusters into templates: aligned so that their peak against the universal shapes is central,
/// near-duplicates merged.
///
/// Two templates are candidates if they correlate at some lag and their norms are alike; they merge if their
/// spikes, moved by the lag, project without a trough (section 5 of DESIGN; Kilosort4 merges the candidates
/// unseen). Those that correlate almost perfectly merge in any case: a strong neuron's spikes that were
/// aligned a sample apart do have a trough between them, as the components hold no shift exactly, while the
/// most alike of the 380 neurons of two simulated probes correlate at less than 0.97. Never across shanks.
/// Largest first; the mean is weighted by spikes. Repeated until nothing merges.
///
/// @param spikes  that were clustered
/// @param labels  [spikes], the cluster of each, 0 … units − 1
/// @param means   [units, channels, pcs], the clusters' mean features
template <class Exec>
LearnedTemplates learn_templates(const Exec& exec, const SpikeFeatures& spikes,
                                 const std::vector<std::int32_t>& labels, const HostTensor3<float>& means,
                                 const TemplateOptions& options, TransferLedger& ledger);

/// Samples by which each template must be moved later for its largest projection on a universal shape to be
/// central.
std::vector<std::int32_t> alignment_shifts(const PrincipalComponents& pcs,
                                           const HostTensor3<float>& templates);

}  // namespace kokkosort
