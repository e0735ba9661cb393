#pragma once

#include <filesystem>

#include "kokkosort/io/sorting_file.hpp"

namespace kokkosort {

/// Writes a folder that Phy, and SpikeInterface's readers of Kilosort and Phy, open: Kilosort4's files but
/// for its own state (ops.npy), with its dtypes and shapes. Cluster and template ids are the sorting's units
/// in every file; spike_detection_templates are the matched templates. All spikes are kept ones. Amplitudes
/// are those of sorting.h5. Phylib opens no folder without spikes.
///
/// The folder is there completely or not at all: written beside its place, then renamed. An old one is
/// replaced if it holds a sorting, and nothing else. What was written is read back first.
///
/// @throws InputError if the folder is there and may not be replaced; std::runtime_error if the disk does not
///         take it
/// Source: Kilosort's documentation, "Files exported for Phy"; dtypes and formats as Kilosort 4.1.7 writes.
void write_phy(const std::filesystem::path& folder, bool overwrite, const SortedRecording& recording,
               const Sorting& sorting);

/// Whether such a folder can be made there: makes one, of which nothing stays. @throws InputError as
/// write_phy() does
void check_phy(const std::filesystem::path& folder, bool overwrite);

}  // namespace kokkosort
