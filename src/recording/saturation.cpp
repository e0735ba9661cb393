#include "recording/saturation.hpp"

#include <limits>

#include "core/instantiate.hpp"
#include "recording/ordered_key.hpp"

namespace kokkosort {
namespace {

constexpr std::int64_t fewest_steps = 16;  // between extremes that noise does not hold
constexpr std::size_t thread_samples = 512;

template <class T>
KOKKOS_FORCEINLINE_FUNCTION std::int64_t key_of(T sample) {
  if constexpr (std::is_same_v<T, float>)
    return ordered_key(sample + 0.0f);  // one zero
  else
    return sample;
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION std::int64_t lowest_key() {
  return key_of(Kokkos::Experimental::finite_min_v<T>);
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION std::int64_t highest_key() {
  return key_of(Kokkos::Experimental::finite_max_v<T>);
}

/// A thread goes through some samples of a channel; neighbouring threads have neighbouring channels.
template <class Exec, class T>
struct ChannelSamples {
  const T* values;  // [samples, columns]
  std::size_t n_columns;
  std::size_t n_samples;
  Vector<std::int32_t, Exec> column;

  ChannelSamples(const StoredWindow<Exec>& stored, const Vector<std::int32_t, Exec>& columns)
      : values(reinterpret_cast<const T*>(stored.bytes.data())),
        n_columns(stored.n_columns),
        n_samples(stored.range.size()),
        column(columns) {}

  std::size_t n_tasks() const { return (n_samples + thread_samples - 1) / thread_samples * column.extent(0); }

  KOKKOS_FORCEINLINE_FUNCTION std::size_t channel(std::size_t task) const { return task % column.extent(0); }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t first(std::size_t task) const {
    return task / column.extent(0) * thread_samples;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t last(std::size_t task) const {
    return Kokkos::min(first(task) + thread_samples, n_samples);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t key(std::size_t sample, std::size_t in_channel) const {
    return key_of(values[sample * n_columns + static_cast<std::size_t>(column(in_channel))]);
  }
};

template <class T, class Exec>
void update_as(const Exec& exec, const StoredWindow<Exec>& stored, const Vector<std::int32_t, Exec>& column,
               const ChannelExtremes<Exec>& extremes) {
  const ChannelSamples<Exec, T> samples(stored, column);
  Kokkos::parallel_for(
      "kokkosort::recording::update_extremes", Kokkos::RangePolicy<Exec>(exec, 0, samples.n_tasks()),
      KOKKOS_LAMBDA(const std::size_t task) {
        const std::size_t channel = samples.channel(task);
        std::int64_t smallest = samples.key(samples.first(task), channel);
        std::int64_t largest = smallest;
        for (std::size_t t = samples.first(task) + 1; t < samples.last(task); ++t) {
          const std::int64_t key = samples.key(t, channel);
          smallest = Kokkos::min(smallest, key);
          largest = Kokkos::max(largest, key);
        }
        Kokkos::atomic_min(&extremes.smallest(channel), smallest);
        Kokkos::atomic_max(&extremes.largest(channel), largest);
      });
}

template <class T, class Exec>
void count_as(const Exec& exec, const StoredWindow<Exec>& stored, const Vector<std::int32_t, Exec>& column,
              const ChannelExtremes<Exec>& extremes, const Vector<std::uint64_t, Exec>& counts) {
  const ChannelSamples<Exec, T> samples(stored, column);
  Kokkos::parallel_for(
      "kokkosort::recording::count_saturated", Kokkos::RangePolicy<Exec>(exec, 0, samples.n_tasks()),
      KOKKOS_LAMBDA(const std::size_t task) {
        const std::size_t channel = samples.channel(task);
        const std::int64_t smallest = extremes.smallest(channel);
        const std::int64_t largest = extremes.largest(channel);
        const bool far = largest - smallest >= fewest_steps;
        const bool low_counts = far || smallest == lowest_key<T>();
        const bool high_counts = far || largest == highest_key<T>();
        std::uint64_t count = 0;
        const std::size_t first = samples.first(task);
        std::int64_t before = samples.key(first > 0 ? first - 1 : 0, channel);
        for (std::size_t t = first; t < samples.last(task); ++t) {
          const std::int64_t key = samples.key(t, channel);
          count += key == before && ((key == smallest && low_counts) || (key == largest && high_counts));
          before = key;
        }
        if (count > 0) Kokkos::atomic_add(&counts(channel), count);
      });
}

}  // namespace

template <class Exec>
ChannelExtremes<Exec> make_extremes(const Exec& exec, std::size_t n_channels) {
  ChannelExtremes<Exec> extremes;
  extremes.smallest =
      Vector<std::int64_t, Exec>(unfilled(exec, "kokkosort::recording::smallest"), n_channels);
  extremes.largest = Vector<std::int64_t, Exec>(unfilled(exec, "kokkosort::recording::largest"), n_channels);
  Kokkos::deep_copy(exec, extremes.smallest, std::numeric_limits<std::int64_t>::max());
  Kokkos::deep_copy(exec, extremes.largest, std::numeric_limits<std::int64_t>::min());
  return extremes;
}

template <class Exec>
void update_extremes(const Exec& exec, const StoredWindow<Exec>& stored,
                     const Vector<std::int32_t, Exec>& column, const ChannelExtremes<Exec>& extremes) {
  with_type(stored.type, [&](auto zero) { update_as<decltype(zero)>(exec, stored, column, extremes); });
}

template <class Exec>
void count_saturated(const Exec& exec, const StoredWindow<Exec>& stored,
                     const Vector<std::int32_t, Exec>& column, const ChannelExtremes<Exec>& extremes,
                     const Vector<std::uint64_t, Exec>& counts) {
  with_type(stored.type,
            [&](auto zero) { count_as<decltype(zero)>(exec, stored, column, extremes, counts); });
}

#define INSTANTIATE(Exec)                                                                                  \
  template ChannelExtremes<Exec> make_extremes(const Exec&, std::size_t);                                  \
  template void update_extremes(const Exec&, const StoredWindow<Exec>&, const Vector<std::int32_t, Exec>&, \
                                const ChannelExtremes<Exec>&);                                             \
  template void count_saturated(const Exec&, const StoredWindow<Exec>&, const Vector<std::int32_t, Exec>&, \
                                const ChannelExtremes<Exec>&, const Vector<std::uint64_t, Exec>&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
