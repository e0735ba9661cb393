#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kokkosort/transfer_ledger.hpp"

namespace kokkosort {

/// Points in few dimensions, feature by feature so that neighbouring points lie side by side.
struct HostPoints {
  std::size_t n_dims = 0;
  std::size_t n = 0;
  std::vector<double> values;  // [dims, points]

  double at(std::size_t dim, std::size_t i) const { return values[dim * n + i]; }
};

struct Clusters {
  std::vector<std::vector<double>> centres;  // [clusters][dims]
  std::vector<std::uint32_t> label;          // [points]
  std::vector<std::size_t> size;             // [clusters], points
  double inertia = 0.0;                      // summed squared distances
};

/// Device bytes that k_means takes.
std::size_t k_means_bytes(std::size_t n_points, std::size_t n_dims, std::size_t n_clusters);

/// Clusters points around their means: k-means++ and Lloyd's rounds, from several starts of which the one of
/// least inertia counts, ties to the first. The answer depends on points and seed alone: sums are exact.
/// @param exec  fenced
/// Source: Arthur and Vassilvitskii 2007, "k-means++: the advantages of careful seeding".
template <class Exec>
Clusters k_means(const Exec& exec, const HostPoints& points, std::size_t n_clusters, std::uint64_t seed,
                 TransferLedger& ledger);

}  // namespace kokkosort
