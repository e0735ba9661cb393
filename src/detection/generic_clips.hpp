#pragma once

#include <cstddef>

#include "kokkosort/types.hpp"

namespace kokkosort {

/// Waveforms such as neurons have, for recordings with too few of their own to learn from: a trough of
/// several widths, followed by a hump of several heights, in both signs and between samples. [clips, nt],
/// none is zero.
///
/// @param nt           samples, of a waveform of 2 ms
/// @param peak_sample  of the trough
HostMatrix<float> generic_clips(std::size_t nt, int peak_sample);

}  // namespace kokkosort
