#pragma once

#include <cstddef>
#include <cstdint>

#include "kokkosort/detection/options.hpp"
#include "kokkosort/detection/peak_list.hpp"
#include "kokkosort/spike_features.hpp"
#include "kokkosort/transfer_ledger.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// The channels that a peak is the largest of: itself first, then those of its shank within 50 µm, −1 where
/// there are fewer: [channels, n].
HostMatrix<std::int32_t> channels_near(const Probe& probe);

/// Marks the samples of single channels whose magnitude reaches the threshold and is the largest within ±nt/2
/// samples on the channels near. Of equal ones the earliest counts as the larger, then the one of the smaller
/// channel. Peaks too near the ends of the traces for a waveform are none.
///
/// @param exec    not fenced on return
/// @param traces  [channels, at least n_samples]
/// @param near    [channels, n], as channels_near makes it
/// @param marks   [cells, channels], see list_peaks
template <class Exec>
void mark_isolated_peaks(const Exec& exec, const Matrix<float, Exec>& traces, std::size_t n_samples,
                         const Matrix<std::int32_t, Exec>& near, const DetectionOptions& options,
                         const Matrix<std::uint32_t, Exec>& marks);

/// Copies the waveforms of listed peaks to the beginning of `clips`, [peaks, nt].
/// @param exec  not fenced on return
template <class Exec>
void cut_clips(const Exec& exec, const Matrix<float, Exec>& traces, const PeakList<Exec>& list,
               std::size_t count, const DetectionOptions& options, const Matrix<float, Exec>& clips);

}  // namespace kokkosort
