#include "detection/draw_centres.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "kokkosort/random.hpp"

namespace kokkosort {
namespace {

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

}  // namespace

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

}  // namespace kokkosort
