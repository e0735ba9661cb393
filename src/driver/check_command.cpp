#include <fmt/format.h>

#include "driver/cluster_input.hpp"
#include "driver/commands.hpp"
#include "driver/deck.hpp"
#include "driver/environment.hpp"
#include "kokkosort/io/pending_file.hpp"

namespace kokkosort {

void run_check(const CommandLine& line) {
  if (deck_has_group(line.deck, line.overrides, "sweep")) return check_sweep_deck(line);
  ClusterDeck deck;
  const DeckKeys keys = cluster_keys(deck);
  load_cluster_deck(line.deck, line.overrides, deck, keys);
  refuse_replacing_input(deck);
  const Runtime runtime(line.device, deck.threads);
  check_device_limit(deck, runtime.device());
  check_output(deck.result(), line.overwrite);
  const SpikeFeatures spikes = read_spikes(deck);
  if (line.quiet) return;
  fmt::print("# {} would cluster {} spikes of {} channels into {}, with these keys:\n{}", line.deck.string(),
             spikes.n_spikes(), spikes.n_channels(), deck.result().string(), keys.to_yaml());
}

}  // namespace kokkosort
