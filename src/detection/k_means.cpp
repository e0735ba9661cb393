#include "detection/k_means.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "core/host_loop.hpp"
#include "kokkosort/random.hpp"

namespace kokkosort {
namespace {

constexpr std::size_t starts = 10;
constexpr int most_rounds = 100;

/// Squared distances of a block of points from a centre.
constexpr std::size_t block = 64;
using Block = std::array<double, block>;

void measure(const HostPoints& points, const std::vector<double>& centre, std::size_t first, Block& squares) {
  squares.fill(0.0);
  const std::size_t count = std::min(block, points.n - first);
  for (std::size_t dim = 0; dim < points.n_dims; ++dim) {
    const double* const x = &points.values[dim * points.n + first];
    const double c = centre[dim];
    for (std::size_t i = 0; i < count; ++i) squares[i] += (x[i] - c) * (x[i] - c);
  }
}

std::vector<double> point(const HostPoints& points, std::size_t i) {
  std::vector<double> values;
  for (std::size_t dim = 0; dim < points.n_dims; ++dim) values.push_back(points.at(dim, i));
  return values;
}

/// Lowers each point's squared distance from the nearest centre to that from a new one.
void approach(const HostPoints& points, const std::vector<double>& centre, std::vector<double>& nearest) {
  Block squares;
  for (std::size_t first = 0; first < points.n; first += block) {
    measure(points, centre, first, squares);
    for (std::size_t i = first; i < std::min(points.n, first + block); ++i)
      nearest[i] = std::min(nearest[i], squares[i - first]);
  }
}

/// The first point at which the running sum exceeds a share of the whole.
std::size_t draw(const std::vector<double>& chances, double share) {
  const double target = share * std::accumulate(chances.begin(), chances.end(), 0.0);
  double sum = 0.0;
  for (std::size_t i = 0; i < chances.size(); ++i) {
    sum += chances[i];
    if (sum > target) return i;
  }
  return 0;  // all chances are zero: every point is a centre
}

std::vector<std::vector<double>> draw_centres(const HostPoints& points, std::size_t n_clusters,
                                              std::uint64_t seed, std::uint32_t start) {
  std::vector<double> chances(points.n, 1.0);
  std::vector<double> nearest(points.n, std::numeric_limits<double>::max());
  std::vector<std::vector<double>> centres;
  for (std::uint32_t k = 0; k < n_clusters; ++k) {
    centres.push_back(point(points, draw(chances, random_unit(seed, start, k, 0))));
    approach(points, centres.back(), nearest);
    chances = nearest;
  }
  return centres;
}

/// @return whether any label changed
bool assign(const HostPoints& points, Clusters& clusters) {
  bool changed = false;
  clusters.inertia = 0.0;
  Block squares;
  for (std::size_t first = 0; first < points.n; first += block) {
    Block best;
    best.fill(std::numeric_limits<double>::max());
    std::array<std::uint32_t, block> label{};
    for (std::uint32_t k = 0; k < clusters.centres.size(); ++k) {
      measure(points, clusters.centres[k], first, squares);
      for (std::size_t i = 0; i < block; ++i) {
        label[i] = squares[i] < best[i] ? k : label[i];
        best[i] = std::min(best[i], squares[i]);
      }
    }
    for (std::size_t i = first; i < std::min(points.n, first + block); ++i) {
      changed |= clusters.label[i] != label[i - first];
      clusters.label[i] = label[i - first];
      clusters.inertia += best[i - first];
    }
  }
  return changed;
}

/// A cluster that has lost its points stays where it is.
void move_centres(const HostPoints& points, Clusters& clusters) {
  const std::size_t n_clusters = clusters.centres.size();
  clusters.size.assign(n_clusters, 0);
  for (const std::uint32_t label : clusters.label) ++clusters.size[label];
  std::vector<double> sums(n_clusters);
  for (std::size_t dim = 0; dim < points.n_dims; ++dim) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::size_t i = 0; i < points.n; ++i) sums[clusters.label[i]] += points.at(dim, i);
    for (std::size_t k = 0; k < n_clusters; ++k)
      if (clusters.size[k] > 0) clusters.centres[k][dim] = sums[k] / static_cast<double>(clusters.size[k]);
  }
}

Clusters settle(const HostPoints& points, std::vector<std::vector<double>> centres) {
  Clusters clusters;
  clusters.centres = std::move(centres);
  clusters.label.assign(points.n, std::numeric_limits<std::uint32_t>::max());
  for (int round = 0; round < most_rounds && assign(points, clusters); ++round)
    move_centres(points, clusters);
  return clusters;
}

}  // namespace

Clusters k_means(const HostPoints& points, std::size_t n_clusters, std::uint64_t seed) {
  std::array<Clusters, starts> settled;
  host_loop("detection::k_means", starts, [&](const std::size_t start) {
    settled[start] = settle(points, draw_centres(points, n_clusters, seed, static_cast<std::uint32_t>(start)));
  });
  return *std::min_element(settled.begin(), settled.end(),
                           [](const Clusters& a, const Clusters& b) { return a.inertia < b.inertia; });
}

}  // namespace kokkosort
