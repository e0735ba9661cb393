#include "kokkosort/recording/memory_recording.hpp"

#include <fmt/format.h>

#include <cstring>

#include "core/counted.hpp"
#include "kokkosort/errors.hpp"
#include "recording/reading.hpp"

namespace kokkosort {

MemoryRecording::MemoryRecording(const void* values, std::size_t n_values, std::size_t n_channels,
                                 SampleType type)
    : bytes_(n_values * bytes_of(type)), n_channels_(n_channels), type_(type) {
  if (n_channels == 0) throw InputError("a recording in memory has no channels");
  if (n_values % n_channels != 0)
    throw InputError(fmt::format("a recording in memory has {}, no whole number of samples of {}",
                                 counted(n_values, "value"), counted(n_channels, "channel")));
  n_samples_ = static_cast<std::int64_t>(n_values / n_channels);
  if (n_values > 0) std::memcpy(bytes_.data(), values, bytes_.size());
}

void MemoryRecording::read(std::int64_t first, std::size_t count, void* to) {
  check_range(*this, first, count);
  if (count == 0) return;
  const std::size_t sample_bytes = n_channels_ * bytes_of(type_);
  std::memcpy(to, bytes_.data() + static_cast<std::size_t>(first) * sample_bytes, count * sample_bytes);
  check_finite(*this, to, first, count, "a recording in memory");
}

}  // namespace kokkosort
