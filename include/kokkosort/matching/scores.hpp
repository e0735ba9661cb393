#pragma once

#include <vector>

#include "kokkosort/matching/options.hpp"
#include "kokkosort/matching/window.hpp"
#include "kokkosort/templates/placed_templates.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// The templates' projections onto the traces at every centre of a window:
/// scores[u, t] = Σ_{c,p} U[c, p] · Σ_s wPCA[p, s] · traces[c, t + s].
///
/// A stencil kernel projects a chunk of the traces onto the principal components; one product for each block
/// of templates, over the channels that its footprints span, gives their scores.
///
/// @param exec       not fenced on return
/// @param wPCA       [pcs, nt]
/// @param workspace  traces in, scores out; projections are scratch
template <class Exec>
void compute_scores(const Exec& exec, const PlacedTemplates<Exec>& templates, const Matrix<float, Exec>& wPCA,
                    const WindowExtent& window, const MatchingOptions& options,
                    const MatchingWorkspace<Exec>& workspace);

}  // namespace kokkosort
