#include "simulation/noise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "simulation/draws.hpp"

namespace kokkosort {
namespace {

/// Lower triangle of the channels' covariance, [channels, channels] without what is above the diagonal.
std::vector<std::vector<double>> covariance(const SimulationOptions& options, const Probe& probe) {
  const double independent = std::pow(options.noise_uv, 2);
  const double correlated = std::pow(options.correlated_noise_uv, 2);
  std::vector<std::vector<double>> lower(probe.x_um.size());
  for (std::size_t a = 0; a < lower.size(); ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      const double distance = std::hypot(probe.x_um[a] - probe.x_um[b], probe.y_um[a] - probe.y_um[b]);
      lower[a].push_back(correlated * std::exp(-distance / options.noise_length_um) +
                         (a == b ? independent : 0.0));
    }
  return lower;
}

/// Cholesky's factor in the place of a matrix that is positive definite, or nearly so: all channels alike are
/// allowed.
void factorise(std::vector<std::vector<double>>& lower) {
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const double smallest = 1e-6 * std::sqrt(lower[i][i]);
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = lower[i][j];
      for (std::size_t k = 0; k < j; ++k) rest -= lower[i][k] * lower[j][k];
      if (j == i)
        lower[i][i] = std::sqrt(std::max(rest, 0.0));
      else
        lower[i][j] = lower[j][j] > smallest ? rest / lower[j][j] : 0.0;
    }
  }
}

/// Two normal numbers from the 64 bits of one counter (Box and Muller 1958).
void normal_pair(std::uint64_t bits, float& a, float& b) {
  const float radius = std::sqrt(-2.0f * std::log((static_cast<float>(bits >> 32) + 1.0f) * 0x1.0p-32f));
  const float angle = 2.0f * std::numbers::pi_v<float> * 0x1.0p-32f * static_cast<float>(bits & 0xffffffffu);
  a = radius * std::cos(angle);
  b = radius * std::sin(angle);
}

}  // namespace

NoiseMixer::NoiseMixer(const Simulation& simulation)
    : n_channels_(simulation.probe.x_um.size()),
      key_(scatter_bits(scatter_bits(simulation.options.seed) ^
                        static_cast<std::uint32_t>(SimulationStream::noise))),
      row_{0} {
  std::vector<std::vector<double>> lower = covariance(simulation.options, simulation.probe);
  factorise(lower);
  // Channels that are far from each other have nothing in common: a recording of a long probe would cost its
  // square.
  constexpr double negligible = 1e-4;
  for (const std::vector<double>& row : lower) {
    const double enough = negligible * row.back();
    const auto first =
        std::find_if(row.begin(), row.end(), [&](double value) { return std::abs(value) > enough; });
    factor_.insert(factor_.end(), first, row.end());
    row_.push_back(factor_.size());
  }
}

void NoiseMixer::make(std::int64_t slice, float* traces, std::vector<float>& normals) const {
  std::fill_n(traces, n_channels_ * slice_samples, 0.0f);
  if (factor_.empty()) return;  // there is no noise
  const std::size_t n_pairs = (n_channels_ + 1) / 2;
  normals.resize(2 * n_pairs * slice_samples);
  const std::uint64_t first = static_cast<std::uint64_t>(slice) * slice_samples;
  for (std::size_t pair = 0; pair < n_pairs; ++pair) {
    float* const even = &normals[2 * pair * slice_samples];
    for (std::size_t t = 0; t < slice_samples; ++t)
      normal_pair(scatter_bits(key_ ^ ((first + t) * n_pairs + pair)), even[t], even[slice_samples + t]);
  }
  for (std::size_t c = 0; c < n_channels_; ++c) {
    float* const trace = traces + c * slice_samples;
    for (std::size_t k = row_[c]; k < row_[c + 1]; ++k) {
      const float weight = factor_[k];
      const float* const normal = &normals[(c + 1 + k - row_[c + 1]) * slice_samples];
      for (std::size_t t = 0; t < slice_samples; ++t) trace[t] += weight * normal[t];
    }
  }
}

}  // namespace kokkosort
