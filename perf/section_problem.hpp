#pragma once

#include <benchmark/benchmark.h>

#include "kokkosort/clustering/cluster.hpp"
#include "kokkosort/clustering/section_batch.hpp"
#include "kokkosort/simulation/blob_features.hpp"

namespace kokkosort::perf {

using Exec = Kokkos::DefaultExecutionSpace;

/// A batch of sections on the device, with the sizes that a benchmark's arguments name: spikes, channels, sections.
struct SectionProblem {
  ClusteringOptions options;
  TransferLedger ledger;
  SpikeFeatures spikes;
  std::vector<Section> sections;
  SectionBatch<Exec> batch;
  Exec exec;

  explicit SectionProblem(const benchmark::State& state) {
    BlobOptions blobs;
    blobs.spikes = static_cast<int>(state.range(0));
    blobs.channels = static_cast<int>(state.range(1));
    blobs.sections = static_cast<int>(state.range(2));
    spikes = make_blob_features(blobs);
    sections = make_sections(spikes);
    batch = upload_sections(exec, spikes, sections, 0, sections.size(), options, ledger);
    embed_points(exec, batch, Vector<std::uint32_t, Exec>());
    exec.fence("kokkosort::perf::set_up");
  }
};

/// Times `work` with a fence after each run, and reports the rates of the operations and bytes it counts.
template <class Work>
void measure(benchmark::State& state, const Exec& exec, double flops, double bytes, const Work& work) {
  work();  // warm-up: handles, first touches
  exec.fence("kokkosort::perf::warm_up");
  for ([[maybe_unused]] auto _ : state) {
    work();
    exec.fence("kokkosort::perf::work");
  }
  using benchmark::Counter;
  state.counters["FLOP/s"] = Counter(flops, Counter::kIsIterationInvariantRate);
  state.counters["bytes/s"] = Counter(bytes, Counter::kIsIterationInvariantRate, Counter::kIs1024);
}

/// The shapes users meet: sections of a short and a long recording, many sections, a busy section.
inline void section_shapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"spikes", "channels", "sections"})
      ->Args({1416, 17, 1})
      ->Args({1416, 17, 16})
      ->Args({20000, 17, 1})
      ->Args({1416, 10, 16})
      ->Args({4000, 34, 4})
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

}  // namespace kokkosort::perf
