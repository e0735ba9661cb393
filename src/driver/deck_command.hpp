#pragma once
// Which command a deck is for.

#include <set>
#include <string>

#include "driver/deck_key.hpp"

namespace kokkosort {

/// Whether the decks of any command have this group of keys.
bool is_group_of_any(const std::string& name);

/// What to say of a key, or a group of keys, that a command's decks do not have.
///
/// @param kind     "key" or "group"
/// @param nearest  known one
/// @param keys     of the command
/// @param names    all keys of the deck
std::string unknown_complaint(const std::string& kind, const std::string& name, const std::string& nearest,
                              const DeckKeys& keys, const std::set<std::string>& names);

}  // namespace kokkosort
