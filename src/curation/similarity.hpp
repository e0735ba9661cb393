#pragma once

#include <vector>

#include "curation/working_units.hpp"
#include "kokkosort/transfer_ledger.hpp"
#include "templates/candidates.hpp"

namespace kokkosort {

/// Pairs of units that correlate at some lag, whatever their norms, in the order in which find_candidates
/// gives them: by the spikes of the larger unit, then by correlation.
template <class Exec>
std::vector<MergeCandidate> similar_units(const Exec& exec, const CurationInput& input,
                                          const WorkingUnits& units, double min_similarity,
                                          std::size_t limit_bytes, TransferLedger& ledger);

}  // namespace kokkosort
