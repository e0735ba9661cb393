#pragma once
// What can be wrong with a clustering, found before it begins; the same for `cluster` and `check`.

#include "driver/cluster_deck.hpp"
#include "kokkosort/spike_features.hpp"

namespace kokkosort {

/// Reads the spikes. @throws InputError as read_features does, or if memory.device_limit_mb is too small for
/// them
SpikeFeatures read_spikes(const ClusterDeck& deck);

}  // namespace kokkosort
