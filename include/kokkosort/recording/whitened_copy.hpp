#pragma once

#include <cstdint>
#include <filesystem>

#include "kokkosort/recording/preparation.hpp"

namespace kokkosort {

/// Standard deviations of the noise in a step of a whitened copy: 16 bits reach from −163.84 to 163.835.
inline constexpr double whitened_copy_scale = 1.0 / 200.0;

/// Writes a recording's whitened traces as a flat file of int16 [samples, channels], window by window.
/// `match` reads it with input.dtype = int16 and input.scale_to_sigma = 0.005. Larger values become the
/// largest.
///
/// @param exec   instance every kernel runs on; fenced on return
/// @param path   a PendingFile's
/// @param window_samples  written at once
/// @param times  gains what it took
/// @throws InputError if the recording cannot be read, std::runtime_error if the file cannot be written
template <class Exec>
void write_whitened(const Exec& exec, PreparedRecording recording, const std::filesystem::path& path,
                    std::int64_t window_samples, TransferLedger& ledger, StageTimes& times);

}  // namespace kokkosort
