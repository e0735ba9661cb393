#include "kokkosort/simulation/blob_features.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "simulation/draws.hpp"

namespace kokkosort {
namespace {

constexpr double dmin_um = 20.0;
constexpr double sampling_rate_hz = 30000.0;

enum Stream : std::uint32_t { times, means, amplitudes, noise };

void place_channels(const BlobOptions& options, SpikeFeatures& features) {
  const auto n_channels = static_cast<std::size_t>(options.sections) * static_cast<std::size_t>(options.channels);
  features.centres.channels = HostMatrix<std::int32_t>("kokkosort::simulation::centre_channels",
                                                       static_cast<std::size_t>(options.sections),
                                                       static_cast<std::size_t>(options.channels));
  features.probe.shank.assign(n_channels, 0);
  for (int s = 0; s < options.sections; ++s) {
    const double y = 2.0 * dmin_um * s;
    features.centres.x_um.push_back(0.0);
    features.centres.y_um.push_back(y + dmin_um - 1.0);
    for (int c = 0; c < options.channels; ++c) {
      features.probe.x_um.push_back(0.0);
      features.probe.y_um.push_back(y + dmin_um * c / options.channels);
      features.centres.channels(s, c) = s * options.channels + c;
    }
  }
}

/// Mean features of each cluster of a section, [clusters · values].
std::vector<double> draw_means(const BlobOptions& options, std::uint32_t section, std::uint32_t n_values) {
  std::vector<double> mean(static_cast<std::size_t>(options.clusters) * n_values);
  for (std::uint32_t c = 0; c < static_cast<std::uint32_t>(options.clusters); ++c) {
    double* const values = &mean[std::size_t{c} * n_values];
    const std::uint32_t step = section * static_cast<std::uint32_t>(options.clusters) + c;
    double square = 0.0;
    for (std::uint32_t v = 0; v < n_values; ++v) {
      values[v] = random_normal(options.seed, means, step, v);
      square += values[v] * values[v];
    }
    const double length = options.amplitude * (0.5 + random_unit(options.seed, amplitudes, step, 0));
    for (std::uint32_t v = 0; v < n_values; ++v) values[v] *= length / std::sqrt(square);
  }
  return mean;
}

void draw_spikes(const BlobOptions& options, std::uint32_t section, const std::vector<std::size_t>& places,
                 SpikeFeatures& features) {
  const auto n_values = static_cast<std::uint32_t>(options.channels * options.pcs);
  const std::vector<double> mean = draw_means(options, section, n_values);
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(options.spikes); ++i) {
    const std::uint32_t step = section * static_cast<std::uint32_t>(options.spikes) + i;
    const std::size_t spike = places[step];
    const double* const center = &mean[std::size_t{i} % static_cast<std::size_t>(options.clusters) * n_values];
    const double scale = 1.0 + options.jitter * random_normal(options.seed, amplitudes, step, 1);
    float* const values = &features.features(spike, 0, 0);
    for (std::uint32_t v = 0; v < n_values; ++v)
      values[v] = static_cast<float>(scale * center[v] + random_normal(options.seed, noise, step, v));
    features.centre(spike) = static_cast<std::int32_t>(section);
  }
}

/// Draws all spike times. @return where each spike stands in order of time
std::vector<std::size_t> draw_times(const BlobOptions& options, SpikeFeatures& features) {
  const std::size_t n = features.n_spikes();
  std::vector<std::int64_t> time(n);
  for (std::size_t i = 0; i < n; ++i)
    time[i] = static_cast<std::int64_t>(random_unit(options.seed, times, static_cast<std::uint32_t>(i), 0) *
                                        options.seconds * sampling_rate_hz);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return time[a] < time[b]; });
  std::vector<std::size_t> places(n);
  for (std::size_t place = 0; place < n; ++place) {
    places[order[place]] = place;
    features.sample(place) = time[order[place]];
  }
  return places;
}

}  // namespace

SpikeFeatures make_blob_features(const BlobOptions& options) {
  const std::size_t n = static_cast<std::size_t>(options.sections) * static_cast<std::size_t>(options.spikes);
  SpikeFeatures features;
  features.sampling_rate_hz = sampling_rate_hz;
  features.dmin_um = dmin_um;
  features.dminx_um = 32.0;
  features.sample = HostVector<std::int64_t>("kokkosort::simulation::sample", n);
  features.centre = HostVector<std::int32_t>("kokkosort::simulation::centre", n);
  features.features = HostTensor3<float>("kokkosort::simulation::features", n, static_cast<std::size_t>(options.channels),
                                         static_cast<std::size_t>(options.pcs));
  place_channels(options, features);
  const std::vector<std::size_t> places = draw_times(options, features);
  for (int s = 0; s < options.sections; ++s) draw_spikes(options, static_cast<std::uint32_t>(s), places, features);
  return features;
}

}  // namespace kokkosort
