#include "matching/traces.hpp"

#include "core/instantiate.hpp"
#include "matching/waveform.hpp"

namespace kokkosort {
namespace {

/// One channel a team: its samples lose the spikes one after the other.
template <class Exec>
struct TakeOutSpikes {
  Matrix<float, Exec> weights;
  Matrix<float, Exec> wPCA;
  Vector<PlaceRange, Exec> footprints;
  Vector<FoundSpike, Exec> spikes;
  std::int64_t n_samples;
  Matrix<float, Exec> traces;

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const auto channel = static_cast<std::uint32_t>(member.league_rank());
    const auto nt = static_cast<std::int64_t>(wPCA.extent(1));
    for (std::size_t i = 0; i < spikes.extent(0); ++i) {
      const FoundSpike& spike = spikes(i);
      const std::int64_t first = spike.centre;  // column of the waveform's first sample
      const auto unit = static_cast<std::size_t>(spike.unit);
      if (channel < footprints(unit).first || channel >= footprints(unit).last) continue;
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, nt), [&](const std::int64_t s) {
        if (first + s >= 0 && first + s < n_samples)
          traces(channel, first + s) -=
              spike.amplitude * waveform(weights, wPCA, channel, unit, static_cast<std::size_t>(s));
      });
      member.team_barrier();
    }
  }
};

}  // namespace

template <class Exec>
void take_out_spikes(const Exec& exec, const PlacedTemplates<Exec>& templates,
                     const Matrix<float, Exec>& wPCA, const Vector<FoundSpike, Exec>& spikes,
                     const WindowExtent& window, const MatchingWorkspace<Exec>& workspace) {
  if (spikes.extent(0) == 0) return;
  const TakeOutSpikes<Exec> kernel{templates.weights,
                                   wPCA,
                                   templates.footprint_on_device,
                                   spikes,
                                   static_cast<std::int64_t>(window.n_samples),
                                   workspace.traces};
  Kokkos::parallel_for(
      "kokkosort::matching::take_out_spikes",
      Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(templates.n_channels), runs_on_host<Exec> ? 1 : 64),
      kernel);
}

#define INSTANTIATE(Exec)                                                                              \
  template void take_out_spikes(const Exec&, const PlacedTemplates<Exec>&, const Matrix<float, Exec>&, \
                                const Vector<FoundSpike, Exec>&, const WindowExtent&,                  \
                                const MatchingWorkspace<Exec>&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
