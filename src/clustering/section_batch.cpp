#include "kokkosort/clustering/section_batch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/find_outside.hpp"
#include "core/host_loop.hpp"
#include "core/instantiate.hpp"
#include "core/transfers.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort {
namespace {

std::uint32_t round_up(std::uint32_t n, std::uint32_t multiple) { return (n + multiple - 1) / multiple * multiple; }

/// Names host memory that is first touched by all threads, as it is packed.
auto named(const std::string& what) {
  return Kokkos::view_alloc(Kokkos::WithoutInitializing, "kokkosort::clustering::packed_" + what);
}

/// The spikes of the batch in host memory, in the order of its columns.
struct PackedSpikes {
  HostVector<std::uint32_t> section_of;
  HostVector<std::int64_t> sample;
  HostVector<std::int32_t> centre;
  HostMatrix<float> features;

  PackedSpikes(std::size_t n_columns, std::size_t n_values)
      : section_of(named("section_of"), n_columns),
        sample(named("sample"), n_columns),
        centre(named("centre"), n_columns),
        features(named("features"), n_columns, n_values) {}
};

/// What is not finite has no distances, and squares of what is larger exceed a float.
void check_features(const SpikeFeatures& spikes, std::size_t spike, const float* features, std::size_t n) {
  constexpr float largest = 1e15f;
  const std::size_t place = find_outside(features, n, largest);
  if (place == n) return;
  throw InputError(
      fmt::format("the spike at sample {} has a feature of {:g}, with which nothing can be clustered; are there "
                  "samples far beyond all others?",
                  spikes.sample(spike), features[place]));
}

void pack_section(const SpikeFeatures& spikes, const Section& section, const SectionExtent& extent, std::uint32_t place,
                  PackedSpikes& packed) {
  const std::size_t n_values = packed.features.extent(1);
  for (std::uint32_t i = 0; i < extent.stride; ++i) packed.section_of(extent.first_spike + i) = place;
  for (std::uint32_t i = 0; i < extent.n_spikes; ++i) {
    const auto spike = static_cast<std::size_t>(section.spikes[i]);
    const std::size_t column = extent.first_spike + i;
    packed.sample(column) = spikes.sample(spike);
    packed.centre(column) = spikes.centre(spike);
    std::copy_n(&spikes.features(spike, 0, 0), n_values, &packed.features(column, 0));
    check_features(spikes, spike, &packed.features(column, 0), n_values);
  }
  for (std::size_t column = extent.first_spike + extent.n_spikes; column < extent.first_spike + extent.stride; ++column) {
    packed.sample(column) = 0;
    packed.centre(column) = 0;
    std::fill_n(&packed.features(column, 0), n_values, 0.0f);
  }
}

HostMatrix<std::int32_t> make_channel_slots(const std::vector<Section>& sections, std::size_t first, std::size_t last,
                                            std::size_t n_channels) {
  HostMatrix<std::int32_t> slots("kokkosort::clustering::packed_channel_slot", last - first, n_channels);
  std::fill_n(slots.data(), slots.size(), -1);
  for (std::size_t s = first; s < last; ++s)
    for (std::size_t slot = 0; slot < sections[s].channels.size(); ++slot)
      slots(s - first, static_cast<std::size_t>(sections[s].channels[slot])) = static_cast<std::int32_t>(slot);
  return slots;
}

template <class T, class Exec, class Host>
Vector<T, Exec> upload(const Exec& exec, TransferLedger& ledger, const std::string& what, const Host& from) {
  Vector<T, Exec> to(unfilled(exec, "kokkosort::clustering::" + what), from.extent(0));
  copy_up(exec, ledger, "clustering", what, to, from);
  return to;
}

}  // namespace

SectionExtent section_extent(const Section& section, std::uint32_t key, std::size_t n_pcs,
                             const ClusteringOptions& options) {
  const auto n = static_cast<std::uint32_t>(section.spikes.size());
  const auto stride = static_cast<std::uint32_t>(options.neighbours.subset_stride);
  const std::uint32_t strided = (n + stride - 1) / stride;
  const auto fewest = std::min(static_cast<std::uint32_t>(options.neighbours.min_subset), n);
  const auto most = static_cast<std::uint32_t>(options.neighbours.max_subset);

  SectionExtent extent{};
  extent.key = key;
  extent.n_spikes = n;
  extent.stride = round_up(n, column_padding);
  extent.n_features = static_cast<std::uint32_t>(section.channels.size() * n_pcs);
  extent.n_subset = std::min(std::max(strided, fewest), most);
  extent.subset_stride = extent.n_subset == strided ? stride : 0;
  extent.n_seeds = std::clamp(n / static_cast<std::uint32_t>(options.seeding.spikes_per_seed), 1u,
                              static_cast<std::uint32_t>(options.seeding.seeds));
  return extent;
}

template <class Exec>
SectionBatch<Exec> upload_sections(const Exec& exec, const SpikeFeatures& spikes,
                                   const std::vector<Section>& sections, std::size_t first, std::size_t last,
                                   const ClusteringOptions& options, TransferLedger& ledger) {
  SectionBatch<Exec> batch;
  std::size_t n_points = 0;
  for (std::size_t s = first; s < last; ++s) {
    SectionExtent extent = section_extent(sections[s], static_cast<std::uint32_t>(s), spikes.n_pcs(), options);
    extent.first_spike = batch.n_columns;
    extent.first_subset = batch.n_subset;
    extent.first_point = n_points;
    extent.first_subset_point = batch.n_subset_points;
    batch.n_columns += extent.stride;
    batch.n_subset += extent.n_subset;
    n_points += std::size_t{extent.n_features} * extent.stride;
    batch.n_subset_points += std::size_t{extent.n_features} * extent.n_subset;
    batch.extents.push_back(extent);
  }

  PackedSpikes packed(batch.n_columns, spikes.n_rows() * spikes.n_pcs());
  host_loop("clustering::pack", last - first, [&](const std::size_t place) {
    pack_section(spikes, sections[first + place], batch.extents[place], static_cast<std::uint32_t>(place), packed);
  });
  const HostMatrix<std::int32_t> slots = make_channel_slots(sections, first, last, spikes.n_channels());
  const HostVector<SectionExtent> extents("kokkosort::clustering::packed_extents", batch.extents.size());
  std::copy(batch.extents.begin(), batch.extents.end(), extents.data());

  batch.sections = upload<SectionExtent>(exec, ledger, "sections", extents);
  batch.section_of = upload<std::uint32_t>(exec, ledger, "section_of", packed.section_of);
  batch.sample = upload<std::int64_t>(exec, ledger, "sample", packed.sample);
  batch.centre = upload<std::int32_t>(exec, ledger, "centre", packed.centre);
  batch.features = upload_matrix(exec, ledger, "clustering", "features", packed.features);
  batch.centre_channels = upload_matrix(exec, ledger, "clustering", "centre_channels", spikes.centres.channels);
  batch.channel_slot = upload_matrix(exec, ledger, "clustering", "channel_slot", slots);
  batch.points = Vector<float, Exec>(unfilled(exec, "kokkosort::clustering::points"), n_points);
  exec.fence("kokkosort::clustering::upload");  // the packed arrays end here
  return batch;
}

template <class Exec>
void embed_points(const Exec& exec, const SectionBatch<Exec>& batch, const Vector<std::uint32_t, Exec>& order) {
  const auto points = batch.points;
  const auto sections = batch.sections;
  const auto section_of = batch.section_of;
  const auto centre = batch.centre;
  const auto features = batch.features;
  const auto centre_channels = batch.centre_channels;
  const auto channel_slot = batch.channel_slot;
  const bool reordered = order.extent(0) > 0;
  const auto n_rows = static_cast<std::uint32_t>(centre_channels.extent(1));
  const auto n_pcs = static_cast<std::uint32_t>(features.extent(1) / n_rows);

  Kokkos::deep_copy(exec, points, 0.0f);
  Kokkos::parallel_for(
      "kokkosort::clustering::embed_points", Kokkos::RangePolicy<Exec>(exec, 0, batch.n_columns),
      KOKKOS_LAMBDA(const std::uint32_t column) {
        const std::uint32_t s = section_of(column);
        const SectionExtent& section = sections(s);
        const std::uint32_t place = column - section.first_spike;
        if (place >= section.n_spikes) return;
        const std::uint32_t spike = reordered ? section.first_spike + order(column) : column;
        for (std::uint32_t row = 0; row < n_rows; ++row) {
          const std::int32_t slot = channel_slot(s, centre_channels(centre(spike), row));
          if (slot < 0) continue;
          float* const to =
              &points(section.first_point + static_cast<std::size_t>(slot) * n_pcs * section.stride + place);
          for (std::uint32_t pc = 0; pc < n_pcs; ++pc) to[std::size_t{pc} * section.stride] = features(spike, row * n_pcs + pc);
        }
      });
}

#define INSTANTIATE(Exec)                                                                                       \
  template SectionBatch<Exec> upload_sections(const Exec&, const SpikeFeatures&, const std::vector<Section>&,   \
                                              std::size_t, std::size_t, const ClusteringOptions&, TransferLedger&); \
  template void embed_points(const Exec&, const SectionBatch<Exec>&, const Vector<std::uint32_t, Exec>&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
