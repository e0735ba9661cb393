#include "driver/cluster_input.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "kokkosort/clustering/cluster.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/io/features_file.hpp"

namespace kokkosort {

void refuse_replacing_input(const ClusterDeck& deck) {
  std::error_code error;
  if (std::filesystem::equivalent(deck.features, deck.result(), error))
    throw InputError(deck.features.string() +
                     ": is the input and would be replaced by the result; set output.folder");
}

void check_device_limit(const ClusterDeck& deck, const Device& device) {
  if (runs_on_host<Kokkos::DefaultExecutionSpace> ||
      deck.clustering.device_limit_bytes <= device.memory_bytes)
    return;
  throw InputError(fmt::format("memory.device_limit_mb is {}; it must be within what {} has, {}",
                               deck.clustering.device_limit_bytes >> 20, device.name,
                               device.memory_bytes >> 20));
}

SpikeFeatures read_spikes(const ClusterDeck& deck) {
  SpikeFeatures spikes = read_features(deck.features, deck.group, deck.host_limit_bytes);
  check_device_memory(spikes, deck.clustering);
  return spikes;
}

}  // namespace kokkosort
