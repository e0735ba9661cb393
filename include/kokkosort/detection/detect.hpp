#pragma once

#include "kokkosort/checkpoints.hpp"
#include "kokkosort/detection/grid.hpp"
#include "kokkosort/detection/options.hpp"
#include "kokkosort/detection/universal_templates.hpp"
#include "kokkosort/recording/preparation.hpp"

namespace kokkosort {

/// Spikes found by their likeness to universal templates.
struct Detection {
  SpikeFeatures spikes;  // in time order; file_order is empty
  StageTimes times;
};

/// Whether grid and options fit the memory budget. @throws InputError if not, naming the key
template <class Exec>
void check_detection(PreparedRecording recording, const DetectionGrid& grid, const PrincipalComponents& pcs,
                     const DetectionOptions& options);

/// Finds the samples and centres where the largest projection on any universal template of any scale exceeds
/// the threshold and all others among the nearest centres within ±peak_sample samples; of exact ties the
/// earliest sample of the first centre. A spike's sample is that of its waveform's centre, nt / 2. Features
/// are the traces on the centre's channels, projected on the principal components.
///
/// Windows overlap so that no spike is lost or found twice at a seam, and the answer does not depend on their
/// length.
///
/// @param exec    instance every kernel runs on; fenced on return
/// @param ledger  gains the bytes that crossed
/// @param kept    windows that were searched before are not searched again
/// @throws InputError if there are more spikes than max_spikes, the memory budget is too small, or the
/// recording cannot be read; Stopped
/// Source: Pachitariu et al. 2024, Methods, "Spike detection"; DESIGN, kernel rule 7 for ties.
template <class Exec>
Detection detect_spikes(const Exec& exec, PreparedRecording recording, const Probe& probe,
                        const DetectionGrid& grid, const PrincipalComponents& pcs,
                        const DetectionOptions& options, TransferLedger& ledger,
                        const StageCheckpoints& kept = {});

}  // namespace kokkosort
