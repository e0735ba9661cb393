#pragma once
// What several commands refuse before they begin; the same for `check`.

#include <cstddef>
#include <filesystem>
#include <vector>

#include "driver/environment.hpp"

namespace kokkosort {

/// @throws InputError if the result would replace an input: that may itself be called clusters.h5
void refuse_replacing_input(const std::filesystem::path& input, const std::filesystem::path& result);

/// Likewise for each of several.
void refuse_replacing_inputs(const std::vector<std::filesystem::path>& inputs,
                             const std::filesystem::path& result);

/// Chooses memory.device_limit_mb where it is 0: half of what is free.
/// @throws InputError if the device has less memory than it grants
void settle_device_limit(std::size_t& limit_bytes, const Device& device);

}  // namespace kokkosort
