#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kokkosort/checkpoints.hpp"
#include "kokkosort/matching/options.hpp"
#include "kokkosort/recording/preparation.hpp"
#include "kokkosort/spike_features.hpp"
#include "kokkosort/stage_times.hpp"
#include "kokkosort/transfer_ledger.hpp"

namespace kokkosort {

/// Whitened traces and what to look for in them.
struct MatchingInput {
  PreparedRecording traces;  // channels as in the probe
  const Probe& probe;
  const PrincipalComponents& pcs;
  const HostTensor3<float>& templates;  // [templates, channels, pcs]
};

/// The spikes of a recording that match templates, in time order, equal times in the order found.
struct Matching {
  std::vector<std::int64_t> sample;  // [spikes], of the peak
  std::vector<std::int32_t> unit;    // [spikes], index into the templates
  std::vector<float> amplitude;      // [spikes], times the template
  HostTensor3<float> features;  // [spikes, rows, pcs]: the residual's, plus amplitude times the template's
  DetectionCentres centres;     // one a template: its largest channel, and the channels nearest to that
  std::int64_t unfinished_windows = 0;  // in which max_peels rounds were not enough
  std::int64_t windows = 0;
  int most_rounds = 0;  // of any window
  StageTimes times;

  std::size_t n_spikes() const { return sample.size(); }
};

/// Whether templates and options can be matched within the memory budget. @throws InputError if not, naming
/// the key
template <class Exec>
void check_matching(const MatchingInput& input, const MatchingOptions& options);

/// Matches templates to a recording, window by window; the next window is read while the device works on this
/// one.
///
/// Neighbouring windows overlap. A window's spikes before the end of its core are final, and the next window
/// begins with them taken out: a spike at a seam can be neither lost nor found twice.
///
/// @param exec    instance every kernel runs on; fenced on return
/// @param ledger  gains the bytes that crossed
/// @param kept    windows that were matched before are not matched again
/// @throws InputError if there are no templates, one is zero, the memory budget is too small, or the
/// recording cannot be read; Stopped
template <class Exec>
Matching match_templates(const Exec& exec, const MatchingInput& input, const MatchingOptions& options,
                         TransferLedger& ledger, const StageCheckpoints& kept = {});

/// Where each template's spikes are said to be: its channel of largest energy, and the nearest channels to
/// that, those of the same shank first, ties to the smaller channel.
DetectionCentres template_centres(const Probe& probe, const HostTensor3<float>& templates, int rows);

}  // namespace kokkosort
