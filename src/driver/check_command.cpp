#include "driver/commands.hpp"
#include "driver/deck.hpp"

namespace kokkosort {

void run_check(const CommandLine& line) {
  const auto sets = [&line](const std::string& name) { return deck_sets(line.deck, line.overrides, name); };
  if (sets("sweep")) return check_sweep_deck(line);
  if (sets("simulation")) return check_simulate_deck(line);
  if (sets("input.templates") || sets("input.scale_to_sigma")) return check_match_deck(line);
  for (const char* const name : {"input.recording", "input.probe", "preprocessing", "detection", "curation"})
    if (sets(name)) return check_sort_deck(line);
  if (sets("matching")) return check_match_deck(line);
  check_cluster_deck(line);
}

}  // namespace kokkosort
