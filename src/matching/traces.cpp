#include "matching/traces.hpp"

#include <cstring>

#include "core/instantiate.hpp"
#include "matching/waveform.hpp"

namespace kokkosort {
namespace {

/// Transposes one tile a team, through scratch, so that reads and writes both touch neighbouring memory.
template <class Exec, class T>
struct LoadTraces {
  static constexpr std::size_t tile_channels = 32;
  static constexpr std::size_t tile_samples = 64;
  static constexpr std::size_t tile_row =
      tile_samples + 1;  // odd: columns of the tile lie in different banks

  const T* stored;
  std::int64_t stored_first;
  std::int64_t stored_last;
  float scale;
  std::int64_t first_sample;  // of the traces
  Vector<std::int32_t, Exec> channel_at;
  Matrix<float, Exec> traces;

  std::size_t channel_tiles() const { return (traces.extent(0) + tile_channels - 1) / tile_channels; }
  std::size_t sample_tiles() const { return (traces.extent(1) + tile_samples - 1) / tile_samples; }
  static std::size_t scratch_bytes() { return Scratch<float, Exec>::shmem_size(tile_channels * tile_row); }

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const std::size_t tiles = (traces.extent(0) + tile_channels - 1) / tile_channels;
    const std::size_t first_channel = static_cast<std::size_t>(member.league_rank()) % tiles * tile_channels;
    const std::size_t first_column = static_cast<std::size_t>(member.league_rank()) / tiles * tile_samples;
    const std::size_t n_channels = Kokkos::min(traces.extent(0) - first_channel, std::size_t{tile_channels});
    const std::size_t n_columns = Kokkos::min(traces.extent(1) - first_column, std::size_t{tile_samples});
    const Scratch<float, Exec> tile(member.team_scratch(0), tile_channels * tile_row);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, n_columns), [&](const std::size_t column) {
      const std::int64_t sample = first_sample + static_cast<std::int64_t>(first_column + column);
      const bool inside = sample >= stored_first && sample < stored_last;
      const T* const row =
          stored +
          (inside ? static_cast<std::size_t>(sample - stored_first) * traces.extent(0) : std::size_t{0});
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, n_channels), [&](const std::size_t channel) {
        tile(channel * tile_row + column) =
            inside ? scale * static_cast<float>(row[channel_at(first_channel + channel)]) : 0.0f;
      });
    });
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, n_channels), [&](const std::size_t channel) {
      float* const to = &traces(first_channel + channel, first_column);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, n_columns),
                           [&](const std::size_t column) { to[column] = tile(channel * tile_row + column); });
    });
  }
};

template <class T, class Exec>
void load_as(const Exec& exec, const PlacedTemplates<Exec>& templates, const StoredTraces<Exec>& stored,
             const WindowExtent& window, const MatchingWorkspace<Exec>& workspace) {
  const LoadTraces<Exec, T> kernel{reinterpret_cast<const T*>(stored.bytes.data()),
                                   stored.first,
                                   stored.last,
                                   stored.scale,
                                   window.first - workspace.nt / 2,
                                   templates.channel_on_device,
                                   workspace.traces};
  const auto n_teams = static_cast<int>(kernel.channel_tiles() * kernel.sample_tiles());
  Kokkos::parallel_for(
      "kokkosort::matching::load_traces",
      Kokkos::TeamPolicy<Exec>(exec, n_teams, runs_on_host<Exec> ? 1 : 8, runs_on_host<Exec> ? 1 : 32)
          .set_scratch_size(0, Kokkos::PerTeam(kernel.scratch_bytes())),
      kernel);
}

/// One channel a team: its samples lose the spikes one after the other.
template <class Exec>
struct TakeOutSpikes {
  Matrix<float, Exec> weights;
  Matrix<float, Exec> wPCA;
  Vector<PlaceRange, Exec> footprints;
  Vector<FoundSpike, Exec> spikes;
  std::size_t n_spikes;
  std::int64_t centre_shift;
  std::int64_t n_samples;
  Matrix<float, Exec> traces;

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const auto channel = static_cast<std::uint32_t>(member.league_rank());
    const auto nt = static_cast<std::int64_t>(wPCA.extent(1));
    // The last spikes alone reach the window; within a block, of nt + 1 samples, they are in no order of
    // time.
    for (std::size_t i = n_spikes; i-- > 0;) {
      const FoundSpike& spike = spikes(i);
      const std::int64_t first = spike.centre + centre_shift;  // column of the waveform's first sample
      if (first < -3 * (nt + 1)) break;
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
void load_traces(const Exec& exec, const PlacedTemplates<Exec>& templates, const StoredTraces<Exec>& stored,
                 const WindowExtent& window, const MatchingWorkspace<Exec>& workspace) {
  switch (stored.type) {
    case SampleType::int16:
      return load_as<std::int16_t>(exec, templates, stored, window, workspace);
    case SampleType::uint16:
      return load_as<std::uint16_t>(exec, templates, stored, window, workspace);
    case SampleType::int32:
      return load_as<std::int32_t>(exec, templates, stored, window, workspace);
    case SampleType::float32:
      return load_as<float>(exec, templates, stored, window, workspace);
  }
}

template <class Exec>
void take_out_spikes(const Exec& exec, const PlacedTemplates<Exec>& templates,
                     const Matrix<float, Exec>& wPCA, const Vector<FoundSpike, Exec>& spikes,
                     std::size_t n_spikes, std::int64_t centre_shift, const WindowExtent& window,
                     const MatchingWorkspace<Exec>& workspace) {
  if (n_spikes == 0) return;
  const TakeOutSpikes<Exec> kernel{templates.weights,
                                   wPCA,
                                   templates.footprint_on_device,
                                   spikes,
                                   n_spikes,
                                   centre_shift,
                                   static_cast<std::int64_t>(window.n_samples),
                                   workspace.traces};
  Kokkos::parallel_for(
      "kokkosort::matching::take_out_spikes",
      Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(templates.n_channels), runs_on_host<Exec> ? 1 : 64),
      kernel);
}

#define INSTANTIATE(Exec)                                                                              \
  template void load_traces(const Exec&, const PlacedTemplates<Exec>&, const StoredTraces<Exec>&,      \
                            const WindowExtent&, const MatchingWorkspace<Exec>&);                      \
  template void take_out_spikes(const Exec&, const PlacedTemplates<Exec>&, const Matrix<float, Exec>&, \
                                const Vector<FoundSpike, Exec>&, std::size_t, std::int64_t,            \
                                const WindowExtent&, const MatchingWorkspace<Exec>&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
