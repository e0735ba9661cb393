#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "kokkosort/types.hpp"

namespace kokkosort {

/// Σ U² of template k on a channel, in double precision.
/// @param templates  [templates, channels, pcs]
inline double channel_energy(const HostTensor3<float>& templates, std::size_t k, std::size_t channel) {
  double energy = 0.0;
  for (std::size_t p = 0; p < templates.extent(2); ++p)
    energy += static_cast<double>(templates(k, channel, p)) * static_cast<double>(templates(k, channel, p));
  return energy;
}

/// Whether template k has any weight on a channel: most have on few.
inline bool is_on_channel(const HostTensor3<float>& templates, std::size_t k, std::size_t channel) {
  for (std::size_t p = 0; p < templates.extent(2); ++p)
    if (templates(k, channel, p) != 0.0f) return true;
  return false;
}

/// The channel of largest energy, ties to the smaller.
inline std::size_t largest_channel(const HostTensor3<float>& templates, std::size_t k) {
  std::size_t largest = 0;
  double most = -1.0;
  for (std::size_t channel = 0; channel < templates.extent(1); ++channel) {
    const double energy = channel_energy(templates, k, channel);
    if (!(energy > most)) continue;
    most = energy;
    largest = channel;
  }
  return largest;
}

/// The channels on which template k is not zero, in order.
inline std::vector<std::size_t> channels_of_template(const HostTensor3<float>& templates, std::size_t k) {
  std::vector<std::size_t> channels;
  for (std::size_t channel = 0; channel < templates.extent(1); ++channel)
    if (is_on_channel(templates, k, channel)) channels.push_back(channel);
  return channels;
}

/// ‖U‖, summed in the order of channels and components.
inline double template_norm(const HostTensor3<float>& templates, std::size_t k) {
  double energy = 0.0;
  for (std::size_t channel = 0; channel < templates.extent(1); ++channel)
    for (std::size_t p = 0; p < templates.extent(2); ++p)
      energy += static_cast<double>(templates(k, channel, p)) * static_cast<double>(templates(k, channel, p));
  return std::sqrt(energy);
}

}  // namespace kokkosort
