#pragma once

#include <cstdint>

#include "kokkosort/recording/recording.hpp"

namespace kokkosort {

/// Samples [first, last) of another recording, as if there were no others.
class RecordingSlice final : public Recording {
 public:
  /// @param whole  must stay
  /// @throws InputError if there is no such sample in it
  RecordingSlice(Recording& whole, std::int64_t first, std::int64_t last);

  std::int64_t n_samples() const override { return last_ - first_; }
  std::size_t n_channels() const override { return whole_.n_channels(); }
  SampleType type() const override { return whole_.type(); }
  void read(std::int64_t first, std::size_t count, void* to) override;
  bool reads_in_parallel() const override { return whole_.reads_in_parallel(); }

 private:
  Recording& whole_;
  std::int64_t first_;
  std::int64_t last_;
};

}  // namespace kokkosort
