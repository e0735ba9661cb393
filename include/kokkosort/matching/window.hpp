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
  std::int64_t first = 0;  // sample of the first score, a multiple of nt + 1
  std::int64_t core_end =
      0;  // spikes whose centre comes before are this window's, unless the window before had them
  std::uint32_t n_scores = 0;   // centres
  std::uint32_t n_samples = 0;  // of the traces: n_scores + nt − 1, from sample first − nt / 2

  std::int64_t first_trace(int nt) const { return first - nt / 2; }
};

/// Divides a recording into windows that overlap.
/// @param peak_sample  of a waveform of nt samples: spikes whose peak is a sample of the recording are found
std::vector<WindowExtent> make_windows(std::int64_t n_samples, int nt, int peak_sample,
                                       const MatchingOptions& options);

/// A spike as the pursuit finds it.
struct FoundSpike {
  std::int32_t centre;  // score of its window
  std::int32_t unit;    // template, as placed
  float amplitude;      // times the template
};

/// The arrays of a window on the device, sized once for the longest.
template <class Exec>
struct MatchingWorkspace {
  int nt = 0;
  int max_peels = 0;
  Matrix<float, Exec> traces;            // [channels, samples], placed; the residual after the pursuit
  Matrix<float, Exec> projections;       // [channels · pcs, chunk], on the principal components
  Matrix<float, Exec> scores;            // [templates, scores]
  Vector<float, Exec> best;              // [scores], largest objective of any template
  Vector<std::int32_t, Exec> best_unit;  // [scores], the first template that has it
  // By blocks of nt + 1 scores, of which each holds one spike a round at most.
  Vector<std::int32_t, Exec> last_round;   // [blocks], in which the block had a spike; −1: none yet
  Vector<std::uint32_t, Exec> n_found;     // [blocks]
  Matrix<FoundSpike, Exec> found;          // [blocks, max_peels]
  Vector<std::uint32_t, Exec> n_in_round;  // [max_peels + 1], spikes found in each round

  std::size_t n_blocks(const WindowExtent& window) const {
    return (window.n_scores + static_cast<std::size_t>(nt)) / static_cast<std::size_t>(nt + 1);
  }
};

/// Device bytes of a workspace for windows of up to so many scores.
std::size_t workspace_bytes(std::size_t n_templates, std::size_t n_channels, std::size_t n_pcs, int nt,
                            std::size_t n_scores, const MatchingOptions& options, bool on_host);

/// @param exec  not fenced on return
template <class Exec>
MatchingWorkspace<Exec> make_workspace(const Exec& exec, const PlacedTemplates<Exec>& templates, int nt,
                                       std::size_t n_scores, const MatchingOptions& options);

}  // namespace kokkosort
