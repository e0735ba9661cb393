#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <random>
#include <vector>

#include "kokkosort/spike_features.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort::test {

/// Templates, with the probe and the components that they are coefficients of.
struct TemplateProblem {
  Probe probe;
  PrincipalComponents pcs;
  HostTensor3<float> templates;  // [templates, channels, pcs]

  std::size_t n_templates() const { return templates.extent(0); }
  std::size_t n_channels() const { return templates.extent(1); }
  std::size_t n_pcs() const { return templates.extent(2); }
  int nt() const { return static_cast<int>(pcs.wPCA.extent(1)); }
};

using Waveform = std::vector<double>;  // [nt]

inline double dot(const Waveform& a, const Waveform& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Makes waveforms orthogonal to those before them, and of length 1.
inline HostMatrix<float> orthonormal(std::vector<Waveform> waves) {
  const HostMatrix<float> rows("kokkosort::test::orthonormal", waves.size(), waves[0].size());
  for (std::size_t p = 0; p < waves.size(); ++p) {
    for (int twice = 0; twice < 2; ++twice)
      for (std::size_t q = 0; q < p; ++q) {
        const double along = dot(waves[p], waves[q]);
        for (std::size_t t = 0; t < waves[p].size(); ++t) waves[p][t] -= along * waves[q][t];
      }
    const double length = std::sqrt(dot(waves[p], waves[p]));
    for (double& value : waves[p]) value /= length;
    std::copy(waves[p].begin(), waves[p].end(), &rows(p, 0));
  }
  return rows;
}

/// Components that are random sums of slow cosines.
inline PrincipalComponents random_pcs(std::mt19937_64& random, std::size_t n_pcs, std::size_t nt) {
  std::normal_distribution<double> normal;
  std::vector<Waveform> waves(n_pcs, Waveform(nt, 0.0));
  for (Waveform& wave : waves)
    for (std::size_t k = 0; k < n_pcs + 2; ++k) {
      const double weight = normal(random);
      for (std::size_t t = 0; t < nt; ++t)
        wave[t] += weight * std::cos(std::numbers::pi * static_cast<double>(k) *
                                     (static_cast<double>(t) + 0.5) / static_cast<double>(nt));
    }
  PrincipalComponents pcs;
  pcs.wPCA = orthonormal(waves);
  pcs.wTEMP = pcs.wPCA;
  pcs.peak_sample = static_cast<int>(nt) / 3;
  return pcs;
}

/// Components and universal shapes like those of real spikes: a trough, wide or narrow, its slope, a slow
/// hump after it. They are central, as detection leaves them: their largest sample is `peak_sample`, 20
/// of 61.
inline PrincipalComponents spike_pcs(std::size_t n_pcs = 6, std::size_t nt = 61) {
  PrincipalComponents pcs;
  pcs.peak_sample = static_cast<int>(nt) / 3;
  const auto shape = [&](double late, double width, int derivative) {
    Waveform wave(nt);
    for (std::size_t t = 0; t < nt; ++t) {
      const double x = (static_cast<double>(t) - pcs.peak_sample - late) / width;
      wave[t] = -std::exp(-0.5 * x * x) * (derivative == 0 ? 1.0 : derivative == 1 ? x : x * x - 1.0);
    }
    return wave;
  };
  const double scale = static_cast<double>(nt) / 61.0;
  std::vector<Waveform> waves = {shape(0, 3 * scale, 0),         shape(0, 3 * scale, 1),
                                 shape(9 * scale, 6 * scale, 0), shape(0, 4 * scale, 2),
                                 shape(9 * scale, 6 * scale, 1), shape(22 * scale, 8 * scale, 0)};
  waves.resize(n_pcs);
  pcs.wPCA = orthonormal(waves);

  pcs.wTEMP = HostMatrix<float>("kokkosort::test::wTEMP", n_pcs, nt);
  for (std::size_t k = 0; k < n_pcs; ++k) {
    Waveform wave = shape(0, (2.0 + 0.4 * static_cast<double>(k)) * scale, 0);
    const Waveform hump = shape(9 * scale, (5.0 + static_cast<double>(k)) * scale, 0);
    for (std::size_t t = 0; t < nt; ++t) wave[t] -= 0.3 * hump[t];
    const double length = std::sqrt(dot(wave, wave));
    for (std::size_t t = 0; t < nt; ++t) pcs.wTEMP(k, t) = static_cast<float>(wave[t] / length);
  }
  return pcs;
}

/// One column.
inline Probe linear_probe(std::size_t n_channels) {
  Probe probe;
  for (std::size_t c = 0; c < n_channels; ++c) {
    probe.x_um.push_back(0.0);
    probe.y_um.push_back(20.0 * static_cast<double>(c));
    probe.shank.push_back(0);
  }
  return probe;
}

/// Four columns, as on Neuropixels 1.0.
inline Probe staggered_probe(std::size_t n_channels) {
  constexpr double x_um[] = {16.0, 48.0, 0.0, 32.0};
  Probe probe = linear_probe(n_channels);
  for (std::size_t c = 0; c < n_channels; ++c) {
    probe.x_um[c] = x_um[c % 4];
    probe.y_um[c] = 20.0 * static_cast<double>(c / 2);
  }
  return probe;
}

/// Two shanks of one column, numbered in turn.
inline Probe two_shank_probe(std::size_t n_channels) {
  Probe probe = linear_probe(n_channels);
  for (std::size_t c = 0; c < n_channels; ++c) {
    probe.shank[c] = static_cast<std::int32_t>(c % 2);
    probe.x_um[c] = 250.0 * static_cast<double>(c % 2);
    probe.y_um[c] = 20.0 * static_cast<double>(c / 2);
  }
  return probe;
}

/// The same places, numbered in another order.
inline Probe shuffle_channels(std::mt19937_64& random, const Probe& probe) {
  std::vector<std::size_t> order(probe.x_um.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  Probe shuffled;
  for (const std::size_t c : order) {
    shuffled.x_um.push_back(probe.x_um[c]);
    shuffled.y_um.push_back(probe.y_um[c]);
    shuffled.shank.push_back(probe.shank[c]);
  }
  return shuffled;
}

/// A random neuron near a channel, of one shank, zero beyond `radius_um`.
/// @param to      [channels, pcs]
/// @param length  of the template, ‖U‖
inline void draw_template(std::mt19937_64& random, const Probe& probe, std::size_t place, std::size_t n_pcs,
                          double radius_um, double length, float* to) {
  std::normal_distribution<double> normal;
  const std::size_t n_channels = probe.x_um.size();
  std::vector<double> values(n_channels * n_pcs, 0.0);
  for (std::size_t c = 0; c < n_channels; ++c) {
    const double far = std::hypot(probe.x_um[c] - probe.x_um[place], probe.y_um[c] - probe.y_um[place]);
    if (far > radius_um || probe.shank[c] != probe.shank[place]) continue;
    for (std::size_t p = 0; p < n_pcs; ++p)
      values[c * n_pcs + p] = normal(random) * std::exp(-2.0 * far * far / (radius_um * radius_um));
  }
  const double scale =
      length / std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
  for (std::size_t i = 0; i < values.size(); ++i) to[i] = static_cast<float>(scale * values[i]);
}

/// Random neurons, each at a random place: in no order along the probe.
inline TemplateProblem random_problem(std::mt19937_64& random, const Probe& probe,
                                      const PrincipalComponents& pcs, std::size_t n_templates,
                                      double radius_um = 50.0, double shortest = 15.0,
                                      double longest = 30.0) {
  TemplateProblem problem{probe, pcs, {}};
  const std::size_t n_pcs = pcs.wPCA.extent(0);
  problem.templates = HostTensor3<float>("kokkosort::test::templates", n_templates, probe.x_um.size(), n_pcs);
  std::uniform_int_distribution<std::size_t> place(0, probe.x_um.size() - 1);
  std::uniform_real_distribution<double> length(shortest, longest);
  for (std::size_t i = 0; i < n_templates; ++i)
    draw_template(random, probe, place(random), n_pcs, radius_um, length(random),
                  &problem.templates(i, 0, 0));
  return problem;
}

}  // namespace kokkosort::test
