#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <future>
#include <vector>

#include "kokkosort/matching/window.hpp"
#include "kokkosort/recording/recording.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// Samples [first, last) of a recording.
struct SampleRange {
  std::int64_t first;
  std::int64_t last;

  std::size_t size() const { return static_cast<std::size_t>(last - first); }
};

/// The recording's samples within a window's traces.
SampleRange stored_range(const WindowExtent& window, int nt, std::int64_t n_samples);

/// Bytes of the longest window's stored samples.
std::size_t longest_window_bytes(const Recording& recording, const std::vector<WindowExtent>& windows,
                                 int nt);

/// Reads a recording's windows one after the other, each while the one before is worked on, into two buffers
/// in turn.
template <class Exec>
class WindowReader {
 public:
  /// @param windows  must stay
  WindowReader(Recording& recording, const std::vector<WindowExtent>& windows, int nt);
  ~WindowReader();
  WindowReader(const WindowReader&) = delete;
  WindowReader& operator=(const WindowReader&) = delete;

  /// The next window's samples, [samples, channels] as stored; they stay until next() is called again.
  /// @throws InputError if they cannot be read
  StagingVector<unsigned char, Exec> next();

 private:
  void begin_reading();

  Recording& recording_;
  const std::vector<WindowExtent>& windows_;
  int nt_;
  std::array<StagingVector<unsigned char, Exec>, 2> buffers_;
  std::size_t next_ = 0;       // window that is being read
  std::future<void> reading_;  // valid while one is
};

}  // namespace kokkosort
