#pragma once

#include <cstdint>

#include "kokkosort/matching/options.hpp"
#include "kokkosort/matching/window.hpp"
#include "kokkosort/templates/correlations.hpp"
#include "kokkosort/templates/placed_templates.hpp"
#include "kokkosort/transfer_ledger.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// How a pursuit ended.
struct PursuitEnd {
  int rounds = 0;
  bool finished = false;  // false: max_peels rounds were done and spikes may be left
};

/// Finds spikes in a window, the clearest in reach of each other first, and takes each out of traces and
/// scores.
///
/// A round's spikes are the centres whose objective relu(B)² / ‖U‖² is above threshold² and the largest
/// within nt samples, ties to the earlier centre and the smaller template. They are more than nt samples
/// apart, so a block of nt + 1 samples holds at most one, and two in blocks three apart are out of each
/// other's reach: three launches, each of every third block, write without atomics. Later rounds look only
/// where something changed.
///
/// @param exec       fenced now and then
/// @param wPCA       [pcs, nt]
/// @param workspace  scores and traces in; out: scores and traces less the spikes, and the spikes
/// Source: DESIGN, section 6; Pachitariu et al. 2024, Methods, "Template deconvolution".
template <class Exec>
PursuitEnd pursue(const Exec& exec, const PlacedTemplates<Exec>& templates,
                  const TemplateCorrelations<Exec>& correlations, const Matrix<float, Exec>& wPCA,
                  const WindowExtent& window, const MatchingOptions& options,
                  const MatchingWorkspace<Exec>& workspace, TransferLedger& ledger);

}  // namespace kokkosort
