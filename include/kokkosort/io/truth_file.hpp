#pragma once

#include "kokkosort/io/pending_file.hpp"
#include "kokkosort/io/run_record.hpp"
#include "kokkosort/simulation/simulate.hpp"

namespace kokkosort {

/// Writes truth.h5: what a simulated recording was made of. The caller commits it.
///
/// `truth/sample` i8, `truth/unit` i4, `truth/amplitude` f4 (each spike's factor) `[spikes]`, in order of
/// time; `templates` f4 `[units, nt, channels]` in µV at the recording's start, attribute `peak_sample`;
/// `units/…` `[units]`: x_um, y_um, z_um, channel, rate_hz, amplitude_uv; `probe`; attributes
/// sampling_rate_hz, gain_to_uv, n_samples, drift_um and seed; /run.
///
/// @throws std::runtime_error if the disk does not take it
void write_truth(const PendingFile& file, const Simulation& simulation, const RunRecord& run);

}  // namespace kokkosort
