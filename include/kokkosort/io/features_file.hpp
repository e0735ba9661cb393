#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "kokkosort/spike_features.hpp"

namespace kokkosort {

/// Reads spike features from HDF5 (DESIGN, section 8) and checks every value. Spikes that are not in time
/// order are sorted, equal times in the file's order, which SpikeFeatures::file_order then holds.
///
/// @param group       "detected", "matched" or the path of another group of that layout
/// @param host_limit  bytes that the arrays may take together
/// @param files       if not null, becomes the files that hold them: others than the one read, if it has
/// links
/// @throws InputError naming file, dataset, value and remedy: a missing or damaged file, group, dataset or
/// attribute;
///         one of another type or shape than the layout's; no spikes; a feature that is not finite or beyond
///         1e6 standard deviations; an index out of range; the same channel twice in a centre; a negative
///         sample; coordinates that are not finite; a sampling rate or spacing that no recording has
SpikeFeatures read_features(const std::filesystem::path& path, const std::string& group,
                            std::size_t host_limit, std::vector<std::filesystem::path>* files = nullptr);

}  // namespace kokkosort
