#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "kokkosort/types.hpp"
#include "templates/template_problem.hpp"
#include "templates/waveform_reference.hpp"

namespace kokkosort::test {

/// A template in the traces. Its centre, sample nt / 2 of the waveform, counts from the first sample of the
/// traces.
struct TemplateSpike {
  std::int64_t centre = 0;
  std::int32_t unit = 0;  // index of the user's template
  double amplitude = 1.0;
};

inline bool operator==(const TemplateSpike& a, const TemplateSpike& b) {
  return a.centre == b.centre && a.unit == b.unit && a.amplitude == b.amplitude;
}

inline void sort_by_time(std::vector<TemplateSpike>& spikes) {
  std::stable_sort(spikes.begin(), spikes.end(), [](const TemplateSpike& a, const TemplateSpike& b) {
    return a.centre != b.centre ? a.centre < b.centre : a.unit < b.unit;
  });
}

/// Whitened noise, [channels, samples].
inline HostMatrix<float> noise_traces(std::mt19937_64& random, std::size_t n_channels, std::size_t n_samples,
                                      float sigma = 1.0f) {
  const HostMatrix<float> traces("kokkosort::test::traces", n_channels, n_samples);
  std::normal_distribution<float> normal;
  if (sigma > 0.0f)
    for (std::size_t i = 0; i < traces.size(); ++i) traces.data()[i] = sigma * normal(random);
  return traces;
}

/// Adds spikes to traces; what lies outside is cut off.
inline void add_spikes(const std::vector<Waveforms>& waves, const std::vector<TemplateSpike>& spikes, int nt,
                       const HostMatrix<float>& traces) {
  const auto n_samples = static_cast<std::int64_t>(traces.extent(1));
  for (const TemplateSpike& spike : spikes) {
    const Waveforms& wave = waves[static_cast<std::size_t>(spike.unit)];
    for (std::size_t c = 0; c < wave.size(); ++c)
      for (std::size_t s = 0; s < wave[c].size(); ++s) {
        const std::int64_t t = spike.centre - nt / 2 + static_cast<std::int64_t>(s);
        if (t >= 0 && t < n_samples)
          traces(c, static_cast<std::size_t>(t)) += static_cast<float>(spike.amplitude * wave[c][s]);
      }
  }
}

/// Spikes of random templates at random centres of [first, last), amplitudes 0.8 to 1.2.
inline std::vector<TemplateSpike> random_spikes(std::mt19937_64& random, std::size_t n_templates,
                                                std::size_t n, std::int64_t first, std::int64_t last) {
  std::uniform_int_distribution<std::int64_t> centre(first, last - 1);
  std::uniform_int_distribution<std::int32_t> unit(0, static_cast<std::int32_t>(n_templates) - 1);
  std::uniform_real_distribution<double> amplitude(0.8, 1.2);
  std::vector<TemplateSpike> spikes;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t t = centre(random);
    const std::int32_t u = unit(random);
    spikes.push_back({t, u, amplitude(random)});
  }
  sort_by_time(spikes);
  return spikes;
}

}  // namespace kokkosort::test
