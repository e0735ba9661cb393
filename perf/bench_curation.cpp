// What the host does with spikes that are clustered: units split by template, curated and measured.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "kokkosort/curation/curate.hpp"
#include "kokkosort/templates/split_by_template.hpp"

namespace {

using namespace kokkosort;
using Exec = Kokkos::DefaultExecutionSpace;

constexpr std::size_t n_channels = 384;
constexpr std::size_t n_rows = 24;
constexpr std::size_t n_pcs = 6;
constexpr std::size_t nt = 61;
constexpr double rate_hz = 30000.0;

Probe two_columns() {
  Probe probe;
  for (std::size_t c = 0; c < n_channels; ++c) {
    probe.x_um.push_back(c % 2 == 0 ? 0.0 : 32.0);
    probe.y_um.push_back(20.0 * static_cast<double>(c / 2));
    probe.shank.push_back(0);
  }
  return probe;
}

PrincipalComponents cosines() {
  PrincipalComponents pcs;
  pcs.wPCA = HostMatrix<float>("kokkosort::perf::wPCA", n_pcs, nt);
  pcs.wTEMP = HostMatrix<float>("kokkosort::perf::wTEMP", n_pcs, nt);
  for (std::size_t p = 0; p < n_pcs; ++p)
    for (std::size_t t = 0; t < nt; ++t)
      pcs.wPCA(p, t) = pcs.wTEMP(p, t) =
          static_cast<float>(std::sqrt(2.0 / nt) * std::cos(M_PI / nt * (static_cast<double>(t) + 0.5) *
                                                            static_cast<double>(p + 1)));
  return pcs;
}

/// Spikes of units along a probe, each found by its template; what their features are does not change the
/// work.
struct Spikes {
  SpikeFeatures found;
  std::vector<float> amplitude;
  HostTensor3<float> templates;
  std::vector<std::int32_t> labels;
  std::int64_t n_samples;

  Spikes(std::size_t n_spikes, std::size_t n_units)
      : amplitude(n_spikes, 1.0f),
        templates("kokkosort::perf::templates", n_units, n_channels, n_pcs),
        labels(n_spikes),
        n_samples(static_cast<std::int64_t>(n_spikes) * 12) {
    found.probe = two_columns();
    found.pcs = cosines();
    found.sampling_rate_hz = rate_hz;
    found.centres.channels = HostMatrix<std::int32_t>("kokkosort::perf::channels", n_units, n_rows);
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    for (std::size_t u = 0; u < n_units; ++u) {
      const std::size_t first = u * (n_channels - n_rows) / n_units;
      found.centres.x_um.push_back(found.probe.x_um[first + n_rows / 2]);
      found.centres.y_um.push_back(found.probe.y_um[first + n_rows / 2]);
      for (std::size_t row = 0; row < n_rows; ++row) {
        found.centres.channels(u, row) = static_cast<std::int32_t>(first + row);
        for (std::size_t p = 0; p < n_pcs; ++p) templates(u, first + row, p) = 5.0f * normal(random);
      }
    }
    found.sample = HostVector<std::int64_t>("kokkosort::perf::sample", n_spikes);
    found.centre = HostVector<std::int32_t>("kokkosort::perf::centre", n_spikes);
    found.features = HostTensor3<float>("kokkosort::perf::features", n_spikes, n_rows, n_pcs);
    for (std::size_t i = 0; i < n_spikes; ++i) {
      const std::size_t unit = random() % n_units;
      found.sample(i) = static_cast<std::int64_t>(i) * 12;
      found.centre(i) = labels[i] = static_cast<std::int32_t>(unit);
      for (std::size_t row = 0; row < n_rows; ++row)
        for (std::size_t p = 0; p < n_pcs; ++p)
          found.features(i, row, p) =
              templates(unit, static_cast<std::size_t>(found.centres.channels(unit, row)), p) +
              static_cast<float>(random() % 1000) * 1e-3f;
    }
  }
};

const Spikes& spikes_of(const benchmark::State& state) {
  static std::size_t n_spikes = 0;
  static std::unique_ptr<Spikes> spikes;
  if (const auto wanted = static_cast<std::size_t>(state.range(0)); wanted != n_spikes) {
    spikes.reset();
    spikes = std::make_unique<Spikes>(wanted, 400);
    Kokkos::push_finalize_hook([] { spikes.reset(); });
    n_spikes = wanted;
  }
  return *spikes;
}

void split(benchmark::State& state) {
  const Spikes& spikes = spikes_of(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(split_by_template(spikes.found, spikes.labels, {}).labels.data());
}

void curation(benchmark::State& state) {
  const Spikes& spikes = spikes_of(state);
  const CurationInput input{spikes.found,  spikes.amplitude, spikes.templates,
                            spikes.labels, spikes.templates, spikes.n_samples};
  StageTimes times;
  for (auto _ : state) {
    TransferLedger ledger;
    CurationReport report;
    benchmark::DoNotOptimize(curate(Exec(), input, {}, ledger, report).n_units());
    times.add(report.times);
  }
  for (const StageTime& time : times.entries())
    state.counters[time.stage] = time.seconds / static_cast<double>(state.iterations());
}

}  // namespace

BENCHMARK(split)->Arg(300'000)->Arg(4'000'000)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(curation)->Arg(300'000)->Arg(4'000'000)->Unit(benchmark::kMillisecond)->UseRealTime();
