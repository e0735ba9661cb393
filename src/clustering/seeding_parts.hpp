#pragma once
// What both ways of seeding do alike: where draws fall, and what they leave.

#include <cstdint>

#include "kokkosort/clustering/seeding.hpp"
#include "kokkosort/random.hpp"

namespace kokkosort {

/// Where in [0, total) draw t of a step falls; total > 0.
KOKKOS_INLINE_FUNCTION std::int64_t place_of_draw(std::uint64_t seed, std::uint32_t key, std::uint32_t step, int t,
                                                  std::int64_t total) {
  const double unit = random_unit(seed, key, step, static_cast<std::uint32_t>(t));
  const auto place = static_cast<std::int64_t>(unit * static_cast<double>(total));
  return place < total ? place : total - 1;
}

/// Room for a batch's seeds and labels, unfilled.
template <class Exec>
Seeding<Exec> allocate_seeding(const Exec& exec, const SectionBatch<Exec>& batch, const SeedingOptions& options) {
  Seeding<Exec> result;
  result.labels = Vector<std::uint32_t, Exec>(unfilled(exec, "kokkosort::clustering::labels"), batch.n_columns);
  result.n_seeds = Vector<std::uint32_t, Exec>(unfilled(exec, "kokkosort::clustering::n_seeds"), batch.n_sections());
  result.seeds =
      Matrix<std::uint32_t, Exec>(unfilled(exec, "kokkosort::clustering::seeds"), batch.n_sections(), options.seeds);
  return result;
}

}  // namespace kokkosort
