#include "kokkosort/detection/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>
#include <vector>

#include "kokkosort/errors.hpp"

namespace kokkosort {
namespace {

/// The channels of one shank, and the box around them.
struct Shank {
  std::int32_t number = 0;
  std::vector<double> heights;  // of its channels, ascending
  double x_low = std::numeric_limits<double>::infinity();
  double x_high = -std::numeric_limits<double>::infinity();
};

std::vector<Shank> shanks_of(const Probe& probe) {
  const std::set<std::int32_t> numbers(probe.shank.begin(), probe.shank.end());
  std::vector<Shank> shanks;
  for (const std::int32_t number : numbers) {
    Shank shank;
    shank.number = number;
    for (std::size_t c = 0; c < probe.shank.size(); ++c) {
      if (probe.shank[c] != number) continue;
      shank.heights.push_back(probe.y_um[c]);
      shank.x_low = std::min(shank.x_low, probe.x_um[c]);
      shank.x_high = std::max(shank.x_high, probe.x_um[c]);
    }
    std::sort(shank.heights.begin(), shank.heights.end());
    shanks.push_back(std::move(shank));
  }
  return shanks;
}

/// The median gap between neighbouring heights, of all columns together. Columns that are a little out of
/// line count as level.
double usual_gap(const std::vector<Shank>& shanks) {
  constexpr double level_um = 2.0;
  constexpr double where_all_are_level = 20.0;
  std::vector<double> gaps;
  for (const Shank& shank : shanks) {
    double below = shank.heights.front();
    for (const double y : shank.heights) {
      if (y - below < level_um) continue;
      gaps.push_back(y - below);
      below = y;
    }
  }
  if (gaps.empty()) return where_all_are_level;
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  return *middle;
}

/// How many steps fit, and one.
double count_places(double low, double high, double step) {
  constexpr double rounding = 1e-6;
  return std::floor((high - low) / step + rounding) + 1.0;
}

void refuse_too_many(const std::vector<Shank>& shanks, double dmin, double dminx) {
  constexpr double most = 5e4;  // thirty times those of a Neuropixels probe
  double n = 0.0;
  for (const Shank& shank : shanks)
    n += count_places(shank.heights.front(), shank.heights.back(), dmin / 2.0) *
         count_places(shank.x_low, shank.x_high, dminx / 2.0);
  if (!(n <= most))
    throw InputError(
        fmt::format("detection.dmin_um = {} and detection.dminx_um = {} would make {:.0f} detection "
                    "centres, more than {:.0f}; raise them",
                    dmin, dminx, n, most));
}

struct Centre {
  double x;
  double y;
  std::int32_t shank;
};

double distance(const Probe& probe, std::size_t channel, const Centre& centre) {
  return std::hypot(probe.x_um[channel] - centre.x, probe.y_um[channel] - centre.y);
}

/// The channels nearest to a centre: those of its shank first, ties to the smaller.
std::vector<std::int32_t> nearest_channels(const Probe& probe, const Centre& centre, std::size_t rows) {
  std::vector<std::tuple<bool, double, std::int32_t>> keys;
  for (std::size_t c = 0; c < probe.x_um.size(); ++c)
    keys.emplace_back(probe.shank[c] != centre.shank, distance(probe, c, centre),
                      static_cast<std::int32_t>(c));
  const auto end = keys.begin() + static_cast<std::ptrdiff_t>(rows);
  std::partial_sort(keys.begin(), end, keys.end());
  std::vector<std::int32_t> channels;
  for (auto key = keys.begin(); key != end; ++key) channels.push_back(std::get<2>(*key));
  return channels;
}

/// The channels that a centre's scores are sums of.
struct CentreRows {
  Centre centre;
  std::vector<std::int32_t> channels;
};

std::vector<CentreRows> place_centres(const Probe& probe, const std::vector<Shank>& shanks, double dmin,
                                      double dminx, const DetectionOptions& options) {
  const std::size_t rows = std::min(static_cast<std::size_t>(options.feature_channels), probe.x_um.size());
  std::vector<CentreRows> centres;
  for (const Shank& shank : shanks) {
    const double n_y = count_places(shank.heights.front(), shank.heights.back(), dmin / 2.0);
    const double n_x = count_places(shank.x_low, shank.x_high, dminx / 2.0);
    for (double j = 0.0; j < n_y; ++j)
      for (double i = 0.0; i < n_x; ++i) {
        const Centre centre{shank.x_low + i * dminx / 2.0, shank.heights.front() + j * dmin / 2.0,
                            shank.number};
        std::vector<std::int32_t> channels = nearest_channels(probe, centre, rows);
        if (distance(probe, static_cast<std::size_t>(channels.front()), centre) <= options.max_channel_um)
          centres.push_back({centre, std::move(channels)});
      }
  }
  return centres;
}

void set_weights(const Probe& probe, const CentreRows& at, double smallest_um, std::size_t n,
                 const HostTensor3<float>& weights) {
  const double nearest = distance(probe, static_cast<std::size_t>(at.channels.front()), at.centre);
  for (std::size_t k = 0; k < weights.extent(1); ++k) {
    const double scale = smallest_um * static_cast<double>(k + 1);
    std::vector<double> values;
    for (const std::int32_t channel : at.channels) {
      const auto c = static_cast<std::size_t>(channel);
      const double d = distance(probe, c, at.centre);
      // Less the nearest's, which the norm takes out again: it could be too far for any weight at all.
      values.push_back(
          probe.shank[c] == at.centre.shank ? std::exp((nearest * nearest - d * d) / (scale * scale)) : 0.0);
    }
    const double norm = std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
    for (std::size_t row = 0; row < values.size(); ++row)
      weights(n, k, row) = static_cast<float>(values[row] / norm);
  }
}

/// Universal templates at centres this many of their largest scale apart have less than a thousandth in
/// common.
constexpr double reach_in_scales = 4.0;

/// The nearest centres of the same shank, in reach; ties to the smaller.
void set_neighbours(const std::vector<CentreRows>& centres, std::size_t n, double reach,
                    const HostMatrix<std::int32_t>& neighbours) {
  const Centre& centre = centres[n].centre;
  std::vector<std::pair<double, std::int32_t>> keys;
  const auto add = [&](std::size_t i) {
    const Centre& other = centres[i].centre;
    const double d = std::hypot(other.x - centre.x, other.y - centre.y);
    if (d <= reach) keys.emplace_back(d, static_cast<std::int32_t>(i));
  };
  // A shank's centres are in order of height.
  const auto is_near = [&](std::size_t i) {
    return centres[i].centre.shank == centre.shank && std::abs(centres[i].centre.y - centre.y) <= reach;
  };
  for (std::size_t i = n; i < centres.size() && is_near(i); ++i) add(i);
  for (std::size_t i = n; i > 0 && is_near(i - 1); --i) add(i - 1);
  const std::size_t count = std::min(keys.size(), neighbours.extent(1));
  std::partial_sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count), keys.end());
  for (std::size_t i = 0; i < neighbours.extent(1); ++i) neighbours(n, i) = i < count ? keys[i].second : -1;
}

}  // namespace

DetectionGrid make_detection_grid(const Probe& probe, const DetectionOptions& options) {
  const std::vector<Shank> shanks = shanks_of(probe);
  DetectionGrid grid;
  grid.dmin_um = options.dmin_um > 0.0 ? options.dmin_um : usual_gap(shanks);
  grid.dminx_um = options.dminx_um;
  refuse_too_many(shanks, grid.dmin_um, grid.dminx_um);
  const std::vector<CentreRows> centres = place_centres(probe, shanks, grid.dmin_um, grid.dminx_um, options);
  if (centres.empty())
    throw InputError(
        fmt::format("no place of the detection grid has a channel within detection.max_channel_um = {}; "
                    "raise it, or lower detection.dmin_um = {} and detection.dminx_um = {}",
                    options.max_channel_um, grid.dmin_um, grid.dminx_um));

  const std::size_t n = centres.size();
  const std::size_t rows = centres.front().channels.size();
  const std::size_t n_neighbours = std::min(static_cast<std::size_t>(options.nearest_centres), n);
  const double reach = reach_in_scales * options.smallest_scale_um * options.scales;
  grid.centres.channels = HostMatrix<std::int32_t>("kokkosort::detection::centre_channels_on_host", n, rows);
  grid.weights = HostTensor3<float>("kokkosort::detection::centre_weights_on_host", n,
                                    static_cast<std::size_t>(options.scales), rows);
  grid.neighbours =
      HostMatrix<std::int32_t>("kokkosort::detection::centre_neighbours_on_host", n, n_neighbours);
  for (std::size_t i = 0; i < n; ++i) {
    grid.centres.x_um.push_back(centres[i].centre.x);
    grid.centres.y_um.push_back(centres[i].centre.y);
    std::copy(centres[i].channels.begin(), centres[i].channels.end(), &grid.centres.channels(i, 0));
    set_weights(probe, centres[i], options.smallest_scale_um, i, grid.weights);
    set_neighbours(centres, i, reach, grid.neighbours);
  }
  return grid;
}

}  // namespace kokkosort
