#pragma once
// What would end a sort only after minutes or hours, found before it begins; the same for `sort` and `check`.

#include <string>

#include "driver/sort_deck.hpp"
#include "driver/sort_input.hpp"

namespace kokkosort {

/// Looks at stretches of the samples that are to be sorted.
/// @throws InputError if they are of another type than input.dtype says, are not finite, or no channel's
/// differ
void check_samples(const SortDeck& deck, const SortFiles& files);

/// Asks each stage whether it can work within the deck's limits, without running it.
/// @param deck  whose device limit is settled
/// @throws InputError naming the key if one cannot; matching and clustering may still need more, when it is
/// known how many templates and spikes there are
void check_stages(const SortDeck& deck, const SortFiles& files);

/// @throws InputError if what is certain to be written is larger than the disk's free space
void check_room(const SortDeck& deck, const SortFiles& files);

/// Warns if less room is left for results and spikes than they are expected to take.
void warn_of_room(const SortDeck& deck, const SortFiles& files);

/// What a sort is expected to take of disk and memory, and what there is; lines that begin with #.
std::string room_in_words(const SortDeck& deck, const SortFiles& files);

}  // namespace kokkosort
