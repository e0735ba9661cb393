#include "recording/whitening.hpp"

#include "core/instantiate.hpp"
#include "core/lanes.hpp"

namespace kokkosort {
namespace {

/// A team takes a tile of samples of a few neighbouring rows, whose neighbours are much the same and stay in
/// the nearest cache. A thread sums several samples, so that a weight that it reads serves them all: `packs`
/// of `lanes` neighbouring ones, `pack_stride` apart; on a GPU a pack is one sample, and neighbouring threads
/// have the next.
template <class Exec>
struct Whiten {
  static constexpr int lanes = runs_on_host<Exec> ? 16 : 1;
  static constexpr int packs = 4;
  static constexpr int threads = runs_on_host<Exec> ? 1 : 64;
  static constexpr int pack_stride = lanes * threads;
  static constexpr int samples = packs * pack_stride;  // of all threads
  static constexpr int row_group = runs_on_host<Exec> ? 64 : 16;
  static_assert(whitening_tile % samples == 0);

  MatrixRef<const float, Exec> rows;
  Matrix<std::int32_t, Exec> neighbours;
  Matrix<float, Exec> weights;
  std::size_t n_samples;
  MatrixRef<float, Exec> whitened;

  std::size_t n_groups() const { return (whitened.extent(0) + row_group - 1) / row_group; }
  std::size_t n_tiles() const { return (whitened.extent(1) + whitening_tile - 1) / whitening_tile; }

  /// A thread's samples of a row, from t on.
  KOKKOS_FORCEINLINE_FUNCTION void sum(std::size_t row, std::size_t t) const {
    float sums[packs][lanes] = {};
    for (std::size_t k = 0; k < weights.extent(1); ++k) {
      const float weight = weights(row, k);
      const float* const x = &rows(static_cast<std::size_t>(neighbours(row, k)), t);
      for (int pack = 0; pack < packs; ++pack)
        for_lanes<lanes>([&](const int lane) { sums[pack][lane] += weight * x[pack * pack_stride + lane]; });
    }
    for (int pack = 0; pack < packs; ++pack)
      write(row, t + static_cast<std::size_t>(pack * pack_stride), sums[pack]);
  }

  KOKKOS_FORCEINLINE_FUNCTION void write(std::size_t row, std::size_t t, const float (&values)[lanes]) const {
    float* const to = &whitened(row, 0) + t;
    if (t + lanes <= n_samples)
      for_lanes<lanes>([&](const int lane) { to[lane] = values[lane]; });
    else
      for (std::size_t lane = 0; lane < lanes && t + lane < whitened.extent(1); ++lane)
        to[lane] = t + lane < n_samples ? values[lane] : 0.0f;
  }

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const std::size_t groups = (whitened.extent(0) + row_group - 1) / row_group;
    const std::size_t first_row = static_cast<std::size_t>(member.league_rank()) % groups * row_group;
    const std::size_t last_row = Kokkos::min(first_row + row_group, whitened.extent(0));
    const std::size_t tile = static_cast<std::size_t>(member.league_rank()) / groups * whitening_tile;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, threads), [&](const int thread) {
      for (std::size_t t = tile + static_cast<std::size_t>(thread * lanes); t < tile + whitening_tile;
           t += samples)
        for (std::size_t row = first_row; row < last_row; ++row)
          if (t < n_samples)
            sum(row, t);
          else
            clear(row, t);
    });
  }

  /// Samples beyond the last.
  KOKKOS_INLINE_FUNCTION void clear(std::size_t row, std::size_t t) const {
    const float zeros[lanes] = {};
    for (int pack = 0; pack < packs; ++pack)
      write(row, t + static_cast<std::size_t>(pack * pack_stride), zeros);
  }
};

}  // namespace

template <class Exec>
void whiten(const Exec& exec, const MatrixRef<const float, Exec>& rows,
            const Matrix<std::int32_t, Exec>& neighbours, const Matrix<float, Exec>& weights,
            std::size_t n_samples, const MatrixRef<float, Exec>& whitened) {
  const Whiten<Exec> kernel{rows, neighbours, weights, n_samples, whitened};
  Kokkos::parallel_for("kokkosort::recording::whiten",
                       Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(kernel.n_groups() * kernel.n_tiles()),
                                                Whiten<Exec>::threads),
                       kernel);
}

#define INSTANTIATE(Exec)                                                                                   \
  template void whiten(const Exec&, const MatrixRef<const float, Exec>&, const Matrix<std::int32_t, Exec>&, \
                       const Matrix<float, Exec>&, std::size_t, const MatrixRef<float, Exec>&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
