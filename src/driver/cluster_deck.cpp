#include "driver/cluster_deck.hpp"

#include "driver/common_keys.hpp"
#include "driver/stage_keys.hpp"

namespace kokkosort {
DeckKeys cluster_keys(ClusterDeck& deck) {
  DeckKeys keys;
  keys.path("input.features", deck.features, "spike features (HDF5)", true);
  keys.text("input.group", deck.group, "group of the file: detected, matched or another");
  add_output_key(keys, deck.output_folder, "clusters.h5 goes");
  add_clustering_keys(keys, deck.clustering);
  add_template_keys(keys, deck.templates);
  add_device_limit_key(keys, deck.clustering.device_limit_bytes);
  add_host_limit_key(keys, deck.host_limit_bytes, "the spikes");
  add_seed_key(keys, deck.clustering.seed);
  add_threads_key(keys, deck.threads);
  return keys;
}

}  // namespace kokkosort
