#pragma once
// What the machine has left.

#include <cstdint>
#include <filesystem>
#include <optional>

namespace kokkosort {

/// Bytes of memory that this process may still take: what is available, and what the limits of its control
/// groups (versions 1 and 2, as containers and batch systems set them) leave. Nothing if the system does not
/// tell.
/// @param root  where proc and sys are
std::optional<std::uint64_t> available_memory(const std::filesystem::path& root = "/");

/// Bytes that files may still take where a folder is, or will be. Nothing if the system does not tell.
std::optional<std::uint64_t> free_disk(const std::filesystem::path& folder);

}  // namespace kokkosort
