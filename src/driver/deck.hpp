#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "driver/deck_key.hpp"

namespace kokkosort {

/// Reads a deck (YAML) and what the command line changes in it into the options that the keys are bound to.
/// Relative paths start from the deck's folder, those of overrides from the current folder.
///
/// @param overrides  "section.key=value"; of several for one key the last holds
/// @throws InputError, naming file and line, key, value and what is allowed: no YAML, no map, more than one
/// document;
///         a key that is unknown (then the nearest known one is named), given twice or missing; a value that
///         is not allowed
void load_deck(const std::filesystem::path& path, const std::vector<std::string>& overrides,
               const DeckKeys& keys);

/// The deck's path from the root. @throws InputError if it is empty, or relative to a folder that is gone
std::filesystem::path absolute_path(const std::filesystem::path& path);

/// Whether a deck, or what the command line adds to it, sets a key, or keys of a group. False if it is no file that can
/// be read twice.
bool deck_sets(const std::filesystem::path& path, const std::vector<std::string>& overrides,
               const std::string& name);

}  // namespace kokkosort
