#pragma once

#include <cstdint>

#include "kokkosort/matching/window.hpp"
#include "kokkosort/recording/recording.hpp"
#include "kokkosort/templates/placed_templates.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// Stored samples of a window on the device.
template <class Exec>
struct StoredTraces {
  Vector<unsigned char, Exec> bytes;  // [samples, channels] of `type`
  SampleType type = SampleType::int16;
  std::int64_t first = 0;  // sample of the recording
  std::int64_t last = 0;   // one past the last
  float scale = 1.0f;      // to standard deviations of the noise
};

/// Fills a window's traces: channels as placed, samples side by side, zero outside the recording.
/// @param exec  not fenced on return
template <class Exec>
void load_traces(const Exec& exec, const PlacedTemplates<Exec>& templates, const StoredTraces<Exec>& stored,
                 const WindowExtent& window, const MatchingWorkspace<Exec>& workspace);

/// Takes spikes of the window before out of a window's traces.
///
/// @param exec    not fenced on return
/// @param spikes  [n_spikes], by block; centres count from the window's first
template <class Exec>
void take_out_spikes(const Exec& exec, const PlacedTemplates<Exec>& templates,
                     const Matrix<float, Exec>& wPCA, const Vector<FoundSpike, Exec>& spikes,
                     std::size_t n_spikes, std::int64_t centre_shift, const WindowExtent& window,
                     const MatchingWorkspace<Exec>& workspace);

}  // namespace kokkosort
