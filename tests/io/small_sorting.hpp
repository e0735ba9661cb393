#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "io/small_templates.hpp"
#include "kokkosort/io/sorting_file.hpp"

namespace kokkosort::test {

/// A sorting of random numbers whose parts agree: three units on five channels, which are columns of six of a
/// recording; the last channel is dead. Valid until a test spoils it.
struct SmallSorting {
  static constexpr std::size_t n_channels = 5;
  static constexpr std::size_t n_columns = 6;
  static constexpr std::size_t n_rows = 3;
  static constexpr std::size_t n_pcs = 2;
  static constexpr std::size_t nt = SmallTemplates::nt;
  static constexpr std::size_t dead = 4;
  static constexpr std::int64_t n_samples = 3000;

  Probe probe{{0, 32, 0, 32, 0}, {0, 0, 20, 20, 40}, {0, 0, 0, 1, 1}};
  std::vector<std::int32_t> column{5, 0, 1, 3, 2};
  PrincipalComponents pcs;
  HostTensor3<float> matched_templates;
  Preparation preparation;
  Sorting sorting;
  std::vector<std::filesystem::path> files;
  std::string dtype = "int16";
  std::int64_t first_sample = 1000;
  double gain_to_uv = 0.195;

  explicit SmallSorting(std::size_t n_units = 3, std::size_t n_spikes = 40, unsigned seed = 1)
      : random_(seed) {
    pcs.wPCA = HostMatrix<float>("kokkosort::test::wPCA", n_pcs, nt);
    pcs.wTEMP = HostMatrix<float>("kokkosort::test::wTEMP", 1, nt);
    pcs.peak_sample = 2;
    std::copy_n(SmallTemplates::components().data(), n_pcs * nt, pcs.wPCA.data());
    matched_templates = random_tensor(n_units == 0 ? 0 : n_units + 1, n_channels);
    make_preparation();
    make_units(n_units);
    make_spikes(n_units, n_spikes);
  }

  SortedRecording recording() const {
    return {.probe = probe,
            .column = column,
            .n_columns = n_columns,
            .files = files,
            .dtype = dtype,
            .sampling_rate_hz = 30000.0,
            .n_samples = n_samples,
            .first_sample = first_sample,
            .gain_to_uv = gain_to_uv,
            .pcs = pcs,
            .matched_templates = matched_templates,
            .preparation = preparation};
  }

  /// Writes zeros that a recording of these may be.
  static void write_recording(const std::filesystem::path& path) {
    const std::vector<char> zeros(2 * n_columns * static_cast<std::size_t>(n_samples + 1000), 0);
    std::ofstream(path, std::ios::binary).write(zeros.data(), static_cast<std::streamsize>(zeros.size()));
  }

 private:
  float random_number() { return std::normal_distribution<float>()(random_); }

  HostTensor3<float> random_tensor(std::size_t n, std::size_t rows) {
    HostTensor3<float> tensor("kokkosort::test::tensor", n, rows, n_pcs);
    std::generate_n(tensor.data(), tensor.size(), [&] { return random_number(); });
    return tensor;
  }

  void make_preparation() {
    preparation.traces.highpass_hz = 300.0;
    preparation.traces.common_reference = true;
    preparation.channels.resize(n_channels);
    preparation.whitening = HostMatrix<double>("kokkosort::test::whitening", n_channels, n_channels);
    for (std::size_t i = 0; i < n_channels; ++i) {
      preparation.channels[i] = {.noise = 10.0 + static_cast<double>(i), .is_dead = i == dead};
      for (std::size_t j = 0; j < n_channels; ++j)
        if (i != dead && j != dead)
          preparation.whitening(i, j) = (i == j ? 0.2 : 0.0) + 0.02 * static_cast<double>(random_number());
    }
    preparation.channels[1].is_saturated = true;
  }

  void make_units(std::size_t n_units) {
    sorting.templates = random_tensor(n_units, n_channels);
    sorting.similarity = HostMatrix<float>("kokkosort::test::similarity", n_units, n_units);
    sorting.unit_channels = HostMatrix<std::int32_t>("kokkosort::test::unit_channels", n_units, n_rows);
    sorting.units.resize(n_units);
    for (std::size_t u = 0; u < n_units; ++u) {
      for (std::size_t v = 0; v <= u; ++v)
        sorting.similarity(u, v) = sorting.similarity(v, u) =
            u == v ? 1.0f : 0.1f * static_cast<float>(u + v);
      for (std::size_t row = 0; row < n_rows; ++row)
        sorting.unit_channels(u, row) = static_cast<std::int32_t>((u + row) % n_channels);
      for (std::size_t p = 0; p < n_pcs; ++p) sorting.templates(u, dead, p) = 0.0f;
      const auto number = static_cast<double>(u);
      sorting.units[u] = {.spikes = 0,
                          .x_um = 10.0 * number,
                          .y_um = 5.0 + number,
                          .channel = static_cast<std::int32_t>(u % dead),
                          .amplitude = 8.0 + number,
                          .firing_rate_hz = 1.5 * number,
                          .contamination = 0.0625 * number,
                          .is_refractory = u != 1};
    }
  }

  void make_spikes(std::size_t n_units, std::size_t n_spikes) {
    sorting.features = random_tensor(n_spikes, n_rows);
    for (std::size_t i = 0; i < n_spikes; ++i) {
      sorting.sample.push_back(static_cast<std::int64_t>(i) * (n_samples - 1) /
                               static_cast<std::int64_t>(n_spikes - 1));  // the first and the last one, too
      const std::size_t unit = i < n_units ? i : random_() % n_units;
      sorting.unit.push_back(static_cast<std::int32_t>(unit));
      sorting.matched.push_back(static_cast<std::int32_t>(random_() % (n_units + 1)));
      sorting.amplitude.push_back(10.0f + random_number());
      sorting.x_um.push_back(random_number());
      sorting.y_um.push_back(random_number());
      ++sorting.units[unit].spikes;
    }
  }

  std::mt19937 random_;
};

/// Sample t of a template's waveform on a channel.
inline double waveform_reference(const HostTensor3<float>& templates, const HostMatrix<float>& wPCA,
                                 std::size_t k, std::size_t t, std::size_t channel) {
  double sum = 0.0;
  for (std::size_t p = 0; p < wPCA.extent(0); ++p)
    sum += static_cast<double>(templates(k, channel, p)) * wPCA(p, t);
  return sum;
}

}  // namespace kokkosort::test
