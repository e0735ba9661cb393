#pragma once

#include <cstdint>

#include "kokkosort/clustering/section_batch.hpp"
#include "kokkosort/transfer_ledger.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// The seeds of a batch's sections and the first labels of its spikes.
template <class Exec>
struct Seeding {
  Vector<std::uint32_t, Exec> labels;   // [n_columns], place of the nearest seed in its section; 0 also where the origin is nearer
  Vector<std::uint32_t, Exec> n_seeds;  // [sections], seeds found; fewer than wanted where all spikes are explained
  Matrix<std::uint32_t, Exec> seeds;    // [sections, seeds], the spike of the section that each seed is
};

/// Greedy k-means++ of every section, with the origin as a first centre.
///
/// A point's δ is its squared distance to the nearest centre so far. For each seed, `trials` candidates are drawn with
/// probability ∝ δ, and the one that leaves the least Σδ is kept (ties to the first drawn). Sums of δ are 64-bit fixed
/// point, hence exact in any order; distances are sums of squared differences, so copies of a seed have δ = 0.
/// All sections go together, in one launch for each seed or for all seeds; nothing is waited for between them.
///
/// @param exec    instance every kernel runs on; not fenced on return
/// @param batch   points in time order
/// @param norms   squared lengths of the points, [n_columns]
/// @param seed    of the random numbers
/// @param ledger  gains the plan of the work that goes up
/// @throws std::invalid_argument if more than 16 trials are asked for, or blocks that are not a multiple of 16 points up to 1024
/// Source: Arthur and Vassilvitskii 2007; Pachitariu et al. 2024, Methods, "Graph-based clustering".
template <class Exec>
Seeding<Exec> seed_clusters(const Exec& exec, const SectionBatch<Exec>& batch, const Vector<float, Exec>& norms,
                            const SeedingOptions& options, std::uint64_t seed, TransferLedger& ledger);

/// Candidates scored for each seed: as asked, or 2 + ⌊ln seeds⌋.
int seeding_trials(const SeedingOptions& options);

inline constexpr int max_trials = 16;
inline constexpr int max_block_points = 1024;  // their distances fit a team's scratch

}  // namespace kokkosort
