#include "driver/cluster_input.hpp"

#include <filesystem>
#include <vector>

#include "driver/common_checks.hpp"
#include "kokkosort/clustering/cluster.hpp"
#include "kokkosort/io/features_file.hpp"

namespace kokkosort {

SpikeFeatures read_spikes(const ClusterDeck& deck) {
  std::vector<std::filesystem::path> files;
  SpikeFeatures spikes = read_features(deck.features, deck.group, deck.host_limit_bytes, &files);
  refuse_replacing_inputs(files, deck.result());
  check_device_memory(spikes, deck.clustering);
  return spikes;
}

}  // namespace kokkosort
