#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kokkosort/recording/memory_recording.hpp"
#include "kokkosort/recording/trace_loader.hpp"

namespace kokkosort::test {

/// Channels that are filtered, and nothing else.
inline TracePreparation filtered_only(std::size_t n_channels, double sampling_rate_hz, double highpass_hz) {
  TracePreparation preparation = whitened_already(n_channels, 1.0);
  preparation.sampling_rate_hz = sampling_rate_hz;
  preparation.highpass_hz = highpass_hz;
  return preparation;
}

/// A recording's traces, [channels, samples], loaded window by window.
/// @param order  of the channels; empty: as they are
template <class Exec>
HostMatrix<float> load_all(const Exec& exec, Recording& recording, const TracePreparation& preparation,
                           std::int64_t window, const std::vector<std::int32_t>& order = {}) {
  const std::int64_t n = recording.n_samples();
  std::vector<SampleRange> windows;
  for (std::int64_t first = 0; first < n; first += window)
    windows.push_back({first, std::min(first + window, n)});
  const HostMatrix<float> all("kokkosort::test::all", preparation.n_channels(), static_cast<std::size_t>(n));
  const Matrix<float, Exec> traces("kokkosort::test::traces", preparation.n_channels(),
                                   static_cast<std::size_t>(std::min(window, n)));
  TransferLedger ledger;
  StageTimes times;
  TraceLoader<Exec> loader(exec, {recording, preparation}, windows, order, "test", ledger, times);
  for (const SampleRange& range : windows) {
    loader.next(traces);
    const auto loaded = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), traces);
    for (std::size_t c = 0; c < all.extent(0); ++c)
      std::copy_n(&loaded(c, 0), range.size(), &all(c, static_cast<std::size_t>(range.first)));
  }
  return all;
}

}  // namespace kokkosort::test
