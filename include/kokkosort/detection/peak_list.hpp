#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kokkosort/transfer_ledger.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// Time is divided into cells of so many samples: a warp of a GPU, and lanes enough to fill the vector
/// registers of a CPU. Peaks are marked by one bit for each sample of a cell.
inline constexpr int cell_samples = 32;

/// A peak in time at one of many sites: detection's centres, or channels.
struct FoundPeak {
  std::int32_t sample;  // of the window
  std::int32_t site;
};

/// Peaks in one list on the device, by cell, site and sample.
template <class Exec>
struct PeakList {
  Vector<FoundPeak, Exec> peaks;           // [room]
  StagingVector<FoundPeak, Exec> on_host;  // as many; empty where the device is the host
  Vector<std::uint64_t, Exec> total;       // [1]
};

/// @param exec  not fenced on return
template <class Exec>
PeakList<Exec> make_peak_list(const Exec& exec, std::size_t room);

/// Keeps `kept` of so many peaks, evenly spread.
struct Thinning {
  std::uint64_t kept = 1;
  std::uint64_t of = 1;
};

/// Lists the peaks that are marked in the first cells, from the peak `first` of all on, as many as there is
/// room for.
///
/// @param exec          fenced
/// @param marks         [cells, sites], bit l: a peak at sample l of the cell
/// @param first_sample  of the first cell
/// @return how many peaks are marked, before they are thinned
template <class Exec>
std::uint64_t list_peaks(const Exec& exec, const Matrix<std::uint32_t, Exec>& marks, std::size_t n_cells,
                         std::int32_t first_sample, std::uint64_t first, const Thinning& thinning,
                         const PeakList<Exec>& list, TransferLedger& ledger);

}  // namespace kokkosort
