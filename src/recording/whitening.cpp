#include "recording/whitening.hpp"

#include "core/instantiate.hpp"
#include "core/lanes.hpp"

namespace kokkosort {
namespace {

/// A team takes a tile of samples of a few neighbouring rows, whose neighbours are much the same and stay in
/// the nearest cache. A thread sums several samples, so that a weight that it reads serves them all: on a CPU
/// neighbouring ones, in its vector registers; on a GPU some that are `stride` apart.
template <class Exec>
struct Whiten {
  static constexpr int samples = runs_on_host<Exec> ? 32 : 4;
  static constexpr int stride = runs_on_host<Exec> ? 1 : 64;
  static constexpr int row_group = runs_on_host<Exec> ? 64 : 16;
  static_assert(whitening_tile % (samples * stride) == 0);

  MatrixRef<const float, Exec> rows;
  Matrix<std::int32_t, Exec> neighbours;
  Matrix<float, Exec> weights;
  std::size_t n_samples;
  Matrix<float, Exec> whitened;

  std::size_t n_groups() const { return (whitened.extent(0) + row_group - 1) / row_group; }
  std::size_t n_tiles() const { return (whitened.extent(1) + whitening_tile - 1) / whitening_tile; }

  /// Samples t, t + stride, … of a row.
  KOKKOS_FORCEINLINE_FUNCTION void sum(std::size_t row, std::size_t t) const {
    float sums[samples] = {};
    for (std::size_t k = 0; k < weights.extent(1); ++k) {
      const float weight = weights(row, k);
      const float* const x = &rows(static_cast<std::size_t>(neighbours(row, k)), t);
      for_lanes<samples>([&](const int s) { sums[s] += weight * x[s * stride]; });
    }
    float* const y = &whitened(row, t);
    if (t + samples * stride <= n_samples)
      for_lanes<samples>([&](const int s) { y[s * stride] = sums[s]; });
    else
      for (int s = 0; s < samples; ++s) {
        const std::size_t at = t + static_cast<std::size_t>(s * stride);
        if (at < whitened.extent(1)) y[s * stride] = at < n_samples ? sums[s] : 0.0f;
      }
  }

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const std::size_t groups = (whitened.extent(0) + row_group - 1) / row_group;
    const std::size_t first_row = static_cast<std::size_t>(member.league_rank()) % groups * row_group;
    const std::size_t last_row = Kokkos::min(first_row + row_group, whitened.extent(0));
    const std::size_t tile = static_cast<std::size_t>(member.league_rank()) / groups * whitening_tile;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, stride), [&](const int thread) {
      for (std::size_t row = first_row; row < last_row; ++row)
        for (std::size_t t = tile; t < tile + whitening_tile; t += samples * stride)
          if (t < n_samples)
            sum(row, t + static_cast<std::size_t>(thread));
          else
            clear(row, t + static_cast<std::size_t>(thread));
    });
  }

  KOKKOS_INLINE_FUNCTION void clear(std::size_t row, std::size_t t) const {
    for (int s = 0; s < samples; ++s) {
      const std::size_t at = t + static_cast<std::size_t>(s * stride);
      if (at < whitened.extent(1)) whitened(row, at) = 0.0f;
    }
  }
};

}  // namespace

template <class Exec>
void whiten(const Exec& exec, const MatrixRef<const float, Exec>& rows,
            const Matrix<std::int32_t, Exec>& neighbours, const Matrix<float, Exec>& weights,
            std::size_t n_samples, const Matrix<float, Exec>& whitened) {
  const Whiten<Exec> kernel{rows, neighbours, weights, n_samples, whitened};
  Kokkos::parallel_for("kokkosort::recording::whiten",
                       Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(kernel.n_groups() * kernel.n_tiles()),
                                                Whiten<Exec>::stride),
                       kernel);
}

#define INSTANTIATE(Exec)                                                                                   \
  template void whiten(const Exec&, const MatrixRef<const float, Exec>&, const Matrix<std::int32_t, Exec>&, \
                       const Matrix<float, Exec>&, std::size_t, const Matrix<float, Exec>&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
