#pragma once

#include <cstddef>

#include "kokkosort/detection/options.hpp"
#include "kokkosort/recording/preparation.hpp"

namespace kokkosort {

/// What spikes look like in this recording, whatever neuron they are of.
struct UniversalTemplates {
  PrincipalComponents pcs;   // wPCA orthonormal, wTEMP of norm 1
  std::size_t n_peaks = 0;   // whose waveforms were looked at
  bool are_generic = false;  // they were too few: the templates are of no recording
  StageTimes times;
};

/// Isolated peaks that templates are learned from, at least.
inline std::size_t fewest_peaks(const DetectionOptions& options) {
  constexpr std::size_t peaks_per_shape = 10;
  return peaks_per_shape * static_cast<std::size_t>(options.shapes);
}

/// Whether templates can be learned within the memory budget. @throws DeviceLimitError if not, naming the key
template <class Exec>
void check_learning(PreparedRecording recording, const Probe& probe, const DetectionOptions& options);

/// Learns principal components and universal shapes from isolated peaks on single channels: the largest
/// magnitude among its neighbours in time and space, above the learning threshold. The components are the
/// first singular vectors of the clips, the shapes their k-means centres, scaled to norm 1. Where there are
/// fewer than fewest_peaks, the clips are generic ones in their place.
///
/// @throws InputError if the memory budget is too small, or the recording cannot be read
/// Source: Pachitariu et al. 2024, Methods, "Spike detection".
template <class Exec>
UniversalTemplates learn_universal_templates(const Exec& exec, PreparedRecording recording,
                                             const Probe& probe, const DetectionOptions& options,
                                             TransferLedger& ledger);

}  // namespace kokkosort
