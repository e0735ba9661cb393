#pragma once

#include <filesystem>
#include <string>

namespace kokkosort::hdf5 {

/// Lets another process, a copy of this one, look through an HDF5 file: all of its objects, and their values
/// unless the file is so large that it would take long to read them twice. HDF5 1.10 has errors that a
/// damaged file brings out: it crashes, overwrites memory, or does not end. Then it is that process which
/// ends.
///
/// @return what is wrong with the file, in words that follow its name; empty if nothing is, or it is no HDF5
/// file
std::string trial_complaint(const std::filesystem::path& file);

}  // namespace kokkosort::hdf5
