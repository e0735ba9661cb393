#include <fmt/format.h>

#include "driver/cluster_deck.hpp"
#include "driver/commands.hpp"
#include "driver/environment.hpp"
#include "kokkosort/io/features_file.hpp"
#include "kokkosort/io/pending_file.hpp"

namespace kokkosort {

void run_check(const CommandLine& line) {
  ClusterDeck deck;
  const DeckKeys keys = cluster_keys(deck);
  load_cluster_deck(line.deck, line.overrides, deck, keys);
  check_output(deck.result(), line.overwrite);
  const Runtime runtime(line.device, deck.threads);
  const SpikeFeatures spikes = read_features(deck.features, deck.group, deck.host_limit_bytes);
  if (line.quiet) return;
  fmt::print("# {} would cluster {} spikes of {} channels into {}, with these keys:\n{}", line.deck.string(),
             spikes.n_spikes(), spikes.n_channels(), deck.result().string(), keys.to_yaml());
}

}  // namespace kokkosort
