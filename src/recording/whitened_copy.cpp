#include "kokkosort/recording/whitened_copy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "core/instantiate.hpp"
#include "core/transfers.hpp"
#include "kokkosort/recording/trace_loader.hpp"
#include "recording/window_reader.hpp"

namespace kokkosort {
namespace {

/// Traces as whole steps, [samples, channels].
template <class Exec>
void quantise(const Exec& exec, const Matrix<float, Exec>& traces, std::size_t n_samples,
              const Vector<std::int16_t, Exec>& steps) {
  constexpr auto per_sigma = static_cast<float>(1.0 / whitened_copy_scale);
  const std::size_t n_channels = traces.extent(0);
  Kokkos::parallel_for(
      "kokkosort::recording::quantise", Kokkos::RangePolicy<Exec>(exec, 0, n_samples * n_channels),
      KOKKOS_LAMBDA(const std::size_t i) {
        const float value = Kokkos::round(per_sigma * traces(i % n_channels, i / n_channels));
        steps(i) = static_cast<std::int16_t>(Kokkos::fmin(Kokkos::fmax(value, -32768.0f), 32767.0f));
      });
}

void refuse_failure(const std::ofstream& file, const std::filesystem::path& path) {
  if (!file)
    throw std::runtime_error(
        fmt::format("{}: the whitened recording cannot be written: {}", path.string(), std::strerror(errno)));
}

}  // namespace

template <class Exec>
void write_whitened(const Exec& exec, PreparedRecording recording, const std::filesystem::path& path,
                    std::int64_t window_samples, TransferLedger& ledger, StageTimes& times) {
  std::vector<SampleRange> windows;
  const std::int64_t n_samples = recording.stored.n_samples();
  for (std::int64_t first = 0; first < n_samples; first += window_samples)
    windows.push_back({first, std::min(first + window_samples, n_samples)});
  const std::size_t n_channels = recording.preparation.n_channels();
  const std::size_t longest = longest_of(windows);
  const Matrix<float, Exec> traces(unfilled(exec, "kokkosort::recording::traces"), n_channels, longest);
  const Vector<std::int16_t, Exec> steps(unfilled(exec, "kokkosort::recording::steps"), n_channels * longest);
  const StagingVector<std::int16_t, Exec> staging(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "kokkosort::recording::steps_on_host"),
      runs_on_host<Exec> ? 0 : steps.size());

  TraceLoader<Exec> loader(exec, recording, windows, {}, "recording", ledger, times);
  std::ofstream file(path, std::ios::binary);
  for (const SampleRange& window : windows) {
    loader.next(traces);
    ScopedStage<Exec> scope(exec, times, "recording::write");
    scope.needs(
        {(sizeof(float) + sizeof(std::int16_t)) * static_cast<double>(window.size() * n_channels), 0.0});
    quantise(exec, traces, window.size(), steps);
    const Vector<std::int16_t, Exec> filled(
        Kokkos::subview(steps, std::make_pair(std::size_t{0}, window.size() * n_channels)));
    const auto on_host = bring_down(exec, ledger, "recording", "whitened", staging, filled);
    file.write(reinterpret_cast<const char*>(on_host.data()),
               static_cast<std::streamsize>(on_host.size() * sizeof(std::int16_t)));
    refuse_failure(file, path);
  }
  file.close();
  refuse_failure(file, path);
}

#define INSTANTIATE(Exec)                                                                                  \
  template void write_whitened(const Exec&, PreparedRecording, const std::filesystem::path&, std::int64_t, \
                               TransferLedger&, StageTimes&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
