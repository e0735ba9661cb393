#pragma once

#include <cstddef>
#include <vector>

#include "curation/working_units.hpp"
#include "kokkosort/transfer_ledger.hpp"

namespace kokkosort {

/// How refractory each unit's own train is; units without spikes, too.
template <class Exec>
std::vector<RefractoryScores> own_scores(const Exec& exec, const CurationInput& input,
                                         const std::vector<Train>& trains, TransferLedger& ledger);

/// Whether a train has a gap around each of its spikes.
bool is_refractory(const RefractoryScores& own, std::size_t n_spikes, const CurationOptions& options);

/// Merges units that are one neuron. All pairs that can be are tested at once; then each unit, from the
/// largest down, takes the most similar of those that passed; what merged is tested anew, until nothing does.
///
/// @param exec  fenced
/// @return merges made
template <class Exec>
std::size_t merge_units(const Exec& exec, const CurationInput& input, const CurationOptions& options,
                        WorkingUnits& units, TransferLedger& ledger);

}  // namespace kokkosort
