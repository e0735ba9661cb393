#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kokkosort/matching/window.hpp"
#include "kokkosort/templates/placed_templates.hpp"
#include "kokkosort/transfer_ledger.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// A window's final spikes in one list on the device, by block, then in the order found.
template <class Exec>
struct SpikeList {
  Vector<FoundSpike, Exec> spikes;  // [capacity], the first `count` hold
  std::size_t count = 0;
};

/// Lists the spikes of a window with centres in [first_centre, core_end): those before it have their peak
/// before the recording began.
///
/// @param exec  fenced
/// @param list  gains them; room for all that the workspace can hold
template <class Exec>
void list_spikes(const Exec& exec, const WindowExtent& window, std::int64_t first_centre,
                 const MatchingWorkspace<Exec>& workspace, SpikeList<Exec>& list, TransferLedger& ledger);

/// Where spikes' features are taken, and buffers for some spikes at a time.
template <class Exec>
struct FeatureRows {
  Matrix<std::int32_t, Exec> channels;             // [templates, rows], all as placed
  Vector<FoundSpike, Exec> spikes;                 // [spikes]
  Matrix<float, Exec> features;                    // [spikes, rows · pcs]
  StagingVector<float, Exec> features_on_host;     // as many; empty where the device is the host
  StagingVector<FoundSpike, Exec> spikes_on_host;  // [spikes]
};

/// A window's spikes in host memory.
struct MatchedSpikes {
  std::vector<FoundSpike> spikes;  // in time order, equal times in the order found; centres count from the
                                   // window's first
  HostMatrix<float> features;      // [spikes, rows · pcs]
};

/// Brings a window's spikes to the host.
/// @param exec  fenced
template <class Exec>
MatchedSpikes read_spikes(const Exec& exec, const PlacedTemplates<Exec>& templates,
                          const Matrix<float, Exec>& wPCA, const SpikeList<Exec>& list,
                          const FeatureRows<Exec>& rows, const MatchingWorkspace<Exec>& workspace,
                          TransferLedger& ledger);

}  // namespace kokkosort
