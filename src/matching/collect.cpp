#include "matching/collect.hpp"

#include <algorithm>

#include "core/host_loop.hpp"
#include "core/instantiate.hpp"
#include "core/transfers.hpp"

namespace kokkosort {
namespace {

/// Places of the final spikes, by a scan over the blocks; the last block leaves their number in `total`.
template <class Exec>
struct ListSpikes {
  Matrix<const FoundSpike, Exec> found;
  Vector<const std::uint32_t, Exec> n_found;
  Vector<FoundSpike, Exec> spikes;
  Vector<std::uint32_t, Exec> total;  // [1]
  std::int64_t first;                 // centres that are final
  std::int64_t last;

  KOKKOS_INLINE_FUNCTION bool is_final(const FoundSpike& spike) const {
    return spike.centre >= first && spike.centre < last;
  }

  KOKKOS_INLINE_FUNCTION void operator()(const std::uint32_t block, std::uint32_t& place,
                                         const bool is_last) const {
    for (std::uint32_t i = 0; i < n_found(block); ++i) {
      const FoundSpike spike = found(block, i);
      if (!is_final(spike)) continue;
      if (is_last) spikes(place) = spike;
      ++place;
    }
    if (is_last && block + 1 == n_found.extent(0)) total(0) = place;
  }
};

/// Features of one spike a team: the residual's on each channel, plus the template's times the amplitude.
template <class Exec>
struct SpikeFeatureRows {
  Vector<const FoundSpike, Exec> spikes;
  Matrix<const std::int32_t, Exec> channels;
  Matrix<const float, Exec> weights;
  Matrix<const float, Exec> wPCA;
  Matrix<const float, Exec> traces;
  Matrix<float, Exec> features;

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const auto place = static_cast<std::size_t>(member.league_rank());
    const FoundSpike spike = spikes(place);
    const std::size_t n_pcs = wPCA.extent(0);
    const std::size_t nt = wPCA.extent(1);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, features.extent(1)), [&](const std::size_t i) {
      const auto channel = static_cast<std::size_t>(channels(spike.unit, i / n_pcs));
      const std::size_t p = i % n_pcs;
      const float* const x = &traces(channel, spike.centre);
      float sum = 0.0f;
      for (std::size_t s = 0; s < nt; ++s) sum += wPCA(p, s) * x[s];
      features(place, i) = sum + spike.amplitude * weights(channel * n_pcs + p, spike.unit);
    });
  }
};

}  // namespace

template <class Exec>
void list_spikes(const Exec& exec, const WindowExtent& window, std::int64_t first_centre,
                 const MatchingWorkspace<Exec>& workspace, SpikeList<Exec>& list, TransferLedger& ledger) {
  const auto n_blocks = workspace.n_blocks(window);
  // The counts of rounds are read by now.
  const Vector<std::uint32_t, Exec> total(Kokkos::subview(workspace.n_in_round, std::make_pair(0, 1)));
  Kokkos::parallel_scan(
      "kokkosort::matching::list_spikes", Kokkos::RangePolicy<Exec>(exec, 0, n_blocks),
      ListSpikes<Exec>{workspace.found,
                       Vector<const std::uint32_t, Exec>(
                           Kokkos::subview(workspace.n_found, std::make_pair(std::size_t{0}, n_blocks))),
                       list.spikes, total, first_centre - window.first, window.core_end - window.first});
  const HostVector<std::uint32_t> count("kokkosort::matching::count_on_host", 1);
  copy_down(exec, ledger, "matching", "n_spikes", count, total);
  list.count = count(0);
}

/// The listed spikes, in time order.
template <class Exec>
std::vector<FoundSpike> sorted_spikes(const Exec& exec, const SpikeList<Exec>& list,
                                      const FeatureRows<Exec>& rows, TransferLedger& ledger) {
  const std::size_t at_once = rows.spikes_on_host.extent(0);
  std::vector<FoundSpike> spikes;
  spikes.reserve(list.count);
  for (std::size_t first = 0; first < list.count; first += at_once) {
    const std::size_t count = std::min(at_once, list.count - first);
    const auto some = bring_down(
        exec, ledger, "matching", "spikes", rows.spikes_on_host,
        Vector<FoundSpike, Exec>(Kokkos::subview(list.spikes, std::make_pair(first, first + count))));
    spikes.insert(spikes.end(), some.data(), some.data() + count);
  }
  std::stable_sort(spikes.begin(), spikes.end(),
                   [](const FoundSpike& a, const FoundSpike& b) { return a.centre < b.centre; });
  return spikes;
}

template <class Exec>
MatchedSpikes read_spikes(const Exec& exec, const PlacedTemplates<Exec>& templates,
                          const Matrix<float, Exec>& wPCA, const SpikeList<Exec>& list,
                          const FeatureRows<Exec>& rows, const MatchingWorkspace<Exec>& workspace,
                          TransferLedger& ledger) {
  const std::size_t width = rows.features.extent(1);
  MatchedSpikes read;
  read.spikes = sorted_spikes(exec, list, rows, ledger);
  read.features = HostMatrix<float>(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "kokkosort::matching::window_features"), list.count,
      width);
  for (std::size_t first = 0; first < list.count; first += rows.features.extent(0)) {
    const std::size_t count = std::min(rows.features.extent(0), list.count - first);
    const Vector<FoundSpike, Exec> spikes(
        Kokkos::subview(rows.spikes, std::make_pair(std::size_t{0}, count)));
    copy_up(exec, ledger, "matching", "spikes in order", spikes,
            HostVector<const FoundSpike>(read.spikes.data() + first, count));
    Kokkos::parallel_for("kokkosort::matching::spike_features",
                         Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(count), runs_on_host<Exec> ? 1 : 64),
                         SpikeFeatureRows<Exec>{spikes, rows.channels, templates.weights, wPCA,
                                                workspace.traces, rows.features});
    const auto some = bring_down(exec, ledger, "matching", "features", rows.features_on_host,
                                 Vector<float, Exec>(rows.features.data(), count * width));
    host_copy("matching::window_features", some.data(), some.size(), &read.features(first, 0));
  }
  return read;
}

#define INSTANTIATE(Exec)                                                                                   \
  template void list_spikes(const Exec&, const WindowExtent&, std::int64_t, const MatchingWorkspace<Exec>&, \
                            SpikeList<Exec>&, TransferLedger&);                                             \
  template MatchedSpikes read_spikes(const Exec&, const PlacedTemplates<Exec>&, const Matrix<float, Exec>&, \
                                     const SpikeList<Exec>&, const FeatureRows<Exec>&,                      \
                                     const MatchingWorkspace<Exec>&, TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
