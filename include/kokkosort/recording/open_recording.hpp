#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kokkosort/recording/recording.hpp"

namespace kokkosort {

/// Scales beyond are mistakes.
constexpr double largest_scale_to_sigma = 1e6;

/// Opens flat binary files of samples [samples, channels], in the byte order of this machine, as one
/// recording. They stay open while it lives; only what is asked for is read.
///
/// @param files  in the order of their samples, at least one
/// @throws InputError naming the file if it cannot be opened, is a NumPy file, holds no sample, or no whole
/// number of
///         samples. Reading throws it if the file ends earlier than it did when it was opened, or a sample is
///         not finite
std::unique_ptr<Recording> open_flat_recording(const std::vector<std::filesystem::path>& files,
                                               std::size_t n_channels, SampleType type);

/// A recording in an HDF5 file, and what the file says about it.
struct Hdf5Recording {
  std::unique_ptr<Recording> traces;
  double scale_to_sigma = 0.0;  // as given, or else the dataset's attribute; 0: it has none
  std::vector<std::filesystem::path>
      files;  // that hold the samples: others than the one opened, if it has links
};

/// Opens a dataset [samples, channels]. Integers of up to 16 bits become int16 or uint16, signed ones of up
/// to 32 bits int32, floating-point numbers of any size float32.
///
/// @param scale_to_sigma  above 0: holds in place of the dataset's attribute, which may then be wrong
/// @throws InputError naming file and dataset if there is none, with those that may be meant; if it holds
/// other
///         values or has other axes; if the file lacks some of its values; if the attribute scale_to_sigma is
///         not a positive number. Reading throws it if the file is damaged, or a sample is not finite
Hdf5Recording open_hdf5_recording(const std::filesystem::path& file, const std::string& dataset,
                                  double scale_to_sigma = 0.0);

/// Whether a file is HDF5. False if it is not there, or is a folder, a pipe or a device.
bool is_hdf5_file(const std::filesystem::path& file);

}  // namespace kokkosort
