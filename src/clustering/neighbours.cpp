#include "kokkosort/clustering/neighbours.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "core/instantiate.hpp"
#include "kokkosort/linalg/products.hpp"

namespace kokkosort {
namespace {

/// Some spikes of one section against all of its subset.
struct Tile {
  std::uint32_t section;      // place in the batch
  std::uint32_t first;        // spike of the section
  std::uint32_t count;        // spikes
  std::uint32_t first_flat;   // spikes of the chunk's tiles before this one
  std::size_t first_dot;      // in the chunk's scalar products
};

/// The tiles whose scalar products are held at once.
struct Chunk {
  std::vector<Tile> tiles;
  std::size_t n_dots = 0;
  std::uint32_t n_spikes = 0;
};

/// Spikes in a tile: few on a CPU so that their products stay in its cache, all that fit on a GPU.
template <class Exec>
std::size_t tile_spikes(const NeighbourOptions& options) {
  if (options.tile_spikes > 0) return static_cast<std::size_t>(options.tile_spikes);
  return runs_on_host<Exec> ? 256 : 1u << 16;
}

template <class Exec>
std::vector<Chunk> plan_chunks(const SectionBatch<Exec>& batch, const NeighbourOptions& options) {
  const std::size_t max_dots = options.max_chunk_dots;
  std::vector<Chunk> chunks(1);
  for (std::uint32_t s = 0; s < batch.n_sections(); ++s) {
    const SectionExtent& section = batch.extents[s];
    const auto fitting = static_cast<std::uint32_t>(std::clamp<std::size_t>(max_dots / section.n_subset, 1, tile_spikes<Exec>(options)));
    for (std::uint32_t first = 0; first < section.n_spikes; first += fitting) {
      const std::uint32_t count = std::min(fitting, section.n_spikes - first);
      const std::size_t dots = std::size_t{count} * section.n_subset;
      if (chunks.back().n_dots > 0 && chunks.back().n_dots + dots > max_dots) chunks.emplace_back();
      Chunk& chunk = chunks.back();
      chunk.tiles.push_back({s, first, count, chunk.n_spikes, chunk.n_dots});
      chunk.n_dots += dots;
      chunk.n_spikes += count;
    }
  }
  return chunks;
}

/// Copies the subset's points side by side, [n_features, n_subset] per section.
template <class Exec>
Vector<float, Exec> gather_subset(const Exec& exec, const SectionBatch<Exec>& batch) {
  Vector<float, Exec> subset(unfilled(exec, "kokkosort::clustering::subset_points"), batch.n_subset_points);
  const auto sections = batch.sections;
  const auto points = batch.points;
  Kokkos::parallel_for(
      "kokkosort::clustering::gather_subset",
      Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(batch.n_sections()), Kokkos::AUTO),
      KOKKOS_LAMBDA(const TeamMember<Exec>& member) {
        const SectionExtent& section = sections(member.league_rank());
        const std::size_t n = std::size_t{section.n_features} * section.n_subset;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, n), [&](const std::size_t i) {
          const std::size_t feature = i / section.n_subset;
          const auto j = static_cast<std::uint32_t>(i % section.n_subset);
          subset(section.first_subset_point + i) =
              points(section.first_point + feature * section.stride + section.spike_of_subset(j));
        });
      });
  return subset;
}

/// The smallest values of a stream with their indices, ascending, ties to the smaller index; a fixed capacity.
template <class Value>
struct Nearest {
  Value value[max_proposals];
  std::int32_t index[max_proposals];
  int count = 0;

  /// Indices must come in ascending order, so that an equal value never displaces one that is there.
  KOKKOS_INLINE_FUNCTION void offer(const Value v, const std::int32_t i, const int wanted) {
    if (count == wanted && !(v < value[count - 1])) return;
    int place = count < wanted ? count++ : count - 1;
    for (; place > 0 && v < value[place - 1]; --place) {
      value[place] = value[place - 1];
      index[place] = index[place - 1];
    }
    value[place] = v;
    index[place] = i;
  }
};

/// Squared distance of two columns, summed in feature order: what decides which neighbours are nearest.
KOKKOS_INLINE_FUNCTION float squared_distance(const float* x, std::size_t x_stride, const float* y, std::size_t y_stride,
                                              std::uint32_t n_features) {
  float sum = 0.0f;
  for (std::uint32_t f = 0; f < n_features; ++f) {
    const float difference = x[f * x_stride] - y[f * y_stride];
    sum += difference * difference;
  }
  return sum;
}

/// Reads a chunk's scalar products and keeps each spike's nearest subset points.
template <class Exec>
struct SelectNearest {
  Vector<SectionExtent, Exec> sections;
  Vector<Tile, Exec> tiles;
  Vector<float, Exec> dots;
  Vector<float, Exec> points;
  Vector<float, Exec> subset_points;
  Vector<float, Exec> norms;
  Matrix<std::int32_t, Exec> neighbours;
  int wanted;

  KOKKOS_INLINE_FUNCTION const Tile& tile_of(const std::uint32_t flat) const {
    std::size_t low = 0;
    std::size_t high = tiles.extent(0);
    while (high - low > 1) {
      const std::size_t middle = (low + high) / 2;
      (tiles(middle).first_flat <= flat ? low : high) = middle;
    }
    return tiles(low);
  }

  KOKKOS_INLINE_FUNCTION void operator()(const std::uint32_t flat) const {
    const Tile& tile = tile_of(flat);
    const SectionExtent& section = sections(tile.section);
    const std::uint32_t in_tile = flat - tile.first_flat;
    const std::uint32_t spike = tile.first + in_tile;
    const float* const products = &dots(tile.first_dot + in_tile);

    std::int32_t proposals[max_proposals];
    const int n_proposals = propose(section, spike, products, tile.count, proposals);
    Nearest<float> nearest;
    const bool all = n_proposals > max_proposals;
    const auto n_candidates = all ? static_cast<std::int32_t>(section.n_subset) : n_proposals;
    for (std::int32_t c = 0; c < n_candidates; ++c) {
      const std::int32_t j = all ? c : proposals[c];
      nearest.offer(exact_distance(section, spike, j), j, wanted);
    }
    const std::uint32_t column = section.first_spike + spike;
    for (int k = 0; k < wanted; ++k) neighbours(k, column) = k < nearest.count ? nearest.index[k] : -1;
  }

  KOKKOS_INLINE_FUNCTION float exact_distance(const SectionExtent& section, std::uint32_t spike, std::int32_t j) const {
    return squared_distance(&points(section.first_point + spike), section.stride,
                            &subset_points(section.first_subset_point + static_cast<std::size_t>(j)), section.n_subset,
                            section.n_features);
  }

  /// Distance by the expanded form, and half the width of the interval that holds the true one: the usual bound
  /// of a scalar product of n terms, n · 2⁻²⁴ · (|x| + |y|)², with a few more terms for norms and sums.
  struct Interval {
    float low;
    float high;
  };
  KOKKOS_INLINE_FUNCTION Interval interval(float x_norm, float y_norm, float dot, float unit_error) const {
    const float distance = x_norm + y_norm - 2.0f * dot;
    const float error = 2.0f * unit_error * (x_norm + y_norm);  // (|x| + |y|)² ≤ 2 (|x|² + |y|²)
    return {distance - error, distance + error};
  }

  /// Fills `proposals` with every subset point that may be among the nearest, indices ascending.
  /// @return how many there are; more than max_proposals if they did not fit
  KOKKOS_INLINE_FUNCTION int propose(const SectionExtent& section, std::uint32_t spike, const float* products,
                                     std::uint32_t dot_stride, std::int32_t* proposals) const {
    const float unit_error = static_cast<float>(section.n_features + 8) * 5.97e-8f;
    const float x_norm = norms(section.first_spike + spike);
    Nearest<float> bounds;
    for (std::uint32_t j = 0; j < section.n_subset; ++j) {
      const float y_norm = norms(section.first_spike + section.spike_of_subset(j));
      bounds.offer(interval(x_norm, y_norm, products[std::size_t{j} * dot_stride], unit_error).high,
                   static_cast<std::int32_t>(j), wanted);
    }
    const float limit = bounds.value[bounds.count - 1];
    int count = 0;
    for (std::uint32_t j = 0; j < section.n_subset; ++j) {
      const float y_norm = norms(section.first_spike + section.spike_of_subset(j));
      if (interval(x_norm, y_norm, products[std::size_t{j} * dot_stride], unit_error).low > limit) continue;
      if (count < max_proposals) proposals[count] = static_cast<std::int32_t>(j);
      ++count;
    }
    return count;
  }
};

template <class Exec>
void multiply_tiles(const Exec& exec, const SectionBatch<Exec>& batch, const Vector<float, Exec>& subset,
                    const Chunk& chunk, const Vector<float, Exec>& dots) {
  std::vector<Product<Exec>> products;
  for (const Tile& tile : chunk.tiles) {
    const SectionExtent& section = batch.extents[tile.section];
    const MatrixRef<const float, Exec> all(batch.points.data() + section.first_point, section.n_features, section.stride);
    const MatrixRef<const float, Exec> y(subset.data() + section.first_subset_point, section.n_features,
                                         section.n_subset);
    const MatrixRef<const float, Exec> x =
        Kokkos::subview(all, Kokkos::ALL, std::make_pair(tile.first, tile.first + tile.count));
    products.push_back({y, x, MatrixRef<float, Exec>(dots.data() + tile.first_dot, section.n_subset, tile.count)});
  }
  multiply_transposed(exec, products);
}

}  // namespace

template <class Exec>
Vector<float, Exec> squared_norms(const Exec& exec, const SectionBatch<Exec>& batch) {
  Vector<float, Exec> norms(unfilled(exec, "kokkosort::clustering::norms"), batch.n_columns);
  const auto sections = batch.sections;
  const auto section_of = batch.section_of;
  const auto points = batch.points;
  Kokkos::parallel_for(
      "kokkosort::clustering::squared_norms", Kokkos::RangePolicy<Exec>(exec, 0, batch.n_columns),
      KOKKOS_LAMBDA(const std::uint32_t column) {
        const SectionExtent& section = sections(section_of(column));
        const float* const x = &points(section.first_point + (column - section.first_spike));
        float sum = 0.0f;
        for (std::size_t f = 0; f < section.n_features; ++f) sum += x[f * section.stride] * x[f * section.stride];
        norms(column) = sum;
      });
  return norms;
}

template <class Exec>
NeighbourGraph<Exec> find_neighbours(const Exec& exec, const SectionBatch<Exec>& batch,
                                     const NeighbourOptions& options, TransferLedger& ledger) {
  if (options.neighbours < 1 || options.neighbours > max_proposals)
    throw std::invalid_argument("find_neighbours: neighbours must be between 1 and 32");
  NeighbourGraph<Exec> graph;
  graph.norms = squared_norms(exec, batch);
  graph.neighbours = Matrix<std::int32_t, Exec>(unfilled(exec, "kokkosort::clustering::neighbours"),
                                                options.neighbours, batch.n_columns);
  const Vector<float, Exec> subset = gather_subset(exec, batch);

  const std::vector<Chunk> chunks = plan_chunks(batch, options);
  std::size_t most_dots = 0;
  for (const Chunk& chunk : chunks) most_dots = std::max(most_dots, chunk.n_dots);
  const Vector<float, Exec> dots(unfilled(exec, "kokkosort::clustering::dots"), most_dots);

  for (const Chunk& chunk : chunks) {
    multiply_tiles(exec, batch, subset, chunk, dots);
    const HostVector<Tile> host_tiles("kokkosort::clustering::tiles_on_host", chunk.tiles.size());
    std::copy(chunk.tiles.begin(), chunk.tiles.end(), host_tiles.data());
    const Vector<Tile, Exec> tiles(unfilled(exec, "kokkosort::clustering::tiles"), chunk.tiles.size());
    copy_up(exec, ledger, "clustering", "tiles", tiles, host_tiles);
    Kokkos::parallel_for("kokkosort::clustering::select_nearest",
                         Kokkos::RangePolicy<Exec>(exec, 0, chunk.n_spikes),
                         SelectNearest<Exec>{batch.sections, tiles, dots, batch.points, subset, graph.norms,
                                             graph.neighbours, options.neighbours});
    exec.fence("kokkosort::clustering::find_neighbours");  // host_tiles ends here
  }
  return graph;
}

#define INSTANTIATE(Exec)                                                                   \
  template Vector<float, Exec> squared_norms(const Exec&, const SectionBatch<Exec>&);      \
  template NeighbourGraph<Exec> find_neighbours(const Exec&, const SectionBatch<Exec>&, \
                                                const NeighbourOptions&, TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
