#include "driver/cluster_input.hpp"

#include "kokkosort/clustering/cluster.hpp"
#include "kokkosort/io/features_file.hpp"

namespace kokkosort {

SpikeFeatures read_spikes(const ClusterDeck& deck) {
  SpikeFeatures spikes = read_features(deck.features, deck.group, deck.host_limit_bytes);
  check_device_memory(spikes, deck.clustering);
  return spikes;
}

}  // namespace kokkosort
