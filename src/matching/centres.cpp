#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "kokkosort/matching/match.hpp"
#include "templates/template_energy.hpp"

namespace kokkosort {
namespace {

/// Channels by distance from one of them.
std::vector<std::int32_t> channels_around(const Probe& probe, std::size_t centre) {
  std::vector<std::int32_t> channels(probe.x_um.size());
  std::iota(channels.begin(), channels.end(), 0);
  const auto key = [&probe, centre](std::int32_t channel) {
    const auto c = static_cast<std::size_t>(channel);
    return std::tuple(probe.shank[c] != probe.shank[centre],
                      std::hypot(probe.x_um[c] - probe.x_um[centre], probe.y_um[c] - probe.y_um[centre]), c);
  };
  std::sort(channels.begin(), channels.end(),
            [&key](std::int32_t a, std::int32_t b) { return key(a) < key(b); });
  return channels;
}

}  // namespace

DetectionCentres template_centres(const Probe& probe, const HostTensor3<float>& templates, int rows) {
  const std::size_t n_rows = std::min(static_cast<std::size_t>(rows), probe.x_um.size());
  DetectionCentres centres;
  centres.channels =
      HostMatrix<std::int32_t>("kokkosort::matching::centre_channels", templates.extent(0), n_rows);
  for (std::size_t k = 0; k < templates.extent(0); ++k) {
    const std::size_t largest = largest_channel(templates, k);
    const std::vector<std::int32_t> around = channels_around(probe, largest);
    std::copy_n(around.begin(), n_rows, &centres.channels(k, 0));
    centres.x_um.push_back(probe.x_um[largest]);
    centres.y_um.push_back(probe.y_um[largest]);
  }
  return centres;
}

}  // namespace kokkosort
