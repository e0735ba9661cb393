#pragma once

#include "kokkosort/clustering/seeding.hpp"

namespace kokkosort {

struct BlockedSeedingOptions {
  SeedingOptions seeding;
  int block = 16;           // points that a thread scores, one after the other
  bool host_draws = false;  // draw and pick on the host: two round trips for each seed
};

/// The seeds and labels of seed_clusters, found the simple way: a thread scores one candidate on one block of points.
///
/// Five launches for each seed: a prefix sum of δ, the draws, the points they fall on, the scores, the pick. Kept to be measured, not to be used:
/// its time is that of the chain of `block` points inside a thread.
///
/// @param exec    instance every kernel runs on; fenced on return if the host draws
/// @param ledger  gains what crosses for each seed if the host draws
/// @throws std::invalid_argument if block < 1
template <class Exec>
Seeding<Exec> seed_clusters_blocked(const Exec& exec, const SectionBatch<Exec>& batch, const Vector<float, Exec>& norms,
                                    const BlockedSeedingOptions& options, std::uint64_t seed, TransferLedger& ledger);

}  // namespace kokkosort
