#pragma once
// What all recordings have to check when they are read.

#include <cstddef>
#include <cstdint>
#include <string>

#include "kokkosort/recording/recording.hpp"

namespace kokkosort {

/// @throws std::out_of_range if samples [first, first + count) are not all in the recording
void check_range(const Recording& recording, std::int64_t first, std::size_t count);

/// @param values  [count, channels], of the recording's type
/// @param first   number of the first sample, as the error gives it
/// @param name    what the error begins with
/// @throws InputError naming sample and channel of the first value that is not finite
void check_finite(const Recording& recording, const void* values, std::int64_t first, std::size_t count,
                  const std::string& name);

}  // namespace kokkosort
