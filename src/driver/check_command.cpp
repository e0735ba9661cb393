#include "driver/commands.hpp"
#include "driver/deck.hpp"

namespace kokkosort {

void run_check(const CommandLine& line) {
  const auto sets = [&line](const std::string& name) { return deck_sets(line.deck, line.overrides, name); };
  if (sets("sweep")) return check_sweep_deck(line);
  if (sets("simulation")) return check_simulate_deck(line);
  if (sets("input.recording") || sets("input.templates") || sets("matching")) return check_match_deck(line);
  check_cluster_deck(line);
}

}  // namespace kokkosort
