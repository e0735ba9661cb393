#pragma once

#include <filesystem>

#include "kokkosort/io/sorting_file.hpp"

namespace kokkosort {

/// Writes a folder that Phy, and SpikeInterface's readers of Kilosort and Phy, open: Kilosort4's files,
/// dtypes and shapes. Cluster and template ids are the sorting's units in every file.
///
/// The folder is there completely or not at all: written beside its place, then renamed.
/// @throws InputError if the folder is there and may not be replaced; std::runtime_error if the disk does not
/// take it
void write_phy(const std::filesystem::path& folder, bool overwrite, const SortedRecording& recording,
               const Sorting& sorting);

}  // namespace kokkosort
