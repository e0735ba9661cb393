#include "kokkosort/recording/preparation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/counted.hpp"
#include "core/instantiate.hpp"
#include "core/transfers.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/recording/trace_loader.hpp"
#include "recording/covariance.hpp"
#include "recording/row_preparer.hpp"
#include "recording/saturation.hpp"
#include "recording/window_reader.hpp"
#include "recording/zca.hpp"

namespace kokkosort {
namespace {

const std::string stage = "recording";

/// Every n-th window of the recording, or more so that there are enough; evenly spread.
std::vector<SampleRange> windows_to_look_at(std::int64_t n_samples, const PreprocessingOptions& options) {
  const std::int64_t length = options.window_samples;
  const std::int64_t total = (n_samples + length - 1) / length;
  const std::int64_t every = (total + options.whitening_stride - 1) / options.whitening_stride;
  const std::int64_t count = std::min(total, std::max<std::int64_t>(every, options.min_whitening_windows));
  std::vector<SampleRange> windows;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t first = i * total / count * length;
    windows.push_back({first, std::min(first + length, n_samples)});
  }
  return windows;
}

/// Filtered channels as they are.
TracePreparation without_whitening(const std::vector<std::int32_t>& column, double sampling_rate_hz,
                                   double offset, double highpass_hz) {
  TracePreparation traces = whitened_already(column.size(), 1.0);
  traces.column = column;
  traces.sampling_rate_hz = sampling_rate_hz;
  traces.highpass_hz = highpass_hz;
  traces.offset = offset;
  return traces;
}

/// Channels that each channel is decorrelated from.
std::size_t whitening_neighbours(const std::vector<std::int32_t>& column,
                                 const PreprocessingOptions& options) {
  return std::min(static_cast<std::size_t>(std::max(options.whitening_channels, 1)), column.size());
}

void check_length(const Recording& recording, const std::vector<std::int32_t>& column,
                  const PreprocessingOptions& options) {
  constexpr std::size_t samples_a_neighbour = 10;
  const std::size_t k = whitening_neighbours(column, options);
  const auto needed = static_cast<std::int64_t>(samples_a_neighbour * k);
  if (recording.n_samples() < needed)
    throw InputError(
        fmt::format("the recording has {}; to whiten channels by their {} nearest takes at least {}; "
                    "give a longer one, or lower preprocessing.whitening_channels",
                    counted(recording.n_samples(), "sample"), k, needed));
}

/// Device bytes that looking at some windows takes.
template <class Exec>
std::size_t look_bytes(const Recording& recording, const TracePreparation& traces,
                       const std::vector<SampleRange>& windows) {
  const RowPlan plan(traces, recording.n_samples());
  return WindowReader<Exec>::device_bytes(recording, plan.stored(windows)) +
         sizeof(float) * RowPreparer<Exec>::floats(traces, plan, windows, 0) +
         Covariance<Exec>::device_bytes(traces.n_channels(), longest_of(windows));
}

/// What looking at some windows takes.
template <class Exec>
struct Look {
  const Exec& exec;
  Recording& recording;
  std::vector<SampleRange> windows;
  TransferLedger& ledger;
  StageTimes& times;

  /// Calls body(stored, rows) for each window.
  /// @return the channels' covariance
  template <class Body>
  HostMatrix<double> operator()(const TracePreparation& traces, const Body& body) const {
    const RowPlan plan(traces, recording.n_samples());
    WindowReader<Exec> reader(exec, recording, plan.stored(windows), stage, ledger, times);
    const RowPreparer<Exec> rows(exec, traces, plan, windows, 0, stage, ledger);
    Covariance<Exec> covariance(exec, traces.n_channels(), longest_of(windows));
    for (const SampleRange& window : windows) {
      const StoredWindow<Exec> stored = reader.next();
      ScopedStage<Exec> scope(exec, times, stage + "::covariance");
      scope.needs(work(traces, stored, window));
      covariance.add(exec, rows.prepare(exec, stored, window), window);
      body(stored, rows.column());
    }
    return covariance.mean(exec, stage, ledger);
  }

  /// Reads the stored samples; the filter forward and backward, and a product of each pair of channels.
  static StageWork work(const TracePreparation& traces, const StoredWindow<Exec>& stored,
                        SampleRange window) {
    const auto n_channels = static_cast<double>(traces.n_channels());
    const double filter = traces.highpass_hz > 0.0 ? 2.0 * HighPass::operations : 0.0;
    return {static_cast<double>(stored.n_bytes()),
            static_cast<double>(window.size()) * n_channels * (n_channels + 1.0 + filter)};
  }
};

std::vector<double> diagonal(const HostMatrix<double>& matrix) {
  std::vector<double> values;
  for (std::size_t i = 0; i < matrix.extent(0); ++i) values.push_back(matrix(i, i));
  return values;
}

constexpr double largest_variance = 1e30;  // of samples: their squares are summed in single precision

/// Channels that are neither constant nor much quieter than the others.
/// @param variance, steps  [channels]; steps between a channel's smallest and largest sample
std::vector<bool> find_live(const std::vector<double>& variance, const std::vector<std::uint64_t>& steps,
                            double min_variance) {
  std::vector<double> moving;
  for (std::size_t c = 0; c < variance.size(); ++c) {
    if (steps[c] > 0) moving.push_back(variance[c]);
    if (!std::isfinite(variance[c]) || (steps[c] > 0 && variance[c] > largest_variance))
      throw InputError(fmt::format(
          "channel {} of the recording has samples too large to be computed with; scale them, or is "
          "input.dtype wrong?",
          c));
  }
  if (moving.empty())
    throw InputError(
        fmt::format("no channel of the recording is alive: {} constant; is input.dtype right, and are "
                    "input.channels those of the probe?",
                    variance.size() == 1 ? "the only one is" : fmt::format("all {} are", variance.size())));
  if (*std::max_element(moving.begin(), moving.end()) == 0.0)
    throw InputError(
        "the recording's samples are too small to be computed with; scale them, or is input.dtype wrong?");
  const auto middle = moving.begin() + static_cast<std::ptrdiff_t>(moving.size() / 2);
  std::nth_element(moving.begin(), middle, moving.end());
  std::vector<bool> live;
  for (std::size_t c = 0; c < variance.size(); ++c)
    live.push_back(steps[c] > 0 && variance[c] > 0.0 && variance[c] >= min_variance * *middle);
  return live;
}

/// Between each channel's extremes.
template <class Exec>
std::vector<std::uint64_t> read_steps(const Exec& exec, const ChannelExtremes<Exec>& extremes,
                                      TransferLedger& ledger) {
  const std::size_t n = extremes.smallest.extent(0);
  std::vector<std::int64_t> smallest(n);
  std::vector<std::int64_t> largest(n);
  copy_down(exec, ledger, stage, "smallest", HostVector<std::int64_t>(smallest.data(), n), extremes.smallest);
  copy_down(exec, ledger, stage, "largest", HostVector<std::int64_t>(largest.data(), n), extremes.largest);
  std::vector<std::uint64_t> steps;
  for (std::size_t c = 0; c < n; ++c) steps.push_back(static_cast<std::uint64_t>(largest[c] - smallest[c]));
  return steps;
}

void put_weights(const LocalWhitening& whitening, Preparation& result) {
  const std::size_t n = result.channels.size();
  const std::size_t k = whitening.weights.extent(1);
  result.traces.neighbours = whitening.neighbours;
  result.traces.weights = HostMatrix<float>("kokkosort::recording::weights_on_host", n, k);
  result.whitening = HostMatrix<double>("kokkosort::recording::whitening_on_host", n, n);
  for (std::size_t c = 0; c < n; ++c)
    for (std::size_t i = 0; i < k; ++i) {
      result.traces.weights(c, i) = static_cast<float>(whitening.weights(c, i));
      if (!result.channels[c].is_dead)
        result.whitening(c, static_cast<std::size_t>(whitening.neighbours(c, i))) = whitening.weights(c, i);
    }
}

}  // namespace

template <class Exec>
void check_preparation(const Recording& recording, const std::vector<std::int32_t>& column,
                       double sampling_rate_hz, const PreprocessingOptions& options) {
  check_length(recording, column, options);
  TracePreparation traces = without_whitening(column, sampling_rate_hz, 0.0, options.highpass_hz);
  const std::size_t needed =
      look_bytes<Exec>(recording, traces, windows_to_look_at(recording.n_samples(), options));
  if (needed <= options.device_limit_bytes) return;
  throw DeviceLimitError(
      fmt::format("memory.device_limit_mb = {} is too small: preprocessing windows of {} samples of {} "
                  "needs {}; raise it, or lower preprocessing.window_samples",
                  options.device_limit_bytes >> 20, options.window_samples, counted(column.size(), "channel"),
                  (needed >> 20) + 1));
}

TracePreparation unlearned_preparation(const std::vector<std::int32_t>& column, double sampling_rate_hz,
                                       const PreprocessingOptions& options) {
  TracePreparation traces = without_whitening(column, sampling_rate_hz, 0.0, options.highpass_hz);
  const std::size_t n_channels = column.size();
  const std::size_t k = whitening_neighbours(column, options);
  traces.common_reference = options.common_reference && n_channels >= static_cast<std::size_t>(std::max(
                                                                          options.min_reference_channels, 0));
  traces.neighbours = HostMatrix<std::int32_t>("kokkosort::recording::neighbours_on_host", n_channels, k);
  traces.weights = HostMatrix<float>("kokkosort::recording::weights_on_host", n_channels, k);
  return traces;
}

template <class Exec>
Preparation prepare_recording(const Exec& exec, Recording& recording, const Probe& probe,
                              const std::vector<std::int32_t>& column, double sampling_rate_hz, double offset,
                              const PreprocessingOptions& options, TransferLedger& ledger) {
  check_preparation<Exec>(recording, column, sampling_rate_hz, options);
  const std::size_t n_channels = column.size();
  Preparation result;
  result.traces = without_whitening(column, sampling_rate_hz, offset, options.highpass_hz);
  result.channels.resize(n_channels);
  const Look<Exec> look{exec, recording, windows_to_look_at(recording.n_samples(), options), ledger,
                        result.times};

  // First which channels are dead, then the median of the others.
  const ChannelExtremes<Exec> extremes = make_extremes(exec, n_channels);
  const auto unreferenced = look(result.traces, [&](const StoredWindow<Exec>& stored, const auto& columns) {
    update_extremes(exec, stored, columns, extremes);
  });
  const std::vector<bool> live =
      find_live(diagonal(unreferenced), read_steps(exec, extremes, ledger), options.min_variance);
  for (std::size_t c = 0; c < n_channels; ++c) result.traces.weights(c, 0) = live[c] ? 1.0f : 0.0f;
  result.traces.common_reference = options.common_reference && std::count(live.begin(), live.end(), true) >=
                                                                   options.min_reference_channels;

  const Vector<std::uint64_t, Exec> counts(unfilled(exec, "kokkosort::recording::saturated"), n_channels);
  Kokkos::deep_copy(exec, counts, std::uint64_t{0});
  std::size_t n_counted = 0;
  const auto covariance = look(result.traces, [&](const StoredWindow<Exec>& stored, const auto& columns) {
    count_saturated(exec, stored, columns, extremes, counts);
    n_counted += stored.range.size();
  });
  std::vector<std::uint64_t> saturated(n_channels);
  copy_down(exec, ledger, stage, "saturated", HostVector<std::uint64_t>(saturated.data(), n_channels),
            counts);
  for (std::size_t c = 0; c < n_channels; ++c) {
    const double share = static_cast<double>(saturated[c]) / static_cast<double>(n_counted);
    result.channels[c] = {live[c] ? std::sqrt(covariance(c, c)) : 0.0, share, !live[c],
                          share > options.max_saturated};
  }
  const ScopedStage<Exec> scope(exec, result.times, stage + "::whitening");
  put_weights(local_whitening(probe, covariance, live,
                              static_cast<std::size_t>(std::max(options.whitening_channels, 1))),
              result);
  return result;
}

#define INSTANTIATE(Exec)                                                                           \
  template void check_preparation<Exec>(const Recording&, const std::vector<std::int32_t>&, double, \
                                        const PreprocessingOptions&);                               \
  template Preparation prepare_recording(const Exec&, Recording&, const Probe&,                     \
                                         const std::vector<std::int32_t>&, double, double,          \
                                         const PreprocessingOptions&, TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
