#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kokkosort/detection/grid.hpp"
#include "kokkosort/detection/options.hpp"
#include "kokkosort/detection/peak_list.hpp"
#include "kokkosort/spike_features.hpp"
#include "kokkosort/transfer_ledger.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// A stretch of a recording that is searched at once: samples [first, last). Traces before and behind it are
/// needed too; they are zero outside the recording.
struct SearchWindow {
  std::int64_t first;
  std::int64_t last;
  std::int64_t n_samples;  // of the recording: what is outside is no spike, nor in the way of one

  std::size_t size() const { return static_cast<std::size_t>(last - first); }
};

/// What to look for, and where, on the device.
template <class Exec>
struct SearchTables {
  Matrix<float, Exec> shapes;             // [shapes, nt], the universal templates in time
  Matrix<float, Exec> components;         // [nt, pcs], filled up with zeros to whole packs
  Matrix<std::int32_t, Exec> channels;    // [centres, rows]
  Matrix<float, Exec> weights;            // [centres, rows · scales], likewise
  Matrix<std::int32_t, Exec> neighbours;  // [centres, n], nearest first; −1: none
  int n_pcs = 0;
  int n_scales = 0;  // filled up
  int peak_sample = 0;
};

template <class Exec>
SearchTables<Exec> upload_tables(const Exec& exec, const DetectionGrid& grid, const PrincipalComponents& pcs,
                                 TransferLedger& ledger);

/// Sizes of what is searched.
struct SearchSizes {
  std::size_t n_channels;
  std::size_t n_centres;
  std::size_t n_rows;
  std::size_t n_scales;
  std::size_t n_neighbours;
  std::size_t n_shapes;
  std::size_t n_pcs;
  std::size_t nt;
  std::size_t peak_sample;
  std::size_t n_samples;  // of the longest window
};

SearchSizes sizes_of_search(std::size_t n_channels, const DetectionGrid& grid, const PrincipalComponents& pcs,
                            std::size_t n_samples);

/// Samples that the traces begin before a window.
std::size_t lead_samples(const SearchSizes& sizes);

/// Samples that the traces reach beyond a window.
std::size_t trail_samples(const SearchSizes& sizes);

/// The arrays of a window on the device, sized once for the longest.
template <class Exec>
struct SearchWorkspace {
  SearchSizes sizes{};
  std::size_t chunk_cells = 0;      // that are searched at once, less those before and behind them
  Matrix<float, Exec> traces;       // [channels, samples], from lead_samples before the window
  Matrix<float, Exec> projections;  // [cells, (shapes + 1) of a channel · samples]; empty on a CPU
  Matrix<float, Exec> scores;       // [cells, centres · samples], zero up to the threshold
  Matrix<float, Exec> highest;  // [cells, centres], score of the cell; where it is zero no scores are written
  Matrix<std::uint32_t, Exec> marks;            // [cells, centres], where spikes are
  PeakList<Exec> spikes;                        // some of a chunk
  Matrix<float, Exec> features;                 // [spikes, rows · pcs]
  StagingVector<float, Exec> features_on_host;  // as many; empty where the device is the host
};

/// Device bytes that tables and workspace take, if possible within the limit less `taken` bytes of others.
template <class Exec>
std::size_t search_bytes(const SearchSizes& sizes, const DetectionOptions& options, std::size_t taken);

/// @param exec  not fenced on return
template <class Exec>
SearchWorkspace<Exec> make_search_workspace(const Exec& exec, const SearchSizes& sizes,
                                            const DetectionOptions& options, std::size_t taken);

/// Spikes of a window, by sample, then centre.
struct WindowSpikes {
  std::vector<std::int64_t> sample;  // [spikes], of the recording: the centre of the waveform's nt samples
  std::vector<std::int32_t> centre;  // [spikes]
  std::vector<float> features;       // [spikes, rows, pcs]
};

/// Finds a window's spikes in its traces.
///
/// A centre's score is its largest projection onto any universal template of any scale. It is computed only
/// where a bound on it reaches the threshold: weights have norm 1, so a score is at most the root of the
/// summed squares of the largest projections on the centre's channels.
///
/// @param exec       fenced
/// @param workspace  traces in; the rest is scratch
template <class Exec>
WindowSpikes search_window(const Exec& exec, const SearchTables<Exec>& tables, const SearchWindow& window,
                           const DetectionOptions& options, const SearchWorkspace<Exec>& workspace,
                           TransferLedger& ledger);

}  // namespace kokkosort
