#pragma once

#include <cstdint>

#include "kokkosort/io/sorting_file.hpp"

namespace kokkosort {

/// When a sample of a sorting is, in seconds from the start of the recording's files.
inline double time_s(const SortedRecording& recording, std::int64_t sample) {
  return static_cast<double>(recording.first_sample + sample) / recording.sampling_rate_hz;
}

}  // namespace kokkosort
