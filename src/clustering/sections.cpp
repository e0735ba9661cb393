#include "kokkosort/clustering/sections.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace kokkosort {
namespace {

/// Section centres of one shank: a regular grid, so that the nearest is found by rounding.
struct SectionGrid {
  double y_first = 0.0;
  double y_step = 1.0;
  std::int64_t n_y = 1;
  double x_first = 0.0;
  double x_step = 1.0;
  std::int64_t n_x = 1;
};

std::int64_t nearest(double value, double first, double step, std::int64_t count) {
  // Halfway goes to the lower centre.
  const double place = std::ceil((value - first) / step - 0.5);
  return static_cast<std::int64_t>(std::clamp(place, 0.0, static_cast<double>(count - 1)));
}

/// The grid follows the shank's channels, not the spikes, so that every group of a recording has the same sections.
SectionGrid make_grid(const SpikeFeatures& spikes, std::int32_t shank) {
  const Probe& probe = spikes.probe;
  double x_low = std::numeric_limits<double>::infinity();
  double x_high = -x_low;
  double y_low = x_low;
  double y_high = -x_low;
  for (std::size_t channel = 0; channel < probe.shank.size(); ++channel) {
    if (probe.shank[channel] != shank) continue;
    x_low = std::min(x_low, probe.x_um[channel]);
    x_high = std::max(x_high, probe.x_um[channel]);
    y_low = std::min(y_low, probe.y_um[channel]);
    y_high = std::max(y_high, probe.y_um[channel]);
  }

  SectionGrid grid;
  grid.y_step = 2.0 * spikes.dmin_um;
  grid.y_first = y_low + spikes.dmin_um - 1.0;
  const double y_span = y_high + spikes.dmin_um + 1.0 - grid.y_first;
  grid.n_y = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(y_span / grid.y_step)));

  // Columns closer together than a section is wide share one section; a wide grid gets several.
  const double x_span = x_high - x_low;
  const double wanted_step = 2.0 * spikes.dminx_um;
  grid.n_x = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::round(x_span / wanted_step)));
  grid.x_step = std::max(x_span / static_cast<double>(grid.n_x), wanted_step * 1e-3);
  grid.x_first = x_low + 0.5 * x_span / static_cast<double>(grid.n_x);
  return grid;
}

/// The shank of a centre is that of its nearest channel.
std::vector<std::int32_t> shank_of_centres(const SpikeFeatures& spikes) {
  std::vector<std::int32_t> shanks(spikes.centres.x_um.size());
  for (std::size_t c = 0; c < shanks.size(); ++c) {
    double nearest_distance = std::numeric_limits<double>::infinity();
    for (std::size_t row = 0; row < spikes.centres.channels.extent(1); ++row) {
      const auto channel = static_cast<std::size_t>(spikes.centres.channels(c, row));
      const double distance = std::hypot(spikes.probe.x_um[channel] - spikes.centres.x_um[c],
                                         spikes.probe.y_um[channel] - spikes.centres.y_um[c]);
      if (distance < nearest_distance) {
        nearest_distance = distance;
        shanks[c] = spikes.probe.shank[channel];
      }
    }
  }
  return shanks;
}

using SectionKey = std::tuple<std::int32_t, std::int64_t, std::int64_t>;  // shank, column, row of the grid

std::vector<SectionKey> section_of_centres(const SpikeFeatures& spikes, std::map<std::int32_t, SectionGrid>& grids) {
  const std::vector<std::int32_t> shanks = shank_of_centres(spikes);
  std::vector<SectionKey> keys(shanks.size());
  for (std::size_t c = 0; c < shanks.size(); ++c) {
    const auto [place, is_new] = grids.try_emplace(shanks[c]);
    SectionGrid& grid = place->second;
    if (is_new) grid = make_grid(spikes, shanks[c]);
    keys[c] = {shanks[c], nearest(spikes.centres.x_um[c], grid.x_first, grid.x_step, grid.n_x),
               nearest(spikes.centres.y_um[c], grid.y_first, grid.y_step, grid.n_y)};
  }
  return keys;
}

}  // namespace

std::vector<Section> make_sections(const SpikeFeatures& spikes) {
  std::map<std::int32_t, SectionGrid> grids;
  const std::vector<SectionKey> keys = section_of_centres(spikes, grids);

  std::map<SectionKey, std::size_t> place;
  for (const SectionKey& key : keys) place.emplace(key, 0);
  std::vector<Section> sections;
  std::vector<std::set<std::int32_t>> channels(place.size());
  for (auto& [key, index] : place) {
    const auto& [shank, column, row] = key;
    const SectionGrid& grid = grids[shank];
    index = sections.size();
    sections.push_back({shank, grid.x_first + grid.x_step * static_cast<double>(column),
                        grid.y_first + grid.y_step * static_cast<double>(row), {}, {}});
  }
  for (std::size_t c = 0; c < keys.size(); ++c)
    for (std::size_t row = 0; row < spikes.centres.channels.extent(1); ++row)
      channels[place[keys[c]]].insert(spikes.centres.channels(c, row));

  std::vector<std::size_t> section_of(keys.size());
  for (std::size_t c = 0; c < keys.size(); ++c) section_of[c] = place[keys[c]];
  for (std::size_t i = 0; i < spikes.n_spikes(); ++i)
    sections[section_of[static_cast<std::size_t>(spikes.centre(i))]].spikes.push_back(static_cast<std::int64_t>(i));

  for (std::size_t s = 0; s < sections.size(); ++s)
    sections[s].channels.assign(channels[s].begin(), channels[s].end());
  std::erase_if(sections, [](const Section& section) { return section.spikes.empty(); });
  return sections;
}

}  // namespace kokkosort
