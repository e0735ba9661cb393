#pragma once

#include "recording/stored_window.hpp"

namespace kokkosort {

/// Takes the median of some channels away from all channels, sample by sample: the lower one of the two in
/// the middle. Exact, so the same on every device.
/// @param exec      not fenced on return
/// @param channels  those that count; none: nothing is taken away
template <class Exec>
void subtract_median(const Exec& exec, const SampleRows<Exec>& rows,
                     const Vector<std::int32_t, Exec>& channels);

}  // namespace kokkosort
