#pragma once

#include <array>
#include <cstddef>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "kokkosort/stage_times.hpp"
#include "kokkosort/transfer_ledger.hpp"
#include "recording/resident_recording.hpp"
#include "recording/stored_window.hpp"

namespace kokkosort {

/// Samples of the longest range.
std::size_t longest_of(const std::vector<SampleRange>& ranges);

/// Brings stretches of a recording to the device one after the other, each while the one before is worked on:
/// into two buffers in turn, or to where a ResidentRecording keeps them.
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

  /// Device bytes that a reader takes.
  static std::size_t device_bytes(const Recording& recording, const std::vector<SampleRange>& ranges);

 private:
  void begin_reading();
  Vector<unsigned char, Exec> place_of(std::size_t i) const;

  Exec exec_;
  Recording& recording_;
  ResidentRecording<Exec>* resident_;  // the recording, if it is one
  std::vector<SampleRange> ranges_;
  std::string stage_;
  TransferLedger& ledger_;
  StageTimes& times_;
  std::optional<SampleReader<Exec>> own_reader_;
  SampleReader<Exec>& reader_;
  std::array<Vector<unsigned char, Exec>, 2> buffers_;
  std::size_t next_ = 0;              // range that is being read
  std::future<std::size_t> reading_;  // valid while one is; the bytes that were read
};

}  // namespace kokkosort
