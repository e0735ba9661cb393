#pragma once

#include <cstdint>
#include <vector>

#include "kokkosort/spike_features.hpp"
#include "kokkosort/transfer_ledger.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// A spike whose waveform is moved before it is compared.
struct ShiftedSpike {
  std::int64_t spike;
  std::int32_t shift;  // samples later
};

/// The spikes of two templates.
struct SpikePair {
  std::vector<ShiftedSpike> left;
  std::vector<ShiftedSpike> right;
};

/// The bimodality scores of pairs of clusters: from 0, one mode, to 1; 1 too where there are too few spikes
/// on common channels to judge. As for the nodes of a merging tree, on the channels that nearly all spikes of
/// both have.
///
/// @param exec      fenced
/// @param products  pc_products of the spikes' components
/// @param limit_bytes  of device memory; pairs are tested in batches that fit
template <class Exec>
std::vector<double> pair_bimodality(const Exec& exec, const SpikeFeatures& spikes,
                                    const HostMatrix<float>& products, const std::vector<SpikePair>& pairs,
                                    std::size_t limit_bytes, TransferLedger& ledger);

}  // namespace kokkosort
