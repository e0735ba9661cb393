#pragma once
// What can be wrong with a matching, found before it begins; the same for `match` and `check`.

#include <memory>

#include "driver/match_deck.hpp"
#include "kokkosort/io/templates_file.hpp"
#include "kokkosort/matching/match.hpp"

namespace kokkosort {

/// A recording and what is to be looked for in it.
struct MatchFiles {
  TemplateSet set;  // with sampling rate and spacings
  std::unique_ptr<Recording> traces;
  double scale_to_sigma = 0.0;
  TracePreparation preparation;

  MatchingInput input() const { return {{*traces, preparation}, set.probe, set.pcs, set.templates}; }
};

/// @throws InputError if the result would replace the templates or a file of the recording; open_match_files
/// does where links
///         in them lead to it
void refuse_replacing_inputs(const MatchDeck& deck);

/// Reads templates and opens the recording. What the deck leaves to the files is filled in, so that the deck
/// is complete.
/// @throws InputError as read_templates, open_flat_recording and open_hdf5_recording do; if the recording's
/// channels
///         are not the probe's; if a scale or a rate is found nowhere; if memory.device_limit_mb is too small
MatchFiles open_match_files(MatchDeck& deck);

}  // namespace kokkosort
