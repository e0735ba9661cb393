#pragma once

#include <vector>

#include "curation/working_units.hpp"
#include "kokkosort/curation/sorting.hpp"
#include "kokkosort/transfer_ledger.hpp"

namespace kokkosort {

/// Amplitudes times the norms of the templates that found the spikes: in standard deviations of the noise.
std::vector<float> spike_strengths(const CurationInput& input);

/// Numbers the units that have spikes, and measures them and their spikes. A spike is where the energy of its
/// features is, on the channels near its centre's.
///
/// @param exec      fenced
/// @param strength  [spikes] of the input
template <class Exec>
Sorting measure_units(const Exec& exec, const CurationInput& input, const CurationOptions& options,
                      const WorkingUnits& units, const std::vector<float>& strength, TransferLedger& ledger);

}  // namespace kokkosort
