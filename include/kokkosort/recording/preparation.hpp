#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kokkosort/progress.hpp"
#include "kokkosort/recording/recording.hpp"
#include "kokkosort/spike_features.hpp"
#include "kokkosort/stage_times.hpp"
#include "kokkosort/transfer_ledger.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// How a recording is made ready for detection and matching.
struct PreprocessingOptions {
  double highpass_hz = 300.0;    // cutoff of a Butterworth filter of 3rd order, forward and backward; 0: none
  bool common_reference = true;  // take the channels' median away from each sample, where there are
  int min_reference_channels = 8;  // at least so many channels
  int whitening_channels = 32;     // nearest to a channel, that it is decorrelated from; 1: only scaled
  int whitening_stride = 25;       // every n-th window is looked at for the covariance,
  int min_whitening_windows = 5;   // but at least so many, if there are
  double min_variance = 1e-6;      // of a channel, over the median channel's: below it is dead
  double max_saturated =
      0.01;                    // share of a channel's samples at the ends of its range: above it is saturated
  int window_samples = 60000;  // of a window
  std::size_t device_limit_bytes = 4ull << 30;
};

/// How stored samples become whitened traces: columns picked, offset taken away, high-pass filtered, the
/// channels' median taken away, whitened. A channel with zero weights is dead: it has no part in the median.
/// Host memory.
struct TracePreparation {
  std::vector<std::int32_t> column;  // [channels], of the stored recording
  double sampling_rate_hz = 0.0;
  double highpass_hz = 0.0;  // 0: not filtered
  bool common_reference = false;
  double offset = 0.0;                  // of stored samples
  HostMatrix<std::int32_t> neighbours;  // [channels, k], the channels that a whitened channel is a sum of
  HostMatrix<float> weights;  // [channels, k], with which; the result is in standard deviations of the noise

  std::size_t n_channels() const { return column.size(); }
};

/// A recording, and how its samples become whitened traces. All must stay.
struct PreparedRecording {
  Recording& stored;
  const TracePreparation& preparation;
  Progress* progress = nullptr;  // is told how far the recording was gone through
};

/// The preparation of traces that are whitened already: a stored sample times the scale is in standard
/// deviations of the noise.
TracePreparation whitened_already(std::size_t n_channels, double scale_to_sigma);

/// What was found about a channel of the recording.
struct ChannelReport {
  double noise = 0.0;      // standard deviation after filter and reference, in stored units
  double saturated = 0.0;  // share of its samples at the ends of its range
  bool is_dead = false;    // constant, or nearly: its whitened trace is zero
  bool is_saturated = false;
};

/// A preparation and what was learned on the way.
struct Preparation {
  TracePreparation traces;
  std::vector<ChannelReport> channels;  // [channels]
  HostMatrix<double> whitening;         // [channels, channels], of which `traces` has the weights
  StageTimes times;
};

/// Whether a recording is long enough to be prepared so, and the memory budget large enough; reads none of it.
/// @throws InputError if not, naming the key
template <class Exec>
void check_preparation(const Recording& recording, const std::vector<std::int32_t>& column,
                       double sampling_rate_hz, const PreprocessingOptions& options);

/// A preparation of the size that prepare_recording makes, without what only the samples tell: for checks of
/// what later stages need.
TracePreparation unlearned_preparation(const std::vector<std::int32_t>& column, double sampling_rate_hz,
                                       const PreprocessingOptions& options);

/// Learns how to whiten a recording from the covariance of some of its windows: for each channel the row of
/// the ZCA matrix of its nearest channels on its shank. Dead channels are left out of all.
///
/// @param column  [channels], of the stored recording, that holds each channel of the probe
/// @param offset  of stored samples, where no filter takes it away
/// @param ledger  gains the bytes that crossed
/// @throws InputError if the recording is too short, no channel is alive, or the memory budget is too small
/// Source: Pachitariu et al. 2024, Methods, "Preprocessing".
template <class Exec>
Preparation prepare_recording(const Exec& exec, Recording& recording, const Probe& probe,
                              const std::vector<std::int32_t>& column, double sampling_rate_hz, double offset,
                              const PreprocessingOptions& options, TransferLedger& ledger);

}  // namespace kokkosort
