#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "kokkosort/recording/recording.hpp"
#include "kokkosort/recording/trace_loader.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// How samples are read. One thread copies from the page cache at a fraction of what a bus carries; beside
/// computing CPU cores it is enough.
struct ReadingOptions {
  std::size_t threads = 0;                         // that read at a time; 0: as many as pay
  std::size_t piece_bytes = std::size_t{4} << 20;  // that a thread reads, checks and sends up at once
};

/// Reads samples of one recording into device memory: a few threads take its pieces one after the other, each
/// through a pinned buffer of its own where the device is not the host.
template <class Exec>
class SampleReader {
 public:
  /// @param exec       whose device it is; nothing is queued on this instance
  /// @param recording  must stay
  SampleReader(const Exec& exec, Recording& recording, const ReadingOptions& options = {});

  /// Makes room for ranges up to this long. Not called while one is read.
  void reserve(std::size_t n_samples);

  /// Reads a range that is not longer than what was reserved, and returns when it is there. Called from any
  /// thread, one at a time.
  /// @param to  device memory, [range's samples, channels] as stored
  /// @throws InputError if it cannot be read: of several reasons the one that comes first in the recording
  void read(SampleRange range, unsigned char* to);

  std::size_t bytes(std::size_t n_samples) const;

 private:
  using Buffer = StagingVector<unsigned char, Exec>;

  std::size_t piece_samples(std::size_t n_samples) const;
  void read_piece(SampleRange piece, unsigned char* to, const Buffer& buffer);

  Exec copies_;  // instance of their own, beside the kernels
  Recording& recording_;
  std::size_t piece_bytes_;
  std::vector<Buffer> buffers_;  // one a thread; empty where the device is the host
  std::mutex copying_;           // held by the thread that uses copies_
};

}  // namespace kokkosort
