#pragma once

#include <array>
#include <cstddef>
#include <future>
#include <string>
#include <vector>

#include "kokkosort/stage_times.hpp"
#include "kokkosort/transfer_ledger.hpp"
#include "recording/stored_window.hpp"

namespace kokkosort {

/// Samples of the longest range.
std::size_t longest_of(const std::vector<SampleRange>& ranges);

/// Reads stretches of a recording one after the other, each while the one before is worked on, into two
/// buffers in turn, and brings them to the device.
template <class Exec>
class WindowReader {
 public:
  /// @param ranges  within the recording
  /// @param stage   for the ledger and times
  /// @param recording, ledger, times  must stay
  WindowReader(const Exec& exec, Recording& recording, std::vector<SampleRange> ranges,
               const std::string& stage, TransferLedger& ledger, StageTimes& times);
  ~WindowReader();
  WindowReader(const WindowReader&) = delete;
  WindowReader& operator=(const WindowReader&) = delete;

  /// The next stretch; it stays until next() is called again.
  /// @throws InputError if it cannot be read
  StoredWindow<Exec> next();

 private:
  void begin_reading();
  std::size_t bytes(std::size_t n_samples) const;

  Exec exec_;
  Recording& recording_;
  std::vector<SampleRange> ranges_;
  std::string stage_;
  TransferLedger& ledger_;
  StageTimes& times_;
  std::array<StagingVector<unsigned char, Exec>, 2> buffers_;
  Vector<unsigned char, Exec> on_device_;
  std::size_t next_ = 0;       // range that is being read
  std::future<void> reading_;  // valid while one is
};

}  // namespace kokkosort
