#include "kokkosort/detection/peak_list.hpp"

#include "core/instantiate.hpp"

namespace kokkosort {
namespace {

/// Places of the peaks, by a scan over cells and sites; the last leaves their number in `total`.
template <class Exec>
struct ListPeaks {
  Matrix<const std::uint32_t, Exec> marks;
  std::size_t n_marks;
  Vector<FoundPeak, Exec> peaks;
  Vector<std::uint64_t, Exec> total;
  std::int32_t first_sample;
  std::uint64_t first;
  Thinning thinning;

  KOKKOS_INLINE_FUNCTION void operator()(const std::size_t i, std::uint64_t& rank, const bool is_last) const {
    const std::size_t cell = i / marks.extent(1);
    const std::size_t site = i % marks.extent(1);
    const std::uint32_t bits = marks(cell, site);
    if (is_last && bits != 0) list(cell, site, bits, rank);
    rank += static_cast<std::uint64_t>(Kokkos::popcount(bits));
    if (is_last && i + 1 == n_marks) total(0) = rank;
  }

  KOKKOS_INLINE_FUNCTION void list(std::size_t cell, std::size_t site, std::uint32_t bits,
                                   std::uint64_t rank) const {
    const std::int32_t cell_start = first_sample + static_cast<std::int32_t>(cell) * cell_samples;
    for (; bits != 0; bits &= bits - 1, ++rank) {
      const std::uint64_t place = rank * thinning.kept / thinning.of;
      const bool is_kept = (rank + 1) * thinning.kept / thinning.of > place;
      if (is_kept && place >= first && place - first < peaks.extent(0))
        peaks(place - first) = {cell_start + Kokkos::countr_zero(bits), static_cast<std::int32_t>(site)};
    }
  }
};

}  // namespace

template <class Exec>
PeakList<Exec> make_peak_list(const Exec& exec, std::size_t room) {
  const auto staged = Kokkos::view_alloc(Kokkos::WithoutInitializing, "kokkosort::detection::peaks_on_host");
  return {Vector<FoundPeak, Exec>(unfilled(exec, "kokkosort::detection::peaks"), room),
          StagingVector<FoundPeak, Exec>(staged, runs_on_host<Exec> ? 0 : room),
          Vector<std::uint64_t, Exec>(unfilled(exec, "kokkosort::detection::n_peaks"), 1)};
}

template <class Exec>
std::uint64_t list_peaks(const Exec& exec, const Matrix<std::uint32_t, Exec>& marks, std::size_t n_cells,
                         std::int32_t first_sample, std::uint64_t first, const Thinning& thinning,
                         const PeakList<Exec>& list, TransferLedger& ledger) {
  const std::size_t n_marks = n_cells * marks.extent(1);
  Kokkos::parallel_scan(
      "kokkosort::detection::list_peaks", Kokkos::RangePolicy<Exec>(exec, 0, n_marks),
      ListPeaks<Exec>{marks, n_marks, list.peaks, list.total, first_sample, first, thinning});
  const HostVector<std::uint64_t> total("kokkosort::detection::n_peaks_on_host", 1);
  copy_down(exec, ledger, "detection", "n_peaks", total, list.total);
  return total(0);
}

#define INSTANTIATE(Exec)                                                                                \
  template PeakList<Exec> make_peak_list(const Exec&, std::size_t);                                      \
  template std::uint64_t list_peaks(const Exec&, const Matrix<std::uint32_t, Exec>&, std::size_t,        \
                                    std::int32_t, std::uint64_t, const Thinning&, const PeakList<Exec>&, \
                                    TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
