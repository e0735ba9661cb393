#include "detection/isolated_peaks.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/instantiate.hpp"

namespace kokkosort {
namespace {

/// Marks a cell of a channel a thread, whose lanes are its samples.
template <class Exec>
struct MarkPeaks {
  static constexpr int group = runs_on_host<Exec> ? 1024 : 32;  // channels of a team

  Matrix<const float, Exec> traces;
  Matrix<const std::int32_t, Exec> near;
  Matrix<std::uint32_t, Exec> marks;
  float threshold;
  int reach;
  int first;  // samples that may be peaks
  int last;

  KOKKOS_INLINE_FUNCTION int n_groups() const {
    return (static_cast<int>(near.extent(0)) + group - 1) / group;
  }

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const int cell = member.league_rank() / n_groups();
    const int first_channel = member.league_rank() % n_groups() * group;
    const int last_channel = Kokkos::min(first_channel + group, static_cast<int>(near.extent(0)));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, first_channel, last_channel),
                         [&](const int channel) {
                           std::uint32_t bits = 0;
                           Kokkos::parallel_reduce(
                               Kokkos::ThreadVectorRange(member, cell_samples),
                               [&](const int lane, std::uint32_t& some) {
                                 if (is_peak(channel, cell * cell_samples + lane))
                                   some |= std::uint32_t{1} << lane;
                               },
                               Kokkos::BOr<std::uint32_t>(bits));
                           Kokkos::single(Kokkos::PerThread(member), [&]() { marks(cell, channel) = bits; });
                         });
  }

  KOKKOS_INLINE_FUNCTION bool is_peak(int channel, int sample) const {
    if (sample < first || sample >= last) return false;
    const float mine = Kokkos::abs(traces(channel, sample));
    if (!(mine >= threshold)) return false;
    for (std::size_t i = 0; i < near.extent(1); ++i) {
      const std::int32_t other = near(channel, i);
      if (other < 0) break;
      for (int t = sample - reach; t <= sample + reach; ++t) {
        const float its = Kokkos::abs(traces(other, t));
        if (its > mine || (its == mine && (t < sample || (t == sample && other < channel)))) return false;
      }
    }
    return true;
  }
};

}  // namespace

HostMatrix<std::int32_t> channels_near(const Probe& probe) {
  constexpr double near_um = 50.0;
  const std::size_t n_channels = probe.x_um.size();
  std::vector<std::vector<std::int32_t>> lists(n_channels);
  std::size_t longest = 0;
  for (std::size_t c = 0; c < n_channels; ++c) {
    lists[c].push_back(static_cast<std::int32_t>(c));
    for (std::size_t other = 0; other < n_channels; ++other)
      if (other != c && probe.shank[other] == probe.shank[c] &&
          std::hypot(probe.x_um[other] - probe.x_um[c], probe.y_um[other] - probe.y_um[c]) <= near_um)
        lists[c].push_back(static_cast<std::int32_t>(other));
    longest = std::max(longest, lists[c].size());
  }
  const HostMatrix<std::int32_t> near("kokkosort::detection::near_on_host", n_channels, longest);
  for (std::size_t c = 0; c < n_channels; ++c)
    for (std::size_t i = 0; i < longest; ++i) near(c, i) = i < lists[c].size() ? lists[c][i] : -1;
  return near;
}

template <class Exec>
void mark_isolated_peaks(const Exec& exec, const Matrix<float, Exec>& traces, std::size_t n_samples,
                         const Matrix<std::int32_t, Exec>& near, const DetectionOptions& options,
                         const Matrix<std::uint32_t, Exec>& marks) {
  const int reach = options.nt / 2;
  const int before = std::max(reach, options.peak_sample);
  const int behind = std::max(reach, options.nt - 1 - options.peak_sample);
  const MarkPeaks<Exec> kernel{traces,
                               near,
                               marks,
                               static_cast<float>(options.learning_threshold),
                               reach,
                               before,
                               static_cast<int>(n_samples) - behind};
  const auto n_cells = static_cast<int>((n_samples + cell_samples - 1) / cell_samples);
  const int n_teams = n_cells * kernel.n_groups();
  Kokkos::parallel_for("kokkosort::detection::mark_isolated_peaks",
                       runs_on_host<Exec> ? Kokkos::TeamPolicy<Exec>(exec, n_teams, 1, 1)
                                          : Kokkos::TeamPolicy<Exec>(exec, n_teams, 8, cell_samples),
                       kernel);
}

template <class Exec>
void cut_clips(const Exec& exec, const Matrix<float, Exec>& traces, const PeakList<Exec>& list,
               std::size_t count, const DetectionOptions& options, const Matrix<float, Exec>& clips) {
  const auto peaks = list.peaks;
  const auto nt = static_cast<std::size_t>(options.nt);
  const auto peak_sample = static_cast<std::size_t>(options.peak_sample);
  Kokkos::parallel_for(
      "kokkosort::detection::cut_clips", Kokkos::RangePolicy<Exec>(exec, 0, count * nt),
      KOKKOS_LAMBDA(const std::size_t i) {
        const FoundPeak peak = peaks(i / nt);
        const std::size_t column = static_cast<std::size_t>(peak.sample) - peak_sample + i % nt;
        clips(i / nt, i % nt) = traces(peak.site, column);
      });
}

#define INSTANTIATE(Exec)                                                                              \
  template void mark_isolated_peaks(const Exec&, const Matrix<float, Exec>&, std::size_t,              \
                                    const Matrix<std::int32_t, Exec>&, const DetectionOptions&,        \
                                    const Matrix<std::uint32_t, Exec>&);                               \
  template void cut_clips(const Exec&, const Matrix<float, Exec>&, const PeakList<Exec>&, std::size_t, \
                          const DetectionOptions&, const Matrix<float, Exec>&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
