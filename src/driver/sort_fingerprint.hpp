#pragma once

#include <map>
#include <string>

#include "driver/deck_key.hpp"
#include "driver/sort_deck.hpp"
#include "driver/sort_input.hpp"

namespace kokkosort {

/// What each stage of a sort depends on, as lines of text, by the beginning of its checkpoints' names:
/// program, recording, probe, and the keys of this stage and those before. Limits, threads and the form of
/// results change no answer.
/// @param keys  of the deck
/// @throws InputError if the recording cannot be read
std::map<std::string, std::string> sort_fingerprints(const SortDeck& deck, const DeckKeys& keys,
                                                     const SortFiles& files);

}  // namespace kokkosort
