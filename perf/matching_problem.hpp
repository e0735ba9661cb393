#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "kokkosort/matching/options.hpp"
#include "kokkosort/matching/scores.hpp"
#include "kokkosort/matching/window.hpp"
#include "kokkosort/templates/correlations.hpp"
#include "kokkosort/templates/placed_templates.hpp"

namespace kokkosort::perf {

using Exec = Kokkos::DefaultExecutionSpace;

constexpr std::size_t n_pcs = 6;
constexpr std::size_t nt = 61;

/// Orthonormal components: random sums of slow cosines.
inline HostMatrix<float> make_components(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> waves(n_pcs, std::vector<double>(nt, 0.0));
  for (std::size_t p = 0; p < n_pcs; ++p) {
    for (std::size_t k = 0; k < n_pcs + 2; ++k) {
      const double weight = normal(random);
      for (std::size_t t = 0; t < nt; ++t)
        waves[p][t] +=
            weight * std::cos(std::numbers::pi * static_cast<double>(k * (2 * t + 1)) / (2.0 * nt));
    }
    const auto dot = [](const auto& a, const auto& b) {
      double sum = 0.0;
      for (std::size_t t = 0; t < nt; ++t) sum += a[t] * b[t];
      return sum;
    };
    for (std::size_t q = 0; q < p; ++q) {
      const double along = dot(waves[p], waves[q]);
      for (std::size_t t = 0; t < nt; ++t) waves[p][t] -= along * waves[q][t];
    }
    const double length = std::sqrt(dot(waves[p], waves[p]));
    for (double& value : waves[p]) value /= length;
  }
  const HostMatrix<float> wPCA("kokkosort::perf::wPCA", n_pcs, nt);
  for (std::size_t p = 0; p < n_pcs; ++p) std::copy(waves[p].begin(), waves[p].end(), &wPCA(p, 0));
  return wPCA;
}

/// Channels of Neuropixels 1.0, and random neurons along them whose footprints end at 60 µm.
struct TemplateProblem {
  std::mt19937_64 random{1};
  TransferLedger ledger;
  Probe probe;
  HostMatrix<float> wPCA = make_components(random);
  HostTensor3<float> templates;  // [templates, channels, pcs], 15 to 30 sigma
  PlacedTemplates<Exec> placed;
  Exec exec;

  TemplateProblem(std::size_t n_templates, std::size_t n_channels) {
    constexpr double x_um[] = {16.0, 48.0, 0.0, 32.0};
    for (std::size_t c = 0; c < n_channels; ++c) {
      probe.x_um.push_back(x_um[c % 4]);
      probe.y_um.push_back(20.0 * static_cast<double>(c / 2));
      probe.shank.push_back(0);
    }
    templates = HostTensor3<float>("kokkosort::perf::templates", n_templates, n_channels, n_pcs);
    for (std::size_t i = 0; i < n_templates; ++i) draw(i);
    placed = place_templates(exec, probe, templates, ledger);
  }

  std::size_t footprint(std::size_t unit) const { return placed.footprints[unit].size(); }

 private:
  void draw(std::size_t i) {
    std::normal_distribution<double> normal;
    const auto centre = std::uniform_int_distribution<std::size_t>(0, probe.x_um.size() - 1)(random);
    double energy = 0.0;
    for (std::size_t c = 0; c < probe.x_um.size(); ++c) {
      const double far = std::hypot(probe.x_um[c] - probe.x_um[centre], probe.y_um[c] - probe.y_um[centre]);
      if (far > 60.0) continue;
      for (std::size_t p = 0; p < n_pcs; ++p) {
        const double weight = normal(random) * std::exp(-far * far / 1800.0);
        templates(i, c, p) = static_cast<float>(weight);
        energy += weight * weight;
      }
    }
    const double length = std::uniform_real_distribution<double>(15.0, 30.0)(random);
    const auto scale = static_cast<float>(length / std::sqrt(energy));
    float* const values = &templates(i, 0, 0);
    for (std::size_t v = 0; v < probe.x_um.size() * n_pcs; ++v) values[v] *= scale;
  }
};

/// A window of noise with spikes of random templates at random times, on the device.
struct WindowProblem : TemplateProblem {
  MatchingOptions options;
  WindowExtent window;
  MatchingWorkspace<Exec> workspace;
  Matrix<float, Exec> components;
  Matrix<float, Exec> traces;  // a copy, to begin again from

  WindowProblem(std::size_t n_templates, std::size_t n_channels, std::size_t n_centres, std::size_t n_spikes)
      : TemplateProblem(n_templates, n_channels) {
    window.n_scores = static_cast<std::uint32_t>(n_centres);
    window.n_samples = static_cast<std::uint32_t>(n_centres + nt - 1);
    window.core_end = static_cast<std::int64_t>(n_centres);
    workspace =
        make_workspace(exec, {n_templates, n_channels, n_pcs, static_cast<int>(nt), n_centres}, options);
    components = Matrix<float, Exec>("kokkosort::perf::components", n_pcs, nt);
    Kokkos::deep_copy(components, wPCA);
    const auto on_host = Kokkos::create_mirror(Kokkos::HostSpace(), workspace.traces);
    std::normal_distribution<float> noise;
    for (std::size_t i = 0; i < on_host.size(); ++i) on_host.data()[i] = noise(random);
    std::uniform_int_distribution<std::size_t> unit(0, n_templates - 1);
    std::uniform_int_distribution<std::size_t> centre(0, n_centres - 1);
    for (std::size_t i = 0; i < n_spikes; ++i) add_spike(on_host, unit(random), centre(random));
    traces = Matrix<float, Exec>("kokkosort::perf::traces", on_host.extent(0), on_host.extent(1));
    Kokkos::deep_copy(traces, on_host);
    Kokkos::deep_copy(workspace.traces, traces);
    exec.fence("kokkosort::perf::set_up");
  }

 private:
  template <class HostTraces>
  void add_spike(const HostTraces& on_host, std::size_t unit, std::size_t centre) const {
    for (std::size_t place = placed.footprints[unit].first; place < placed.footprints[unit].last; ++place)
      for (std::size_t p = 0; p < n_pcs; ++p) {
        const float weight = templates(static_cast<std::size_t>(placed.template_at[unit]),
                                       static_cast<std::size_t>(placed.channel_at[place]), p);
        for (std::size_t t = 0; t < nt; ++t) on_host(place, centre + t) += weight * wPCA(p, t);
      }
  }
};

/// Times `work` alone, with a fence after each run; `restore` brings back the state that it begins from.
/// Reports the rates of the operations and bytes that `work` has.
template <class Restore, class Work>
void measure_from(benchmark::State& state, const Exec& exec, double flops, double bytes,
                  const Restore& restore, const Work& work) {
  restore();
  work();  // warm-up: handles, first touches
  for ([[maybe_unused]] auto _ : state) {
    restore();
    exec.fence("kokkosort::perf::restored");
    const auto start = std::chrono::steady_clock::now();
    work();
    exec.fence("kokkosort::perf::work");
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  using benchmark::Counter;
  state.counters["FLOP/s"] = Counter(flops, Counter::kIsIterationInvariantRate);
  state.counters["bytes/s"] = Counter(bytes, Counter::kIsIterationInvariantRate, Counter::kIs1024);
}

/// A window of 2 s of a probe's channels.
inline void window_shapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"templates", "channels", "centres", "spikes"})
      ->Args({250, 384, 60000, 5000})
      ->Unit(benchmark::kMillisecond)
      ->UseManualTime();
}

}  // namespace kokkosort::perf
