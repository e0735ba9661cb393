#pragma once
// What can be wrong with a sorting, found before it begins; the same for `sort` and `check`.

#include <cstdint>
#include <memory>
#include <optional>

#include "driver/sort_deck.hpp"
#include "kokkosort/recording/probe_file.hpp"
#include "kokkosort/recording/recording_slice.hpp"

namespace kokkosort {

/// A recording and the probe it was made with.
struct SortFiles {
  std::unique_ptr<Recording> whole;
  std::unique_ptr<RecordingSlice> recording;  // what is sorted of it
  std::int64_t first_sample = 0;              // that this begins at
  ProbeFile probe;
  std::optional<PrincipalComponents> universal;  // if a file of them was given

  /// @param deck  whose sampling rate is known
  SortInput input(const SortDeck& deck) const {
    return {*recording,   probe.probe,
            probe.column, deck.sampling_rate_hz,
            deck.offset,  universal ? &*universal : nullptr};
  }
};

/// Opens the recording and reads the probe. What the deck leaves to the files is filled in, so that the deck
/// stored in the result is complete.
/// @throws InputError naming file or key, value and remedy; also if a result would replace an input
SortFiles open_sort_files(SortDeck& deck);

}  // namespace kokkosort
