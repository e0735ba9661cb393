#pragma once

#include <hdf5.h>

#include <filesystem>
#include <string>
#include <vector>

namespace kokkosort::hdf5 {

/// What keeps the values of a dataset, one that is not virtual, from being read, in words that follow its name; empty if nothing does. HDF5
/// reads zeros where values were never written, or lie in another file that lacks them.
///
/// @param file  that the dataset was opened from
std::string storage_complaint(hid_t dataset, const std::filesystem::path& file);

/// Whether a dataset is put together from others.
bool is_virtual(hid_t dataset);

/// The files that hold a dataset: where its links lead, and files of its values beside that one.
std::vector<std::filesystem::path> files_of(hid_t dataset);

/// Which filter of a dataset that could not be read this library lacks, in words that follow its name; empty
/// if none.
std::string filter_complaint(hid_t dataset);

}  // namespace kokkosort::hdf5
