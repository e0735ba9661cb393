#include "recording/reading.hpp"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

#include "core/find_outside.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort {

void check_range(const Recording& recording, std::int64_t first, std::size_t count) {
  const std::int64_t n = recording.n_samples();
  if (first < 0 || first > n || count > static_cast<std::size_t>(n - first))
    throw std::out_of_range(fmt::format("samples {} to {} of a recording of {}", first,
                                        first + static_cast<std::int64_t>(count), n));
}

void check_finite(const Recording& recording, const void* values, std::int64_t first, std::size_t count,
                  const std::string& name) {
  if (recording.type() != SampleType::float32) return;
  const auto* const floats = static_cast<const float*>(values);
  const std::size_t n_channels = recording.n_channels();
  const std::size_t place = find_outside(floats, count * n_channels, std::numeric_limits<float>::max());
  if (place == count * n_channels) return;
  throw InputError(fmt::format("{}: sample {}, channel {} is {}; samples must be finite", name,
                               first + static_cast<std::int64_t>(place / n_channels), place % n_channels,
                               floats[place]));
}

}  // namespace kokkosort
