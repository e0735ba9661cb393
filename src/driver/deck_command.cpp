#include "driver/deck_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "driver/cluster_deck.hpp"
#include "driver/match_deck.hpp"
#include "driver/simulate_deck.hpp"
#include "driver/sort_deck.hpp"
#include "driver/sweep_deck.hpp"

namespace kokkosort {
namespace {

struct CommandKeys {
  std::string command;
  DeckKeys keys;
};

const std::vector<CommandKeys>& commands() {
  static ClusterDeck cluster;
  static MatchDeck match;
  static SimulateDeck simulate;
  static SortDeck sort;
  static SweepDeck sweep;
  static const std::vector<CommandKeys> all{{"cluster", cluster_keys(cluster)},
                                            {"match", match_keys(match)},
                                            {"simulate", simulate_keys(simulate)},
                                            {"sort", sort_keys(sort)},
                                            {"sweep", sweep_keys(sweep)}};
  return all;
}

std::size_t count_known(const DeckKeys& keys, const std::set<std::string>& names) {
  return static_cast<std::size_t>(std::count_if(
      names.begin(), names.end(), [&keys](const std::string& name) { return keys.find(name) != nullptr; }));
}

/// The command that knows most of a deck's keys; empty if none knows more of them than these keys do.
std::string likelier_command(const DeckKeys& keys, const std::set<std::string>& names) {
  std::string likeliest;
  std::size_t most = count_known(keys, names);
  for (const auto& [command, others] : commands())
    if (const std::size_t known = count_known(others, names); known > most) {
      likeliest = command;
      most = known;
    }
  return likeliest;
}

std::vector<std::string> commands_with(const std::string& name) {
  std::vector<std::string> with;
  for (const auto& [command, keys] : commands())
    if (keys.find(name) != nullptr || keys.is_group(name)) with.push_back(command);
  return with;
}

}  // namespace

bool is_group_of_any(const std::string& name) {
  return std::any_of(commands().begin(), commands().end(),
                     [&name](const CommandKeys& command) { return command.keys.is_group(name); });
}

std::string unknown_complaint(const std::string& kind, const std::string& name, const std::string& nearest,
                              const DeckKeys& keys, const std::set<std::string>& names) {
  if (const std::string other = likelier_command(keys, names); !other.empty())
    return fmt::format("unknown {} {}; this looks like a deck of {}", kind, shown(name), other);
  const std::vector<std::string> with = commands_with(name);
  return fmt::format("unknown {} {}{}; the nearest known {} is {}", kind, shown(name),
                     with.empty() ? "" : fmt::format(", which decks of {} have", fmt::join(with, ", ")), kind,
                     nearest);
}

}  // namespace kokkosort
