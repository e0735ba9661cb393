#pragma once

#include <cstddef>
#include <cstdint>

#include "core/lanes.hpp"
#include "kokkosort/detection/peak_list.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// The largest of some lanes' values.
template <int width>
KOKKOS_FORCEINLINE_FUNCTION float largest_of_lanes(const float (&values)[width]) {
  float largest = values[0];
#pragma omp simd reduction(max : largest)
  for (int lane = 0; lane < width; ++lane) largest = values[lane] > largest ? values[lane] : largest;
  return largest;
}

/// Projects a channel's traces onto the universal shapes. A thread sums several samples for several shapes at
/// once: on a CPU those of a cell, in its vector registers; on a GPU, whose warp has a cell's samples side by
/// side, those of several cells.
template <class Exec>
struct ProjectTraces {
  static constexpr int shape_group = 6;
  static constexpr int pack = runs_on_host<Exec> ? cell_samples : 4;
  static constexpr int stride = runs_on_host<Exec> ? 1 : cell_samples;

  Matrix<const float, Exec> shapes;
  Matrix<const float, Exec> traces;

  /// Rows of a channel: one a shape, and one of the largest square of a positive projection.
  KOKKOS_INLINE_FUNCTION std::size_t n_rows() const { return shapes.extent(0) + 1; }

  /// @param column  of the first sample's first tap
  /// @param to      the first sample's place in the channel's first row
  /// @param apart   from a sample's place to the next one's
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t channel, std::size_t column, float* to,
                                         std::size_t apart) const {
    float squares[pack] = {};
    for (std::size_t j = 0; j < shapes.extent(0); j += shape_group)
      project_group(&traces(channel, column), j, to, apart, squares);
    float* const row = to + shapes.extent(0) * cell_samples;
    for_lanes<pack>([&](const int k) { row[static_cast<std::size_t>(k) * apart] = squares[k]; });
  }

  KOKKOS_INLINE_FUNCTION void project_group(const float* x, std::size_t first, float* to, std::size_t apart,
                                            float (&squares)[pack]) const {
    const auto n = static_cast<int>(Kokkos::min(shapes.extent(0) - first, std::size_t{shape_group}));
    const float* w[shape_group];  // beyond the last shape its row is read again, for nothing
    for (int j = 0; j < shape_group; ++j)
      w[j] = &shapes(first + static_cast<std::size_t>(Kokkos::min(j, n - 1)), 0);
    float sums[shape_group][pack] = {};
    const std::size_t nt = shapes.extent(1);
    for (std::size_t s = 0; s < nt; ++s)
      for (int j = 0; j < shape_group; ++j)
        for_lanes<pack>(
            [&](const int k) { sums[j][k] += w[j][s] * x[s + static_cast<std::size_t>(k * stride)]; });
    for (int j = 0; j < shape_group; ++j)
      if (j < n) {
        float* const row = to + (first + static_cast<std::size_t>(j)) * cell_samples;
        for_lanes<pack>([&](const int k) {
          const float positive = sums[j][k] > 0.0f ? sums[j][k] : 0.0f;
          const float square = positive * positive;
          squares[k] = square > squares[k] ? square : squares[k];
          row[static_cast<std::size_t>(k) * apart] = sums[j][k];
        });
      }
  }
};

/// Samples of a cell that are in the recording.
struct LaneRange {
  int first;
  int last;
};

/// Scores a centre at samples of a cell: a CPU's thread at all of them, a GPU's at one.
template <class Exec>
struct ScoreCentre {
  static constexpr int scale_group = 5;
  static constexpr int shape_group = runs_on_host<Exec> ? 1 : 6;
  static constexpr int pack = runs_on_host<Exec> ? cell_samples : 1;

  Matrix<const std::int32_t, Exec> channels;
  Matrix<const float, Exec> weights;
  int n_scales;  // whole groups
  int n_shapes;
  float threshold;
  float least_bound;  // threshold², less what rounding may make of a score

  /// @param projections  of all channels in the cell
  /// @param to           the centre's scores in the cell; on a CPU not written if all are zero
  /// @return the largest of the scores, which are zero up to the threshold and outside the recording
  KOKKOS_INLINE_FUNCTION float operator()(std::size_t centre, const float* projections, int lane,
                                          const LaneRange& inside, float* to) const {
    float bound[pack] = {};
    for (std::size_t row = 0; row < channels.extent(1); ++row) {
      const float* const x = at(projections, centre, row, n_shapes) + lane;
      for_lanes<pack>([&](const int k) { bound[k] += x[k]; });
    }
    float score[pack] = {};
    const bool may_reach = largest_of_lanes(bound) >= least_bound;
    if (may_reach)
      for (int k = 0; k < n_scales; k += scale_group)
        for (int j = 0; j < n_shapes; j += shape_group) add_group(centre, projections + lane, k, j, score);
    for_lanes<pack>([&](const int k) {
      const bool counts = score[k] > threshold && lane + k >= inside.first && lane + k < inside.last;
      score[k] = counts ? score[k] : 0.0f;
    });
    const float largest = may_reach ? largest_of_lanes(score) : 0.0f;
    if (largest > 0.0f || pack < cell_samples) for_lanes<pack>([&](const int k) { to[lane + k] = score[k]; });
    return largest;
  }

 private:
  KOKKOS_INLINE_FUNCTION const float* at(const float* projections, std::size_t centre, std::size_t row,
                                         int shape) const {
    const auto channel = static_cast<std::size_t>(channels(centre, row));
    return projections +
           (channel * static_cast<std::size_t>(n_shapes + 1) + static_cast<std::size_t>(shape)) *
               cell_samples;
  }

  /// Beyond the last shape it is summed again, for nothing.
  KOKKOS_INLINE_FUNCTION void add_group(std::size_t centre, const float* projections, int first_scale,
                                        int first_shape, float (&score)[pack]) const {
    float sums[shape_group][scale_group][pack];
    for (int j = 0; j < shape_group; ++j)
      for (int k = 0; k < scale_group; ++k) for_lanes<pack>([&](const int l) { sums[j][k][l] = 0.0f; });
    for (std::size_t row = 0; row < channels.extent(1); ++row) {
      const float* const w = &weights(centre, row * static_cast<std::size_t>(n_scales)) + first_scale;
      const float* const x = at(projections, centre, row, 0);
      for (int j = 0; j < shape_group; ++j) {
        const float* const of_shape = x + Kokkos::min(first_shape + j, n_shapes - 1) * cell_samples;
        for (int k = 0; k < scale_group; ++k) {
          const float weight = w[k];
          for_lanes<pack>([&](const int l) { sums[j][k][l] += weight * of_shape[l]; });
        }
      }
    }
    for (int j = 0; j < shape_group; ++j)
      for (int k = 0; k < scale_group; ++k)
        for_lanes<pack>([&](const int l) { score[l] = sums[j][k][l] > score[l] ? sums[j][k][l] : score[l]; });
  }
};

}  // namespace kokkosort
