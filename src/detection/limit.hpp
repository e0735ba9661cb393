#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "kokkosort/detection/options.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort {

/// @param what  needs so many bytes of the device
/// @throws DeviceLimitError if the limit is smaller
inline void refuse_small_limit(std::size_t needed, const DetectionOptions& options, const std::string& what) {
  if (needed <= options.device_limit_bytes) return;
  throw DeviceLimitError(
      fmt::format("memory.device_limit_mb = {} is too small: {} in windows of {} samples needs {}; raise "
                  "it, or lower detection.window_samples",
                  options.device_limit_bytes >> 20, what, options.window_samples, (needed >> 20) + 1));
}

}  // namespace kokkosort
