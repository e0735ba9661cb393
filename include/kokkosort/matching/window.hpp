#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kokkosort/matching/options.hpp"
#include "kokkosort/templates/placed_templates.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// A stretch of the recording that is matched at once. Sample numbers are the recording's and may lie outside
/// it: traces are zero there. A template's centre is its sample nt / 2.
struct WindowExtent {
  std::int64_t first = 0;       // centre of the first score, a multiple of nt + 1
  std::int64_t core_end = 0;    // centres before this are final after this window
  std::uint32_t n_scores = 0;   // centres
  std::uint32_t n_samples = 0;  // of the traces: n_scores + nt − 1, from sample first − nt / 2
};

/// Divides a recording into windows that overlap.
///
/// @param peak_sample  of a waveform of nt samples; centres whose peak is a sample of the recording are all
/// covered
/// @throws InputError if options.window_samples is shorter than the overlap allows
std::vector<WindowExtent> make_windows(std::int64_t n_samples, int nt, int peak_sample,
                                       const MatchingOptions& options);

/// A spike as the pursuit finds it.
struct FoundSpike {
  std::int32_t centre;  // score of its window
  std::int32_t unit;    // template, as placed
  float amplitude;      // times the template
};

/// Sizes of what is matched.
struct MatchingSizes {
  std::size_t n_templates = 0;
  std::size_t n_channels = 0;
  std::size_t n_pcs = 0;
  int nt = 0;
  std::size_t n_scores = 0;  // of the longest window
};

/// The arrays of a window on the device, sized once for the longest. Rows may be longer than a window.
template <class Exec>
struct MatchingWorkspace {
  int nt = 0;
  int max_peels = 0;
  Matrix<float, Exec> traces;            // [channels, samples], placed; the residual after the pursuit
  Matrix<float, Exec> projections;       // [channels · pcs, chunk], on the principal components
  Matrix<float, Exec> scores;            // [templates, scores]
  Vector<float, Exec> best;              // [scores], largest objective of any template
  Vector<std::int32_t, Exec> best_unit;  // [scores], the first template that has it
  // By slices of consecutive templates, so that a spike's neighbours alone are looked at again.
  Matrix<float, Exec> slice_best;              // [slices, scores]
  Matrix<std::int32_t, Exec> slice_best_unit;  // [slices, scores]
  // By blocks of nt + 1 scores, of which each holds one spike a round at most.
  Vector<std::int32_t, Exec> last_round;   // [blocks], in which the block had a spike; long ago if never
  Vector<std::uint32_t, Exec> n_found;     // [blocks]
  Matrix<FoundSpike, Exec> found;          // [blocks, max_peels]
  Vector<std::uint32_t, Exec> n_in_round;  // [max_peels + 1], spikes found in each round

  std::size_t n_blocks(const WindowExtent& window) const {
    return (window.n_scores + static_cast<std::size_t>(nt)) / static_cast<std::size_t>(nt + 1);
  }
};

/// Device bytes that make_workspace takes.
template <class Exec>
std::size_t workspace_bytes(const MatchingSizes& sizes, const MatchingOptions& options);

/// @param exec  not fenced on return
template <class Exec>
MatchingWorkspace<Exec> make_workspace(const Exec& exec, const MatchingSizes& sizes,
                                       const MatchingOptions& options);

/// Templates of a slice.
inline constexpr std::size_t slice_units = 32;

/// Chunks of scores are whole tiles of so many; on a CPU a thread computes a tile at a time.
inline constexpr std::size_t score_tile = 256;

}  // namespace kokkosort
