#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kokkosort/recording/recording.hpp"
#include "kokkosort/recording/trace_loader.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// Stored samples of a stretch of the recording, on the device.
template <class Exec>
struct StoredWindow {
  Vector<unsigned char, Exec> bytes;  // [samples, columns] of `type`
  SampleType type = SampleType::int16;
  std::size_t n_columns = 0;
  SampleRange range{0, 0};

  std::size_t n_bytes() const { return range.size() * n_columns * bytes_of(type); }
};

/// @param range  in the window's
template <class Exec>
StoredWindow<Exec> part_of(const StoredWindow<Exec>& stored, SampleRange range) {
  const std::size_t sample_bytes = stored.n_columns * bytes_of(stored.type);
  const std::size_t first = static_cast<std::size_t>(range.first - stored.range.first) * sample_bytes;
  const auto bytes = std::make_pair(first, first + range.size() * sample_bytes);
  return {Kokkos::subview(stored.bytes, bytes), stored.type, stored.n_columns, range};
}

/// Calls body with a zero of the type that samples are stored as.
template <class Body>
void with_type(SampleType type, const Body& body) {
  switch (type) {
    case SampleType::int16:
      return body(std::int16_t{0});
    case SampleType::uint16:
      return body(std::uint16_t{0});
    case SampleType::int32:
      return body(std::int32_t{0});
    case SampleType::float32:
      return body(0.0f);
  }
}

/// What samples are subtracted in, so that nothing is lost.
template <class T>
using Difference = std::conditional_t<std::is_same_v<T, std::int32_t>, double, float>;

/// Samples of the recording's channels side by side, as numbers: the rows of a stretch of time.
template <class Exec>
struct SampleRows {
  MatrixRef<float, Exec> values;  // [samples, channels]
  SampleRange range{0, 0};
};

/// A range with `margin` samples more on each side, as far as the recording has them.
inline SampleRange widened(SampleRange range, std::int64_t margin, std::int64_t n_samples) {
  return {range.first > margin ? range.first - margin : 0,
          range.last < n_samples - margin ? range.last + margin : n_samples};
}

/// The part of a range that is in the recording.
inline SampleRange within_recording(SampleRange range, std::int64_t n_samples) {
  const auto clamped = [n_samples](std::int64_t t) { return t < 0 ? 0 : t > n_samples ? n_samples : t; };
  return {clamped(range.first), clamped(range.last)};
}

}  // namespace kokkosort
