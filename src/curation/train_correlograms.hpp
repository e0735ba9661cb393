#pragma once

#include <cstdint>
#include <vector>

#include "kokkosort/clustering/refractory.hpp"
#include "kokkosort/transfer_ledger.hpp"

namespace kokkosort {

/// Times of a unit's spikes in samples, in order.
using Train = std::vector<std::int64_t>;

/// Two trains whose time differences are counted.
struct TrainPair {
  std::uint32_t first;
  std::uint32_t second;    // may be the first itself: a spike is then no pair with itself
  std::int64_t shift = 0;  // samples by which the second is moved later
};

/// The correlogram of each pair, in time linear in its spikes.
///
/// @param exec    fenced by reading the counts
/// @param ledger  gains the trains that go up and the counts that come back
template <class Exec>
std::vector<CorrelogramCounts> count_train_pairs(const Exec& exec, const std::vector<Train>& trains,
                                                 const std::vector<TrainPair>& pairs, double sampling_rate_hz,
                                                 TransferLedger& ledger);

}  // namespace kokkosort
