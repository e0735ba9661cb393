#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kokkosort/spike_features.hpp"
#include "kokkosort/transfer_ledger.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// Places [first, last) along the probe.
struct PlaceRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;

  std::uint32_t size() const { return last - first; }
};

/// Where templates lie. Channels and templates are numbered by their place along the probe (shank, then y,
/// then x), so that a footprint, the channels where a template is not zero, lies within a short range of
/// channels and neighbouring templates share most of theirs. In this project's device code `channel` and
/// `unit` are such places.
struct TemplateLayout {
  std::size_t n_templates = 0;
  std::size_t n_channels = 0;
  std::size_t n_pcs = 0;
  std::vector<std::int32_t> channel_at;   // [channels], the probe's channel at each place
  std::vector<std::int32_t> template_at;  // [templates], the user's template at each place
  std::vector<PlaceRange> footprints;  // [templates], the shortest range of channels that holds the footprint
  std::vector<std::vector<std::uint64_t>>
      channel_bits;  // [templates], the footprint itself, 64 channels a word

  /// Whether two templates share a channel.
  bool meet(std::size_t i, std::size_t j) const;
};

/// @param templates  [templates, channels, pcs]
/// @throws InputError if there is no template, or one is zero on all channels, which it names by its index
TemplateLayout lay_out_templates(const Probe& probe, const HostTensor3<float>& templates);

/// Templates on the device, as placed.
template <class Exec>
struct PlacedTemplates : TemplateLayout {
  Matrix<float, Exec> weights;                   // [channels · pcs, templates], feature-major
  Vector<float, Exec> energy;                    // [templates], ‖U‖²
  Vector<float, Exec> inverse_energy;            // [templates], 1 / ‖U‖²
  Vector<std::int32_t, Exec> channel_on_device;  // [channels], channel_at
  Vector<PlaceRange, Exec> footprint_on_device;  // [templates]
};

/// Brings templates to the device.
///
/// @param templates  [templates, channels, pcs], in standard deviations of the noise
/// @throws InputError as lay_out_templates does
template <class Exec>
PlacedTemplates<Exec> place_templates(const Exec& exec, const Probe& probe,
                                      const HostTensor3<float>& templates, TransferLedger& ledger);

}  // namespace kokkosort
