#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <vector>

#include "kokkosort/recording/memory_recording.hpp"
#include "kokkosort/recording/trace_loader.hpp"

namespace kokkosort::perf {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

constexpr std::int64_t window_samples = 60000;
constexpr std::int64_t most_windows = 1 << 20;

/// Each channel whitened with itself and its neighbours in the recording.
TracePreparation make_preparation(std::size_t n_channels, std::size_t k, bool is_filtered,
                                  bool is_referenced) {
  TracePreparation preparation = whitened_already(n_channels, 0.1);
  preparation.sampling_rate_hz = 30000.0;
  preparation.highpass_hz = is_filtered ? 300.0 : 0.0;
  preparation.common_reference = is_referenced;
  preparation.neighbours = HostMatrix<std::int32_t>("kokkosort::perf::neighbours", n_channels, k);
  preparation.weights = HostMatrix<float>("kokkosort::perf::weights", n_channels, k);
  for (std::size_t c = 0; c < n_channels; ++c)
    for (std::size_t i = 0; i < k; ++i) {
      preparation.neighbours(c, i) = static_cast<std::int32_t>((c + i) % n_channels);
      preparation.weights(c, i) = 0.1f;
    }
  return preparation;
}

}  // namespace

/// From stored integers in host memory to whitened traces on the device. The next window is read meanwhile.
void traces(benchmark::State& state) {
  const auto n_channels = static_cast<std::size_t>(state.range(0));
  const auto k = static_cast<std::size_t>(state.range(3));
  const TracePreparation preparation =
      make_preparation(n_channels, k, state.range(1) != 0, state.range(2) != 0);
  std::mt19937 random(1);
  std::vector<std::int16_t> samples(n_channels * (window_samples + 4096));
  for (std::int16_t& sample : samples) sample = static_cast<std::int16_t>(random() % 200);
  MemoryRecording recording(samples, n_channels);

  const Exec exec;
  TransferLedger ledger;
  StageTimes times;
  const std::vector<SampleRange> windows(most_windows, {2048, 2048 + window_samples});
  TraceLoader<Exec> loader(exec, {recording, preparation}, windows, {}, "perf", ledger, times);
  const Matrix<float, Exec> whitened("kokkosort::perf::traces", n_channels,
                                     static_cast<std::size_t>(window_samples));
  loader.next(whitened);
  for ([[maybe_unused]] auto _ : state) loader.next(whitened);
  for (const StageTime& time : times.entries())
    state.counters[time.stage] = 1e3 * time.seconds / static_cast<double>(state.iterations() + 1);
  state.counters["samples/s"] =
      benchmark::Counter(static_cast<double>(window_samples), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(traces)
    ->ArgNames({"channels", "filter", "reference", "neighbours"})
    ->Args({384, 0, 0, 1})
    ->Args({384, 1, 0, 1})
    ->Args({384, 0, 1, 1})
    ->Args({384, 0, 0, 32})
    ->Args({384, 1, 1, 32})
    ->Args({64, 1, 1, 32})
    ->Args({4, 1, 1, 4})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace kokkosort::perf
