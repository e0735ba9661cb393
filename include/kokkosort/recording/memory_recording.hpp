#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kokkosort/recording/recording.hpp"

namespace kokkosort {

/// The stored type of samples that a program holds as T.
template <class T>
constexpr SampleType sample_type_of() {
  if constexpr (std::is_same_v<T, std::int16_t>) {
    return SampleType::int16;
  } else if constexpr (std::is_same_v<T, std::uint16_t>) {
    return SampleType::uint16;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return SampleType::int32;
  } else {
    static_assert(std::is_same_v<T, float>, "a type that SampleType names");
    return SampleType::float32;
  }
}

/// A recording in memory, of which it keeps a copy.
class MemoryRecording final : public Recording {
 public:
  /// @param samples  [samples, channels], of a type that SampleType names
  /// @throws InputError if there is no channel, or the values are no whole number of samples
  template <class T>
  MemoryRecording(const std::vector<T>& samples, std::size_t n_channels)
      : MemoryRecording(samples.data(), samples.size(), n_channels, sample_type_of<T>()) {}

  std::int64_t n_samples() const override { return n_samples_; }
  std::size_t n_channels() const override { return n_channels_; }
  SampleType type() const override { return type_; }
  void read(std::int64_t first, std::size_t count, void* to) override;
  bool reads_in_parallel() const override { return true; }

 private:
  MemoryRecording(const void* values, std::size_t n_values, std::size_t n_channels, SampleType type);

  std::vector<std::byte> bytes_;
  std::size_t n_channels_;
  SampleType type_;
  std::int64_t n_samples_;
};

}  // namespace kokkosort
