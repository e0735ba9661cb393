#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "kokkosort/checkpoints.hpp"

namespace kokkosort {

/// Writes a checkpoint into a file, which may be there. What it depends on comes first, as text; a sum over
/// all of it last. Uses neither Kokkos nor HDF5: it may run beside them in another thread.
/// @throws std::runtime_error if the disk does not take it
void write_checkpoint(const std::filesystem::path& path, const std::string& fingerprint,
                      const ArraysToSave& arrays);

/// What a checkpoint says that it depends on. @return none, if the file is no checkpoint
std::optional<std::string> read_fingerprint(const std::filesystem::path& path);

/// @return none, unless the file is what write_checkpoint() wrote, to the last bit
std::optional<SavedArrays> read_checkpoint(const std::filesystem::path& path);

}  // namespace kokkosort
