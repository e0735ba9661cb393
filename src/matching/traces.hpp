#pragma once

#include "kokkosort/matching/window.hpp"
#include "kokkosort/templates/placed_templates.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// Takes spikes of the windows before out of a window's traces.
///
/// @param exec    not fenced on return
/// @param spikes  in the order in which they are taken out; centres count from the window's first
template <class Exec>
void take_out_spikes(const Exec& exec, const PlacedTemplates<Exec>& templates,
                     const Matrix<float, Exec>& wPCA, const Vector<FoundSpike, Exec>& spikes,
                     const WindowExtent& window, const MatchingWorkspace<Exec>& workspace);

}  // namespace kokkosort
