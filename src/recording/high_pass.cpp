#include "recording/high_pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/instantiate.hpp"
#include "core/lanes.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort {
namespace {

constexpr int filter_chunk = 8;  // samples that a thread reads before it filters them: loads in flight

/// Neighbouring channels of one block, filtered in one direction of time.
template <class Exec>
struct FilterState {
  static constexpr int lanes = runs_on_host<Exec> ? 32 : 1;

  float first[lanes] = {};
  float band[lanes] = {};
  float low[lanes] = {};

  KOKKOS_FORCEINLINE_FUNCTION void step(const HighPass& filter, float (&x)[lanes]) {
    for_lanes<lanes>([&](const int lane) {
      const float rise = (x[lane] - first[lane]) * filter.first_gain;
      const float slow = first[lane] + rise;
      first[lane] = slow + rise;
      const float fast =
          ((x[lane] - slow) - band[lane] - filter.integrator * band[lane] - low[lane]) * filter.second_gain;
      const float to_band = filter.integrator * fast;
      const float between = band[lane] + to_band;
      band[lane] = between + to_band;
      const float to_low = filter.integrator * between;
      low[lane] += 2.0f * to_low;
      x[lane] = fast;
    });
  }
};

/// Filters blocks in one direction of time: 1 or −1. A thread takes a block of `lanes` neighbouring channels.
template <class Exec, class T, int direction>
struct FilterBlocks {
  static constexpr int lanes = FilterState<Exec>::lanes;
  using Wide = Difference<T>;

  HighPass filter;
  const T* from;  // [samples, columns]
  std::size_t n_columns;
  std::int64_t from_first;            // sample of the recording
  Vector<std::int32_t, Exec> column;  // empty: 0, 1, …
  MatrixRef<float, Exec> to;          // [samples, channels]
  SampleRange range;                  // of `to`, in the recording
  std::int64_t n_samples;             // of the recording

  std::size_t n_groups() const { return (to.extent(1) + lanes - 1) / lanes; }
  std::size_t n_blocks() const {
    return (range.size() + static_cast<std::size_t>(filter.block) - 1) /
           static_cast<std::size_t>(filter.block);
  }

  /// Where a thread's channels are, and the constant that led to its state.
  struct Channels {
    std::size_t first;
    std::size_t at[lanes];
    bool are_neighbours;
    T start[lanes];
  };

  KOKKOS_FORCEINLINE_FUNCTION const T* row(std::int64_t sample) const {
    return from + static_cast<std::size_t>(sample - from_first) * n_columns;
  }

  KOKKOS_FORCEINLINE_FUNCTION void read(const Channels& channels, std::int64_t sample,
                                        float (&x)[lanes]) const {
    const T* const values = row(sample);
    if (channels.are_neighbours) {
      const T* const first = values + channels.at[0];
      for_lanes<lanes>([&](const int lane) {
        x[lane] =
            static_cast<float>(static_cast<Wide>(first[lane]) - static_cast<Wide>(channels.start[lane]));
      });
    } else {
      for (int lane = 0; lane < lanes; ++lane)
        x[lane] = static_cast<float>(static_cast<Wide>(values[channels.at[lane]]) -
                                     static_cast<Wide>(channels.start[lane]));
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void write(const Channels& channels, std::int64_t sample,
                                         const float (&x)[lanes]) const {
    float* const values = &to(static_cast<std::size_t>(sample - range.first), channels.first);
    const auto count = static_cast<int>(Kokkos::min(to.extent(1) - channels.first, std::size_t{lanes}));
    if (count == lanes)
      for_lanes<lanes>([&](const int lane) { values[lane] = x[lane]; });
    else
      for (int lane = 0; lane < count; ++lane) values[lane] = x[lane];
  }

  template <int count, bool kept>
  KOKKOS_FORCEINLINE_FUNCTION void filter_chunk_at(const Channels& channels, std::int64_t sample,
                                                   FilterState<Exec>& state) const {
    float x[count][lanes];
    for (int s = 0; s < count; ++s) read(channels, sample + direction * s, x[s]);
    for (int s = 0; s < count; ++s) state.step(filter, x[s]);
    if (kept)
      for (int s = 0; s < count; ++s) write(channels, sample + direction * s, x[s]);
  }

  /// Whole chunks, each filtered while the next one is on its way: a window's threads are too few to hide
  /// what memory takes.
  /// @param count  becomes what is left
  /// @return the sample after the last
  template <bool kept>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t filter_reading_ahead(const Channels& channels, std::int64_t sample,
                                                                std::int64_t& count,
                                                                FilterState<Exec>& state) const {
    T ahead[filter_chunk];
    if (count >= filter_chunk) read_chunk(channels, sample, ahead);
    for (; count >= filter_chunk; count -= filter_chunk, sample += direction * filter_chunk) {
      T here[filter_chunk];
      for (int s = 0; s < filter_chunk; ++s) here[s] = ahead[s];
      if (count >= 2 * filter_chunk) read_chunk(channels, sample + direction * filter_chunk, ahead);
      for (int s = 0; s < filter_chunk; ++s) {
        float x[1] = {static_cast<float>(static_cast<Wide>(here[s]) - static_cast<Wide>(channels.start[0]))};
        state.step(filter, x);
        if (kept) write(channels, sample + direction * s, x);
      }
    }
    return sample;
  }

  KOKKOS_FORCEINLINE_FUNCTION void read_chunk(const Channels& channels, std::int64_t sample,
                                              T (&values)[filter_chunk]) const {
    for (int s = 0; s < filter_chunk; ++s) values[s] = row(sample + direction * s)[channels.at[0]];
  }

  /// @return the sample after the last
  template <bool kept>
  KOKKOS_INLINE_FUNCTION std::int64_t filter_samples(const Channels& channels, std::int64_t sample,
                                                     std::int64_t count, FilterState<Exec>& state) const {
    if constexpr (!runs_on_host<Exec>)
      sample = filter_reading_ahead<kept>(channels, sample, count, state);
    else
      for (; count >= filter_chunk; count -= filter_chunk, sample += direction * filter_chunk)
        filter_chunk_at<filter_chunk, kept>(channels, sample, state);
    for (; count > 0; --count, sample += direction) filter_chunk_at<1, kept>(channels, sample, state);
    return sample;
  }

  KOKKOS_INLINE_FUNCTION Channels channels_of(std::size_t group, std::int64_t start) const {
    Channels channels;
    channels.first = group * lanes;
    channels.are_neighbours = true;
    for (int lane = 0; lane < lanes; ++lane) {
      const std::size_t channel =
          Kokkos::min(channels.first + static_cast<std::size_t>(lane), to.extent(1) - 1);
      channels.at[lane] = column.extent(0) == 0 ? channel : static_cast<std::size_t>(column(channel));
      channels.are_neighbours &= channels.at[lane] == channels.at[0] + static_cast<std::size_t>(lane);
      channels.start[lane] = row(start)[channels.at[lane]];
    }
    return channels;
  }

  KOKKOS_INLINE_FUNCTION void operator()(const std::size_t task) const {
    const std::size_t groups = (to.extent(1) + lanes - 1) / lanes;
    const std::int64_t first = range.first + static_cast<std::int64_t>(task / groups) * filter.block;
    const std::int64_t last = Kokkos::min(first + filter.block, range.last);
    const std::int64_t begin = direction > 0 ? first : last - 1;
    const std::int64_t start = direction > 0 ? Kokkos::max(begin - filter.warm_up, std::int64_t{0})
                                             : Kokkos::min(begin + filter.warm_up, n_samples - 1);
    const Channels channels = channels_of(task % groups, start);
    FilterState<Exec> state;
    const std::int64_t sample = filter_samples<false>(channels, start, (begin - start) * direction, state);
    filter_samples<true>(channels, sample, last - first, state);
  }
};

/// Small blocks of threads, so that a window's few long tasks spread over all of a GPU's processors.
template <class Exec, class T, int direction>
void run(const Exec& exec, const FilterBlocks<Exec, T, direction>& kernel) {
  Kokkos::parallel_for(
      direction > 0 ? "kokkosort::recording::filter_forward" : "kokkosort::recording::filter_backward",
      Kokkos::RangePolicy<Exec, Kokkos::LaunchBounds<64, 1>>(exec, 0, kernel.n_blocks() * kernel.n_groups()),
      kernel);
}

}  // namespace

HighPass design_high_pass(double sampling_rate_hz, double cutoff_hz) {
  if (!(cutoff_hz > 0.0 && cutoff_hz < 0.5 * sampling_rate_hz))
    throw InputError(
        fmt::format("preprocessing.highpass_hz = {} is not between 0 and half of the sampling rate, {} Hz",
                    cutoff_hz, 0.5 * sampling_rate_hz));
  // The slowest pole decays with half the cutoff's angular frequency; e⁻¹⁶ of a start far off is below any
  // noise.
  constexpr double decays = 16.0;
  const double samples = decays * sampling_rate_hz / (std::numbers::pi * cutoff_hz);
  const double g = std::tan(std::numbers::pi * cutoff_hz / sampling_rate_hz);
  HighPass filter;
  filter.integrator = static_cast<float>(g);
  filter.first_gain = static_cast<float>(g / (1.0 + g));
  filter.second_gain = static_cast<float>(1.0 / (1.0 + g + g * g));
  filter.warm_up = (static_cast<std::int64_t>(std::ceil(samples)) / filter_chunk + 1) * filter_chunk;
  filter.block = 2 * filter.warm_up;  // a third of the work is warming up
  return filter;
}

SampleRange blocks_around(const HighPass& filter, SampleRange range, std::int64_t n_samples) {
  const SampleRange inside = within_recording(range, n_samples);
  if (inside.size() == 0) return inside;
  return {inside.first / filter.block * filter.block,
          std::min((inside.last + filter.block - 1) / filter.block * filter.block, n_samples)};
}

SampleRange forward_rows(const HighPass& filter, SampleRange blocks, std::int64_t n_samples) {
  return {blocks.first, widened(blocks, filter.warm_up, n_samples).last};
}

template <class Exec>
SampleRows<Exec> high_pass(const Exec& exec, const HighPass& filter, const StoredWindow<Exec>& stored,
                           const Vector<std::int32_t, Exec>& column, SampleRange blocks,
                           std::int64_t n_samples, const Vector<float, Exec>& forward,
                           const Vector<float, Exec>& filtered) {
  const std::size_t n_channels = column.extent(0);
  if (blocks.size() == 0) return {MatrixRef<float, Exec>(filtered.data(), 0, n_channels), blocks};
  const SampleRange longer = forward_rows(filter, blocks, n_samples);
  const MatrixRef<float, Exec> between(forward.data(), longer.size(), n_channels);
  const MatrixRef<float, Exec> result(filtered.data(), blocks.size(), n_channels);
  with_type(stored.type, [&](auto zero) {
    using T = decltype(zero);
    run(exec,
        FilterBlocks<Exec, T, 1>{filter, reinterpret_cast<const T*>(stored.bytes.data()), stored.n_columns,
                                 stored.range.first, column, between, longer, n_samples});
  });
  run(exec, FilterBlocks<Exec, float, -1>{
                filter, between.data(), n_channels, blocks.first, {}, result, blocks, n_samples});
  return {result, blocks};
}

#define INSTANTIATE(Exec)                                                                           \
  template SampleRows<Exec> high_pass(const Exec&, const HighPass&, const StoredWindow<Exec>&,      \
                                      const Vector<std::int32_t, Exec>&, SampleRange, std::int64_t, \
                                      const Vector<float, Exec>&, const Vector<float, Exec>&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
