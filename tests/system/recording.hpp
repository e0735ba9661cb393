#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "kokkosort/spike_features.hpp"

namespace kokkosort::test {

inline constexpr double channel_pitch_um = 20.0;
inline constexpr double sampling_rate_hz = 30000.0;

/// A recording whose spikes' neurons are known.
struct Recording {
  SpikeFeatures spikes;
  std::vector<std::int32_t> unit;  // [spikes]
};

struct PlantedSpike {
  std::int64_t sample;
  std::int32_t centre;
  std::int32_t unit;
  std::vector<float> values;  // [rows · pcs]
};

/// A probe with a detection centre on every channel, seen on the `rows` channels nearest to it (ties to the
/// smaller index). Sections are 40 µm high: two channels of a column.
inline SpikeFeatures place_channels(const Probe& probe, std::size_t rows) {
  SpikeFeatures features;
  features.sampling_rate_hz = sampling_rate_hz;
  features.dmin_um = channel_pitch_um;
  features.dminx_um = 32.0;
  features.probe = probe;
  features.centres.x_um = probe.x_um;
  features.centres.y_um = probe.y_um;
  const std::size_t n = probe.x_um.size();
  features.centres.channels = HostMatrix<std::int32_t>("kokkosort::test::channels", n, rows);
  for (std::size_t centre = 0; centre < n; ++centre) {
    std::vector<std::int32_t> nearest(n);
    std::iota(nearest.begin(), nearest.end(), 0);
    const auto distance = [&](std::int32_t channel) {
      const auto c = static_cast<std::size_t>(channel);
      return std::hypot(probe.x_um[c] - probe.x_um[centre], probe.y_um[c] - probe.y_um[centre]);
    };
    std::stable_sort(nearest.begin(), nearest.end(),
                     [&](std::int32_t a, std::int32_t b) { return distance(a) < distance(b); });
    std::copy_n(nearest.begin(), rows, &features.centres.channels(centre, 0));
  }
  return features;
}

/// One column of channels.
inline SpikeFeatures column_layout(std::size_t n_channels, std::size_t rows) {
  Probe probe;
  for (std::size_t c = 0; c < n_channels; ++c) {
    probe.x_um.push_back(0.0);
    probe.y_um.push_back(channel_pitch_um * static_cast<double>(c));
    probe.shank.push_back(0);
  }
  return place_channels(probe, rows);
}

/// Puts spikes, in any order, onto a layout.
inline Recording record(SpikeFeatures layout, std::size_t n_pcs, std::vector<PlantedSpike> spikes) {
  std::stable_sort(spikes.begin(), spikes.end(),
                   [](const PlantedSpike& a, const PlantedSpike& b) { return a.sample < b.sample; });
  const std::size_t rows = layout.centres.channels.extent(1);
  layout.sample = HostVector<std::int64_t>("kokkosort::test::sample", spikes.size());
  layout.centre = HostVector<std::int32_t>("kokkosort::test::centre", spikes.size());
  layout.features = HostTensor3<float>("kokkosort::test::features", spikes.size(), rows, n_pcs);
  Recording recording;
  for (std::size_t i = 0; i < spikes.size(); ++i) {
    layout.sample(i) = spikes[i].sample;
    layout.centre(i) = spikes[i].centre;
    std::copy_n(spikes[i].values.begin(), rows * n_pcs, &layout.features(i, 0, 0));
    recording.unit.push_back(spikes[i].unit);
  }
  recording.spikes = std::move(layout);
  return recording;
}

/// Times of a neuron that fires at random, 2 ms apart at least.
inline std::vector<std::int64_t> spike_train(std::mt19937_64& random, int n, double seconds) {
  constexpr double dead_time = 0.002;
  std::uniform_real_distribution<double> draw(0.0, seconds - dead_time * n);
  std::vector<double> times;
  for (int i = 0; i < n; ++i) times.push_back(draw(random));
  std::sort(times.begin(), times.end());
  std::vector<std::int64_t> samples;
  for (int i = 0; i < n; ++i)
    samples.push_back(
        static_cast<std::int64_t>((times[static_cast<std::size_t>(i)] + dead_time * i) * sampling_rate_hz));
  return samples;
}

/// A random vector of the given length.
inline std::vector<double> draw_direction(std::mt19937_64& random, std::size_t n_values, double length) {
  std::normal_distribution<double> normal;
  std::vector<double> values(n_values);
  double square = 0.0;
  for (double& value : values) {
    value = normal(random);
    square += value * value;
  }
  for (double& value : values) value *= length / std::sqrt(square);
  return values;
}

/// What a neuron at the place of a channel looks like, [channels · pcs]: it fades over 30 µm.
inline std::vector<double> draw_neuron(std::mt19937_64& random, const Probe& probe, std::size_t place,
                                       std::size_t n_pcs, double amplitude) {
  std::vector<double> mean;
  for (std::size_t c = 0; c < probe.x_um.size(); ++c) {
    const double distance = std::hypot(probe.x_um[c] - probe.x_um[place], probe.y_um[c] - probe.y_um[place]);
    const double length = amplitude * std::exp(-0.5 * distance * distance / (30.0 * 30.0));
    for (const double value : draw_direction(random, n_pcs, length)) mean.push_back(value);
  }
  return mean;
}

/// Appends a neuron's spikes with noise of one sigma.
/// @param mean     [channels · pcs]
/// @param centres  detection centres that the spikes are found at, in turn
inline void add_unit(std::mt19937_64& random, const SpikeFeatures& layout, std::int32_t unit,
                     const std::vector<std::int32_t>& centres, const std::vector<double>& mean,
                     std::size_t n_pcs, const std::vector<std::int64_t>& times,
                     std::vector<PlantedSpike>& spikes) {
  std::normal_distribution<float> noise;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::int32_t centre = centres[i % centres.size()];
    PlantedSpike spike{times[i], centre, unit, {}};
    for (std::size_t row = 0; row < layout.centres.channels.extent(1); ++row)
      for (std::size_t pc = 0; pc < n_pcs; ++pc) {
        const auto channel =
            static_cast<std::size_t>(layout.centres.channels(static_cast<std::size_t>(centre), row));
        spike.values.push_back(static_cast<float>(mean[channel * n_pcs + pc]) + noise(random));
      }
    spikes.push_back(std::move(spike));
  }
}

/// Two far neurons in each of `sections` sections of a column, `per_section` spikes a section.
inline Recording two_neurons_a_section(std::uint64_t seed, int sections, int per_section,
                                       double amplitude = 20.0, double seconds = 120.0) {
  constexpr std::size_t pcs = 6;
  std::mt19937_64 random(seed);
  const auto channels = static_cast<std::size_t>(2 * sections);
  SpikeFeatures layout = column_layout(channels, std::min<std::size_t>(10, channels));
  std::vector<PlantedSpike> spikes;
  for (std::int32_t s = 0; s < sections; ++s)
    for (std::int32_t half = 0; half < 2; ++half) {
      const auto place = static_cast<std::size_t>(2 * s);
      const std::vector<double> mean = draw_neuron(random, layout.probe, place, pcs, amplitude);
      const int n = half == 0 ? per_section / 2 : per_section - per_section / 2;
      add_unit(random, layout, 2 * s + half, {2 * s, 2 * s + 1}, mean, pcs, spike_train(random, n, seconds),
               spikes);
    }
  return record(std::move(layout), pcs, std::move(spikes));
}

/// Five neurons a section, so near each other that much is decided by a hair.
inline Recording crowded_recording(std::uint64_t seed, std::int32_t sections, int spikes_a_neuron) {
  constexpr std::size_t pcs = 6;
  std::mt19937_64 random(seed);
  const auto channels = static_cast<std::size_t>(2 * sections);
  SpikeFeatures layout = column_layout(channels, std::min<std::size_t>(10, channels));
  std::vector<PlantedSpike> spikes;
  for (std::int32_t unit = 0; unit < 5 * sections; ++unit) {
    const std::int32_t place = unit % (2 * sections);
    add_unit(random, layout, unit, {place},
             draw_neuron(random, layout.probe, static_cast<std::size_t>(place), pcs, 5.0), pcs,
             spike_train(random, spikes_a_neuron, 120.0), spikes);
  }
  return record(std::move(layout), pcs, std::move(spikes));
}

/// Spikes far from the origin on a coarse grid: distances by the expanded form |x|² + |y|² − 2xy are lost in
/// rounding, and many are equal. Whatever takes a product's word for them depends on the product's tiles,
/// threads and library.
inline Recording distant_recording(std::uint64_t seed, std::int32_t sections, int spikes_a_neuron) {
  Recording recording = crowded_recording(seed, sections, spikes_a_neuron);
  auto& features = recording.spikes.features;
  for (std::size_t i = 0; i < features.size(); ++i)
    features.data()[i] = 1000.0f + 0.25f * std::round(4.0f * features.data()[i]);
  return recording;
}

}  // namespace kokkosort::test
