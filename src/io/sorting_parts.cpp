#include "io/sorting_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "core/host_loop.hpp"
#include "templates/template_energy.hpp"

namespace kokkosort {
namespace {

void expect_size(const std::string& what, std::size_t found, std::size_t expected) {
  if (found != expected)
    throw std::logic_error(fmt::format("sorting: {} has {} elements, not {}", what, found, expected));
}

/// How many spikes each unit has. @throws Error if a spike has none
template <class Error>
std::vector<std::int64_t> count_spikes(const std::string& what, const std::vector<std::int32_t>& units,
                                       std::size_t n_units) {
  std::vector<std::int64_t> count(n_units, 0);
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i] < 0 || static_cast<std::size_t>(units[i]) >= n_units)
      throw Error(fmt::format("{}: spike {} has unit {} of {}", what, i, units[i], n_units));
    ++count[static_cast<std::size_t>(units[i])];
  }
  return count;
}

template <class Error>
void check_counts(const std::string& what, const std::vector<std::int32_t>& units, const Sorting& sorting) {
  const std::vector<std::int64_t> count = count_spikes<Error>(what, units, sorting.n_units());
  for (std::size_t u = 0; u < count.size(); ++u)
    if (count[u] == 0 || count[u] != sorting.units[u].spikes)
      throw Error(
          fmt::format("{}: unit {} has {} spikes, not {}", what, u, count[u], sorting.units[u].spikes));
}

void check_spikes(const SortedRecording& recording, const Sorting& sorting) {
  const std::size_t n = sorting.n_spikes();
  expect_size("unit", sorting.unit.size(), n);
  expect_size("matched", sorting.matched.size(), n);
  expect_size("amplitude", sorting.amplitude.size(), n);
  expect_size("x_um", sorting.x_um.size(), n);
  expect_size("y_um", sorting.y_um.size(), n);
  expect_size("features", sorting.features.extent(0), n);
  for (std::size_t i = 0; i < n; ++i) {
    if (sorting.sample[i] < 0 || sorting.sample[i] >= recording.n_samples)
      throw std::logic_error(fmt::format("sorting: spike {} is at sample {}, outside the recording of {}", i,
                                         sorting.sample[i], recording.n_samples));
    if (i > 0 && sorting.sample[i] < sorting.sample[i - 1])
      throw std::logic_error(fmt::format("sorting: spike {} is before spike {}", i, i - 1));
    if (sorting.matched[i] < 0 ||
        static_cast<std::size_t>(sorting.matched[i]) >= recording.matched_templates.extent(0))
      throw std::logic_error(fmt::format("sorting: spike {} has template {} of {}", i, sorting.matched[i],
                                         recording.matched_templates.extent(0)));
  }
  check_counts<std::logic_error>("sorting", sorting.unit, sorting);
}

void check_units(const SortedRecording& recording, const Sorting& sorting) {
  const std::size_t n_units = sorting.n_units();
  const std::size_t n_channels = recording.probe.x_um.size();
  expect_size("templates", sorting.templates.size(), n_units * n_channels * recording.pcs.wPCA.extent(0));
  expect_size("similarity", sorting.similarity.size(), n_units * n_units);
  expect_size("unit_channels", sorting.unit_channels.extent(0), n_units);
  expect_size("features", sorting.features.size(),
              sorting.n_spikes() * sorting.unit_channels.extent(1) * recording.pcs.wPCA.extent(0));
  const auto check_channel = [&](std::size_t unit, std::int32_t channel) {
    if (channel < 0 || static_cast<std::size_t>(channel) >= n_channels)
      throw std::logic_error(fmt::format("sorting: unit {} has channel {} of {}", unit, channel, n_channels));
  };
  for (std::size_t u = 0; u < n_units; ++u) {
    check_channel(u, sorting.units[u].channel);
    for (std::size_t row = 0; row < sorting.unit_channels.extent(1); ++row)
      check_channel(u, sorting.unit_channels(u, row));
  }
}

/// The equations (WᵀW) X = Wᵀ. WᵀW is made a little larger on its diagonal, so that every matrix has an
/// answer; a channel that occurs nowhere gets the equation X = 1.
struct NormalEquations {
  std::size_t n;
  std::vector<double> left;   // [n, n]
  std::vector<double> right;  // [n, n]

  explicit NormalEquations(const HostMatrix<double>& matrix)
      : n(matrix.extent(0)), left(n * n, 0.0), right(n * n, 0.0) {
    for (std::size_t i = 0; i < n; ++i) {
      double* const row = &left[i * n];
      for (std::size_t k = 0; k < n; ++k) {
        right[i * n + k] = matrix(k, i);
        if (matrix(k, i) == 0.0) continue;  // far channels have nothing in common
        for (std::size_t j = 0; j < n; ++j) row[j] += matrix(k, i) * matrix(k, j);
      }
      constexpr double ridge = 1e-12;
      row[i] *= 1.0 + ridge;
      if (row[i] == 0.0) row[i] = right[i * n + i] = 1.0;
    }
  }
};

/// Turns the left side into factors L D Lᵀ: D on the diagonal, Lᵀ above it. A positive definite matrix needs
/// no search for a pivot.
void factorise(NormalEquations& equations) {
  const std::size_t n = equations.n;
  double* const a = equations.left.data();
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[k * n + i] / a[k * n + k];
      if (factor == 0.0) continue;
      for (std::size_t j = i; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i) a[k * n + i] /= a[k * n + k];
}

/// Solves for columns [first, last) of the right side, in their place.
/// @param factors  [n, n]
/// @param right    [n, n]
void solve_columns(const std::vector<double>& factors, std::size_t n, std::size_t first, std::size_t last,
                   std::vector<double>& right) {
  const auto subtract = [&](std::size_t from, double factor, std::size_t to) {
    if (factor == 0.0) return;
    for (std::size_t j = first; j < last; ++j) right[to * n + j] -= factor * right[from * n + j];
  };
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i) subtract(k, factors[k * n + i], i);
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = first; j < last; ++j) right[i * n + j] /= factors[i * n + i];
    for (std::size_t k = i + 1; k < n; ++k) subtract(k, factors[i * n + k], i);
  }
}

}  // namespace

void check_sorting(const SortedRecording& recording, const Sorting& sorting) {
  const std::size_t n_channels = recording.probe.x_um.size();
  expect_size("column", recording.column.size(), n_channels);
  expect_size("channels", recording.preparation.channels.size(), n_channels);
  expect_size("whitening", recording.preparation.whitening.size(), n_channels * n_channels);
  expect_size("matched_templates", recording.matched_templates.size(),
              recording.matched_templates.extent(0) * n_channels * recording.pcs.wPCA.extent(0));
  check_spikes(recording, sorting);
  check_units(recording, sorting);
}

void check_written_spikes(const std::filesystem::path& file, const std::vector<std::int64_t>& samples,
                          const std::vector<std::int32_t>& units, const SortedRecording& recording,
                          const Sorting& sorting) {
  if (samples.size() != sorting.n_spikes() || units.size() != sorting.n_spikes())
    throw std::runtime_error(fmt::format("{}: has {} times and {} units of {} spikes", file.string(),
                                         samples.size(), units.size(), sorting.n_spikes()));
  const std::int64_t first = recording.first_sample;
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (samples[i] != sorting.sample[i] + first)
      throw std::runtime_error(fmt::format("{}: spike {} is at sample {}, not {}", file.string(), i,
                                           samples[i], sorting.sample[i] + first));
  check_counts<std::runtime_error>(file.string(), units, sorting);
}

std::vector<std::int64_t> samples_in_files(const SortedRecording& recording, const Sorting& sorting) {
  std::vector<std::int64_t> samples = sorting.sample;
  for (std::int64_t& sample : samples) sample += recording.first_sample;
  return samples;
}

void fill_waveform(const HostTensor3<float>& templates, std::size_t k, const HostMatrix<float>& wPCA,
                   float* to) {
  const std::size_t n_channels = templates.extent(1);
  const std::size_t n_pcs = templates.extent(2);
  const std::size_t nt = wPCA.extent(1);
  std::fill_n(to, nt * n_channels, 0.0f);
  for (std::size_t c = 0; c < n_channels; ++c) {
    if (!is_on_channel(templates, k, c)) continue;
    for (std::size_t t = 0; t < nt; ++t)
      for (std::size_t p = 0; p < n_pcs; ++p) to[t * n_channels + c] += templates(k, c, p) * wPCA(p, t);
  }
}

HostMatrix<double> invert_whitening(const HostMatrix<double>& whitening) {
  NormalEquations equations(whitening);
  factorise(equations);
  const std::size_t n = equations.n;
  constexpr std::size_t block = 32;  // columns
  host_blocks(
      "io::invert_whitening", n,
      [&](std::size_t first, std::size_t last) {
        solve_columns(equations.left, n, first, last, equations.right);
      },
      block);
  HostMatrix<double> inverse("kokkosort::io::whitening_inverse", n, n);
  std::copy_n(equations.right.data(), n * n, inverse.data());
  return inverse;
}

std::vector<double> amplitudes_uv(const SortedRecording& recording, const Sorting& sorting) {
  if (recording.gain_to_uv == 0.0) return {};
  const HostMatrix<double> inverse = invert_whitening(recording.preparation.whitening);
  const std::size_t n_channels = inverse.extent(0);
  const std::size_t nt = recording.pcs.wPCA.extent(1);
  std::vector<double> amplitudes(sorting.n_units());
  host_loop("io::amplitudes_uv", amplitudes.size(), [&](std::size_t u) {
    std::vector<float> waveform(nt * n_channels);
    fill_waveform(sorting.templates, u, recording.pcs.wPCA, waveform.data());
    const double* const weights = &inverse(static_cast<std::size_t>(sorting.units[u].channel), 0);
    double largest = 0.0;
    for (std::size_t t = 0; t < nt; ++t) {
      const float* const sample = &waveform[t * n_channels];
      largest = std::max(largest, std::abs(std::inner_product(sample, sample + n_channels, weights, 0.0)));
    }
    amplitudes[u] = largest * recording.gain_to_uv;
  });
  return amplitudes;
}

}  // namespace kokkosort
