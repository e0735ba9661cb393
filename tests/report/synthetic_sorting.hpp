#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kokkosort/report/report.hpp"
#include "templates/template_problem.hpp"

namespace kokkosort::test {

/// A sorting such as a recording gives, with the truth left out: units along a probe, with footprints,
/// refractory trains (two of three units; the others fire at any time) and amplitudes that drift.
struct SyntheticSorting {
  Probe probe;
  std::vector<std::int32_t> column;
  PrincipalComponents pcs = spike_pcs();
  HostTensor3<float> matched_templates;
  Preparation preparation;
  Sorting sorting;
  RunRecord run;
  std::vector<std::filesystem::path> files = {"/data/mouse 7/probe_a.bin"};
  double sampling_rate_hz = 30000.0;
  std::int64_t n_samples = 0;
  std::int64_t first_sample = 0;
  double seconds = 25.0;
  std::vector<double> amplitude_uv;
  std::vector<std::string> warnings;

  SyntheticSorting(const Probe& of_probe, std::size_t n_units, double recorded_s, std::uint64_t seed)
      : probe(of_probe), n_samples(static_cast<std::int64_t>(recorded_s * 30000.0)), random_(seed) {
    column.resize(probe.x_um.size());
    std::iota(column.begin(), column.end(), 0);
    preparation.channels.resize(probe.x_um.size());
    describe_run();
    make_units(n_units);
    make_spikes(recorded_s);
  }

  std::size_t n_channels() const { return probe.x_um.size(); }

  SortedRecording recording() const {
    return {.probe = probe,
            .column = column,
            .n_columns = n_channels(),
            .files = files,
            .dtype = "int16",
            .sampling_rate_hz = sampling_rate_hz,
            .n_samples = n_samples,
            .first_sample = first_sample,
            .gain_to_uv = amplitude_uv.empty() ? 0.0 : 0.195,
            .pcs = pcs,
            .matched_templates = matched_templates,
            .preparation = preparation};
  }

  std::string html() const {
    const SortedRecording of = recording();
    return report_html({of, sorting, run, seconds, amplitude_uv, warnings});
  }

  /// Sample t of a unit's mean waveform on a channel.
  double waveform(std::size_t unit, std::size_t channel, std::size_t t) const {
    double value = 0.0;
    for (std::size_t p = 0; p < pcs.wPCA.extent(0); ++p)
      value += static_cast<double>(sorting.templates(unit, channel, p)) * static_cast<double>(pcs.wPCA(p, t));
    return value;
  }

 private:
  double uniform(double from, double to) { return std::uniform_real_distribution<double>(from, to)(random_); }

  void describe_run() {
    run.command = "sort";
    run.versions = {{"KokkoSort", "0.9"}, {"Kokkos", "4.5.1"}};
    run.backend = "OpenMP";
    run.device = "Some processor";
    run.threads = 2;
    run.date = "2025-01-02T03:04:05Z";
  }

  std::vector<std::int32_t> nearest_channels(std::size_t channel) const {
    std::vector<std::int32_t> nearest = column;
    const auto distance = [&](std::int32_t c) {
      const auto at = static_cast<std::size_t>(c);
      return std::hypot(probe.x_um[at] - probe.x_um[channel], probe.y_um[at] - probe.y_um[channel]);
    };
    std::stable_sort(nearest.begin(), nearest.end(),
                     [&](std::int32_t a, std::int32_t b) { return distance(a) < distance(b); });
    nearest.resize(std::min<std::size_t>(nearest.size(), 10));
    return nearest;
  }

  void make_units(std::size_t n_units) {
    const std::size_t rows = std::min<std::size_t>(n_channels(), 10);
    sorting.templates =
        HostTensor3<float>("kokkosort::test::templates", n_units, n_channels(), pcs.wPCA.extent(0));
    sorting.similarity = HostMatrix<float>("kokkosort::test::similarity", n_units, n_units);
    sorting.unit_channels = HostMatrix<std::int32_t>("kokkosort::test::unit_channels", n_units, rows);
    sorting.units.resize(n_units);
    for (std::size_t u = 0; u < n_units; ++u) make_unit(u);
  }

  void make_unit(std::size_t u) {
    Unit& unit = sorting.units[u];
    const std::size_t channel = u * n_channels() / sorting.n_units();
    unit.channel = static_cast<std::int32_t>(channel);
    unit.x_um = probe.x_um[channel] + uniform(-4.0, 4.0);
    unit.y_um = probe.y_um[channel] + uniform(-6.0, 6.0);
    unit.contamination = u % 3 == 2 ? uniform(0.3, 1.0) : uniform(0.0, 0.15);
    unit.is_refractory = u % 3 != 2;
    std::array<double, 6> shape{};
    shape[0] = 10.0 * std::exp(uniform(0.0, 1.6));
    for (std::size_t p = 1; p < shape.size(); ++p) shape[p] = shape[0] * uniform(-0.35, 0.35);
    for (std::size_t c = 0; c < n_channels(); ++c) {
      const double distance = std::hypot(probe.x_um[c] - unit.x_um, probe.y_um[c] - unit.y_um);
      for (std::size_t p = 0; p < shape.size(); ++p)
        sorting.templates(u, c, p) =
            static_cast<float>(shape[p] * std::exp(-distance / 28.0) + uniform(-0.15, 0.15));
    }
    const std::vector<std::int32_t> nearest = nearest_channels(channel);
    for (std::size_t row = 0; row < nearest.size(); ++row) sorting.unit_channels(u, row) = nearest[row];
    for (std::size_t t = 0; t < pcs.wPCA.extent(1); ++t)
      unit.amplitude = std::max(unit.amplitude, std::abs(waveform(u, channel, t)));
  }

  /// A unit's times: gaps with the same chance at any time, after 2.5 ms if it is refractory.
  std::vector<std::int64_t> make_train(const Unit& unit) {
    const double refractory_samples = unit.is_refractory ? 75.0 : 0.0;
    std::exponential_distribution<double> gap(std::exp(uniform(0.0, 3.3)) / 30000.0);
    std::vector<std::int64_t> train;
    for (double t = gap(random_); t < static_cast<double>(n_samples); t += refractory_samples + gap(random_))
      train.push_back(static_cast<std::int64_t>(t));
    if (train.empty()) train.push_back(n_samples / 2);
    return train;
  }

  void make_spikes(double recorded_s) {
    std::vector<std::pair<std::int64_t, std::int32_t>> spikes;
    for (std::size_t u = 0; u < sorting.n_units(); ++u) {
      const std::vector<std::int64_t> train = make_train(sorting.units[u]);
      for (const std::int64_t sample : train) spikes.emplace_back(sample, static_cast<std::int32_t>(u));
      sorting.units[u].spikes = static_cast<std::int64_t>(train.size());
      sorting.units[u].firing_rate_hz = static_cast<double>(train.size()) / recorded_s;
    }
    std::sort(spikes.begin(), spikes.end());
    std::normal_distribution<double> normal;
    for (const auto& [sample, u] : spikes) {
      const Unit& unit = sorting.units[static_cast<std::size_t>(u)];
      const double time = static_cast<double>(sample) / static_cast<double>(n_samples);
      sorting.sample.push_back(sample);
      sorting.unit.push_back(u);
      sorting.matched.push_back(u);
      sorting.amplitude.push_back(
          static_cast<float>(unit.amplitude * (1.1 - 0.2 * time) * std::exp(0.08 * normal(random_))));
      sorting.x_um.push_back(static_cast<float>(unit.x_um + 2.0 * normal(random_)));
      sorting.y_um.push_back(static_cast<float>(unit.y_um + 6.0 * time + 3.0 * normal(random_)));
    }
  }

  std::mt19937_64 random_;
};

}  // namespace kokkosort::test
