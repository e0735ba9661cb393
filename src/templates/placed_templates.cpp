#include "kokkosort/templates/placed_templates.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>

#include "core/host_loop.hpp"
#include "core/instantiate.hpp"
#include "core/transfers.hpp"
#include "kokkosort/errors.hpp"
#include "templates/template_energy.hpp"

namespace kokkosort {
namespace {

constexpr std::size_t word_bits = 64;

std::vector<std::int32_t> channels_along(const Probe& probe) {
  std::vector<std::int32_t> channel_at(probe.x_um.size());
  std::iota(channel_at.begin(), channel_at.end(), 0);
  const auto key = [&probe](std::int32_t channel) {
    const auto c = static_cast<std::size_t>(channel);
    return std::tuple(probe.shank[c], probe.y_um[c], probe.x_um[c]);
  };
  std::stable_sort(channel_at.begin(), channel_at.end(),
                   [&key](std::int32_t a, std::int32_t b) { return key(a) < key(b); });
  return channel_at;
}

/// The places of channels where a template is not zero, ascending.
std::vector<std::uint32_t> footprint_of(const HostTensor3<float>& templates, std::size_t k,
                                        const std::vector<std::int32_t>& channel_at) {
  std::vector<std::uint32_t> places;
  for (std::size_t place = 0; place < channel_at.size(); ++place)
    if (is_on_channel(templates, k, static_cast<std::size_t>(channel_at[place])))
      places.push_back(static_cast<std::uint32_t>(place));
  return places;
}

/// Likewise of all templates.
std::vector<std::vector<std::uint32_t>> find_footprints(const HostTensor3<float>& templates,
                                                        const std::vector<std::int32_t>& channel_at) {
  std::vector<std::vector<std::uint32_t>> places(templates.extent(0));
  host_loop("templates::footprints", places.size(),
            [&](const std::size_t k) { places[k] = footprint_of(templates, k, channel_at); });
  for (std::size_t k = 0; k < places.size(); ++k)
    if (places[k].empty())
      throw InputError("template " + std::to_string(k) + " is zero on all channels; leave it out");
  return places;
}

std::vector<std::uint64_t> bits_of(const std::vector<std::uint32_t>& places, std::size_t n_channels) {
  std::vector<std::uint64_t> words((n_channels + word_bits - 1) / word_bits, 0);
  for (const std::uint32_t place : places) words[place / word_bits] |= std::uint64_t{1} << place % word_bits;
  return words;
}

/// Host arrays of what goes up.
struct PackedTemplates {
  HostMatrix<float> weights;
  std::vector<float> energy;
  std::vector<float> inverse_energy;
};

PackedTemplates pack(const HostTensor3<float>& templates, const std::vector<std::int32_t>& channel_at,
                     const std::vector<std::int32_t>& template_at) {
  const std::size_t n_pcs = templates.extent(2);
  PackedTemplates packed;
  packed.weights = HostMatrix<float>(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "kokkosort::templates::packed_weights"),
      channel_at.size() * n_pcs, template_at.size());
  host_loop("templates::pack", channel_at.size(), [&](const std::size_t place) {
    for (std::size_t unit = 0; unit < template_at.size(); ++unit)
      for (std::size_t p = 0; p < n_pcs; ++p)
        packed.weights(place * n_pcs + p, unit) = templates(static_cast<std::size_t>(template_at[unit]),
                                                            static_cast<std::size_t>(channel_at[place]), p);
  });
  packed.energy.resize(template_at.size());
  packed.inverse_energy.resize(template_at.size());
  host_loop("templates::energies", template_at.size(), [&](const std::size_t unit) {
    double energy = 0.0;
    for (const std::int32_t channel : channel_at)
      energy += channel_energy(templates, static_cast<std::size_t>(template_at[unit]),
                               static_cast<std::size_t>(channel));
    packed.energy[unit] = static_cast<float>(energy);
    packed.inverse_energy[unit] = static_cast<float>(1.0 / energy);
  });
  return packed;
}

}  // namespace

bool TemplateLayout::meet(std::size_t i, std::size_t j) const {
  for (std::size_t word = 0; word < channel_bits[i].size(); ++word)
    if ((channel_bits[i][word] & channel_bits[j][word]) != 0) return true;
  return false;
}

TemplateLayout lay_out_templates(const Probe& probe, const HostTensor3<float>& templates) {
  if (templates.extent(0) == 0) throw InputError("there are no templates");
  TemplateLayout layout;
  layout.n_templates = templates.extent(0);
  layout.n_channels = templates.extent(1);
  layout.n_pcs = templates.extent(2);
  layout.channel_at = channels_along(probe);

  const std::vector<std::vector<std::uint32_t>> places = find_footprints(templates, layout.channel_at);
  layout.template_at.resize(layout.n_templates);
  std::iota(layout.template_at.begin(), layout.template_at.end(), 0);
  const auto middle = [&places](std::int32_t k) {
    const auto& footprint = places[static_cast<std::size_t>(k)];
    return footprint.front() + footprint.back();
  };
  std::stable_sort(layout.template_at.begin(), layout.template_at.end(),
                   [&middle](std::int32_t a, std::int32_t b) { return middle(a) < middle(b); });
  for (const std::int32_t k : layout.template_at) {
    const auto& footprint = places[static_cast<std::size_t>(k)];
    layout.footprints.push_back({footprint.front(), footprint.back() + 1});
    layout.channel_bits.push_back(bits_of(footprint, layout.n_channels));
  }
  return layout;
}

template <class Exec>
PlacedTemplates<Exec> place_templates(const Exec& exec, const Probe& probe,
                                      const HostTensor3<float>& templates, TransferLedger& ledger) {
  PlacedTemplates<Exec> placed;
  static_cast<TemplateLayout&>(placed) = lay_out_templates(probe, templates);
  const PackedTemplates packed = pack(templates, placed.channel_at, placed.template_at);
  placed.weights = upload_matrix(exec, ledger, "templates", "weights", packed.weights);
  placed.energy = upload_vector(exec, ledger, "templates", "energy", packed.energy);
  placed.inverse_energy = upload_vector(exec, ledger, "templates", "inverse_energy", packed.inverse_energy);
  placed.channel_on_device = upload_vector(exec, ledger, "templates", "channel_at", placed.channel_at);
  placed.footprint_on_device = upload_vector(exec, ledger, "templates", "footprints", placed.footprints);
  return placed;
}

#define INSTANTIATE(Exec)                                                                              \
  template PlacedTemplates<Exec> place_templates(const Exec&, const Probe&, const HostTensor3<float>&, \
                                                 TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
