#pragma once

#include <cstdint>
#include <vector>

#include "kokkosort/transfer_ledger.hpp"
#include "recording/stored_window.hpp"

namespace kokkosort {

/// The smallest and largest stored sample of each channel, as integers in the order of the samples.
template <class Exec>
struct ChannelExtremes {
  Vector<std::int64_t, Exec> smallest;  // [channels]
  Vector<std::int64_t, Exec> largest;   // [channels]
};

/// @param exec  not fenced on return
template <class Exec>
ChannelExtremes<Exec> make_extremes(const Exec& exec, std::size_t n_channels);

/// Takes a window's samples into account.
/// @param exec    not fenced on return
/// @param column  [channels], of the stored samples
template <class Exec>
void update_extremes(const Exec& exec, const StoredWindow<Exec>& stored,
                     const Vector<std::int32_t, Exec>& column, const ChannelExtremes<Exec>& extremes);

/// Counts a window's saturated samples: those at their channel's extreme where the sample before was at it,
/// too. The extreme must be the end of the type's range, or far from the other one: with few steps between
/// them, noise holds both.
///
/// @param exec    not fenced on return
/// @param counts  [channels], added to
template <class Exec>
void count_saturated(const Exec& exec, const StoredWindow<Exec>& stored,
                     const Vector<std::int32_t, Exec>& column, const ChannelExtremes<Exec>& extremes,
                     const Vector<std::uint64_t, Exec>& counts);

}  // namespace kokkosort
