#pragma once

#include <cstddef>
#include <cstdint>

namespace kokkosort {

/// How a recording's samples are stored.
enum class SampleType { int16, uint16, int32, float32 };

constexpr std::size_t bytes_of(SampleType type) {
  return type == SampleType::int16 || type == SampleType::uint16 ? 2 : 4;
}

/// As NumPy calls it.
constexpr const char* name_of(SampleType type) {
  switch (type) {
    case SampleType::int16:
      return "int16";
    case SampleType::uint16:
      return "uint16";
    case SampleType::int32:
      return "int32";
    default:
      return "float32";
  }
}

/// A recording's samples wherever they lie: a file, several, or memory.
class Recording {
 public:
  virtual ~Recording() = default;

  virtual std::int64_t n_samples() const = 0;
  virtual std::size_t n_channels() const = 0;
  virtual SampleType type() const = 0;

  /// Reads samples [first, first + count) of all channels, as stored: [count, channels].
  /// Called from one thread at a time, which need not be the one that opened the recording, unless
  /// reads_in_parallel().
  /// @param to  count · channels · bytes_of(type()) bytes
  /// @throws InputError naming the file if it cannot be read
  virtual void read(std::int64_t first, std::size_t count, void* to) = 0;

  /// Whether several threads may read at a time.
  virtual bool reads_in_parallel() const { return false; }
};

}  // namespace kokkosort
