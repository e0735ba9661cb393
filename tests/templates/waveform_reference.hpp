#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "templates/template_problem.hpp"

namespace kokkosort::test {

/// A template's waveforms in f64, Σ_p U[c, p] · wPCA[p, t]: one for each channel, empty where it is zero.
using Waveforms = std::vector<Waveform>;

/// @param weights  [pcs]
inline Waveform direct_waveform(const HostMatrix<float>& wPCA, const float* weights) {
  Waveform wave(wPCA.extent(1), 0.0);
  for (std::size_t p = 0; p < wPCA.extent(0); ++p)
    for (std::size_t t = 0; t < wave.size(); ++t) wave[t] += double{weights[p]} * wPCA(p, t);
  return wave;
}

inline std::vector<Waveforms> direct_waveforms(const TemplateProblem& problem) {
  std::vector<Waveforms> all(problem.n_templates(), Waveforms(problem.n_channels()));
  for (std::size_t i = 0; i < problem.n_templates(); ++i)
    for (std::size_t c = 0; c < problem.n_channels(); ++c) {
      const float* const weights = &problem.templates(i, c, 0);
      if (std::any_of(weights, weights + problem.n_pcs(), [](float w) { return w != 0.0f; }))
        all[i][c] = direct_waveform(problem.pcs.wPCA, weights);
    }
  return all;
}

/// ‖U‖² of each template.
inline std::vector<double> direct_energy(const HostTensor3<float>& templates) {
  std::vector<double> energy(templates.extent(0), 0.0);
  const std::size_t values = templates.extent(1) * templates.extent(2);
  for (std::size_t i = 0; i < energy.size(); ++i)
    for (std::size_t v = 0; v < values; ++v) {
      const double value = templates.data()[i * values + v];
      energy[i] += value * value;
    }
  return energy;
}

/// Σ_t a(t) · b(t + lag).
inline double direct_correlation(const Waveform& a, const Waveform& b, int lag) {
  double sum = 0.0;
  const auto nt = static_cast<int>(a.size());
  for (int t = std::max(0, -lag); t < std::min(nt, nt - lag); ++t)
    sum += a[static_cast<std::size_t>(t)] * b[static_cast<std::size_t>(t + lag)];
  return sum;
}

inline bool direct_meet(const Waveforms& a, const Waveforms& b) {
  for (std::size_t c = 0; c < a.size(); ++c)
    if (!a[c].empty() && !b[c].empty()) return true;
  return false;
}

/// Σ_c Σ_t a(c, t) · b(c, t + lag).
inline double direct_correlation(const Waveforms& a, const Waveforms& b, int lag) {
  double sum = 0.0;
  for (std::size_t c = 0; c < a.size(); ++c)
    if (!a[c].empty() && !b[c].empty()) sum += direct_correlation(a[c], b[c], lag);
  return sum;
}

}  // namespace kokkosort::test
