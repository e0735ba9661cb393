#include "simulation/layouts.hpp"

#include <array>
#include <cmath>

namespace kokkosort {
namespace {

constexpr int tetrode_channels = 4;
constexpr double shank_distance_um = 250.0;

struct Place {
  double column;  // in spacings
  double row;
};

/// @param channel  of the shank
Place place_of(ProbeLayout layout, int channel, int channels) {
  const auto on_grid = [channel](int columns) {
    return Place{static_cast<double>(channel % columns), static_cast<double>(channel / columns)};
  };
  switch (layout) {
    case ProbeLayout::neuropixels: {  // columns at 0, 16, 32 and 48 µm with rows every 20 µm
      constexpr std::array<double, 4> columns{0.8, 2.4, 0.0, 1.6};
      return {columns[static_cast<std::size_t>(channel % 4)], static_cast<double>(channel / 2)};
    }
    case ProbeLayout::linear:
      return on_grid(1);
    case ProbeLayout::square:
      return on_grid(static_cast<int>(std::ceil(std::sqrt(channels))));
    case ProbeLayout::tetrode:
      return on_grid(2);
  }
  return {};
}

}  // namespace

int count_shanks(const SimulationOptions& options) {
  return options.layout == ProbeLayout::tetrode ? options.channels / tetrode_channels : options.shanks;
}

Probe make_probe(const SimulationOptions& options) {
  const int n_shanks = count_shanks(options);
  const int per_shank = options.channels / n_shanks;
  Probe probe;
  for (int shank = 0; shank < n_shanks; ++shank)
    for (int c = 0; c < per_shank; ++c) {
      const Place place = place_of(options.layout, c, per_shank);
      probe.x_um.push_back(options.spacing_um * place.column + shank_distance_um * shank);
      probe.y_um.push_back(options.spacing_um * place.row);
      probe.shank.push_back(shank);
    }
  return probe;
}

}  // namespace kokkosort
