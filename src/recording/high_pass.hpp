#pragma once

#include <cstdint>

#include "recording/stored_window.hpp"

namespace kokkosort {

/// A Butterworth high-pass filter of 3rd order for one direction of time: a section of first and one of
/// second order, each made of integrators. Direct forms would have large states that nearly cancel: in f32
/// they lose the noise under a slow wave.
struct HighPass {
  static constexpr double operations = 16.0;  // of a sample, in one direction of time

  float integrator = 0.0f;   // g = tan(π · cutoff / sampling rate)
  float first_gain = 0.0f;   // g / (1 + g)
  float second_gain = 0.0f;  // 1 / (1 + g + g²)
  std::int64_t warm_up = 0;  // samples after which the filter has forgotten what it began with
  std::int64_t block = 0;    // samples that a thread filters after warming up; blocks begin at its multiples
};

/// @throws InputError if the cutoff is not below half of the sampling rate
HighPass design_high_pass(double sampling_rate_hz, double cutoff_hz);

/// The blocks that a range of the recording's samples lies in; empty if it is.
SampleRange blocks_around(const HighPass& filter, SampleRange range, std::int64_t n_samples);

/// Samples that are filtered forward before blocks are filtered backward.
SampleRange forward_rows(const HighPass& filter, SampleRange blocks, std::int64_t n_samples);

/// Filters a recording forward and backward in time, so that nothing is delayed. Each pass works in blocks of
/// samples; a block begins `warm_up` samples early, or at the recording's end, in the state that a constant
/// equal to the sample there would have led to.
///
/// @param exec      not fenced on return
/// @param stored    widened(blocks, warm_up) or more
/// @param column    [channels], of the stored samples
/// @param blocks    samples that come out: whole blocks, but at the recording's end
/// @param n_samples  of the recording
/// @param forward   [at least forward_rows · channels], scratch
/// @param filtered  [at least blocks · channels]
template <class Exec>
SampleRows<Exec> high_pass(const Exec& exec, const HighPass& filter, const StoredWindow<Exec>& stored,
                           const Vector<std::int32_t, Exec>& column, SampleRange blocks,
                           std::int64_t n_samples, const Vector<float, Exec>& forward,
                           const Vector<float, Exec>& filtered);

}  // namespace kokkosort
