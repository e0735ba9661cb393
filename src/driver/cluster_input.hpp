#pragma once
// What can be wrong with a clustering, found before it begins; the same for `cluster` and `check`.

#include "driver/cluster_deck.hpp"
#include "driver/environment.hpp"
#include "kokkosort/spike_features.hpp"

namespace kokkosort {

/// @throws InputError if the result would replace the features: their file may itself be called clusters.h5
void refuse_replacing_input(const ClusterDeck& deck);

/// @throws InputError if the device has less memory than memory.device_limit_mb grants
void check_device_limit(const ClusterDeck& deck, const Device& device);

/// Reads the spikes. @throws InputError as read_features does, or if memory.device_limit_mb is too small for
/// them
SpikeFeatures read_spikes(const ClusterDeck& deck);

}  // namespace kokkosort
