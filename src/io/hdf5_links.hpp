#pragma once

#include <hdf5.h>

#include <string>

namespace kokkosort::hdf5 {

/// Whether every link of a path is there and leads to an object, in this file or another. HDF5 itself would
/// open whatever a link into another file names, and so wait for ever for the writer of a pipe: such a link
/// leads nowhere.
bool leads_to_object(hid_t location, const std::string& path);

/// Whether the object of a path, which is there, is a group.
bool is_group(hid_t location, const std::string& path);

}  // namespace kokkosort::hdf5
