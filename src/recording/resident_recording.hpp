#pragma once

#include <cstddef>

#include "recording/sample_reader.hpp"
#include "recording/sample_set.hpp"

namespace kokkosort {

/// Bytes of a device's memory that are worth a recording's samples when it is gone through several times: up
/// to half of the limit; none if not even a quarter of the recording would be there.
std::size_t resident_share(const Recording& recording, std::size_t limit_bytes);

/// A recording that keeps the samples of its beginning on the device, as stored: whoever needs them first
/// reads them, others use them in place. WindowReader knows it. It keeps what reading takes, too.
template <class Exec>
class ResidentRecording final : public Recording {
 public:
  /// @param whole        must stay
  /// @param most_bytes   of the device, for samples
  ResidentRecording(const Exec& exec, Recording& whole, std::size_t most_bytes,
                    const ReadingOptions& reading = {});

  std::int64_t n_samples() const override { return whole_.n_samples(); }
  std::size_t n_channels() const override { return whole_.n_channels(); }
  SampleType type() const override { return whole_.type(); }
  void read(std::int64_t first, std::size_t count, void* to) override { whole_.read(first, count, to); }
  bool reads_in_parallel() const override { return whole_.reads_in_parallel(); }

  /// Whether a range is part of what is kept.
  bool keeps(SampleRange range) const { return range.last <= n_kept_; }

  /// Reads what is missing of a range that is kept, and returns when it is on the device. From any thread,
  /// one at a time; reader().reserve() comes first.
  /// @return bytes that were read
  /// @throws InputError if it cannot be read
  std::size_t fill(SampleRange range);

  /// Samples of a range that was filled, [samples, channels].
  Vector<unsigned char, Exec> samples(SampleRange range) const;

  SampleReader<Exec>& reader() { return reader_; }

  std::size_t device_bytes() const { return kept_.size(); }

  /// Gives the device's memory back; no window may be in use.
  void release();

 private:
  Recording& whole_;
  SampleReader<Exec> reader_;
  std::int64_t n_kept_;  // samples
  Vector<unsigned char, Exec> kept_;
  SampleSet filled_;
};

}  // namespace kokkosort
