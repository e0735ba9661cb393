#include "io/hdf5_storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <vector>

#include "io/hdf5.hpp"

namespace kokkosort::hdf5 {
namespace {

namespace fs = std::filesystem;

std::vector<hsize_t> extents(hid_t space) {
  std::vector<hsize_t> shape(static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(space), 0)));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  return shape;
}

/// What headers say of storage is no more than what the file can hold.
std::string beyond_file(hid_t dataset) {
  const hsize_t bytes = H5Dget_storage_size(dataset);
  std::error_code error;
  for (const fs::path& path : files_of(dataset)) {
    const std::uintmax_t of_file = fs::file_size(path, error);
    if (!error && bytes > of_file)
      return fmt::format("takes up {} bytes, but {} has {}; was it written completely?", bytes, path.string(),
                         of_file);
  }
  return {};
}

std::string missing_chunks(hid_t dataset, hid_t properties) {
  const Id space(H5Dget_space(dataset));
  const std::vector<hsize_t> shape = extents(space.get());
  std::vector<hsize_t> chunk(shape.size());
  H5Pget_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
  hsize_t needed = 1;
  if (std::find(chunk.begin(), chunk.end(), hsize_t{0}) != chunk.end()) return "has chunks of no extent";
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    needed *= shape[axis] / chunk[axis] + (shape[axis] % chunk[axis] != 0);
  hsize_t written = 0;
  if (H5Dget_num_chunks(dataset, space.get(), &written) < 0)
    return "has chunks that cannot be counted: " + last_error();
  if (written == needed) return beyond_file(dataset);
  return fmt::format("has {} of its {} chunks; the file does not hold the others; was it written completely?",
                     written, needed);
}

/// Where HDF5 looks for the file of a name.
fs::path external_path(const std::string& name, const fs::path& file) {
  const char* variable = std::getenv("HDF5_EXTFILE_PREFIX");
  const std::string prefix = variable == nullptr ? "" : variable;
  constexpr std::string_view origin = "${ORIGIN}";
  if (prefix.starts_with(origin))
    return file.parent_path() / fmt::format(".{}", prefix.substr(origin.size())) / name;
  return fs::path(prefix) / name;
}

struct ExternalPart {
  fs::path path;
  std::uintmax_t offset;
  hsize_t room;
};

std::vector<ExternalPart> external_parts(hid_t properties, const fs::path& file) {
  std::vector<ExternalPart> parts;
  const int n_files = H5Pget_external_count(properties);
  for (int i = 0; i < n_files; ++i) {
    std::array<char, 4096> name{};
    off_t offset = 0;
    hsize_t room = 0;
    H5Pget_external(properties, static_cast<unsigned>(i), name.size() - 1, name.data(), &offset, &room);
    parts.push_back({external_path(name.data(), file), static_cast<std::uintmax_t>(offset), room});
  }
  return parts;
}

std::string missing_external(hid_t dataset, hid_t properties, const fs::path& file) {
  const Id space(H5Dget_space(dataset));
  const Id type(H5Dget_type(dataset));
  hsize_t needed = H5Tget_size(type.get());
  for (const hsize_t n : extents(space.get())) needed *= n;
  for (const auto& [path, offset, room] : external_parts(properties, file)) {
    if (needed == 0) break;
    const hsize_t here = std::min(needed, room);
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(path, error);
    if (error) return fmt::format("lies in {}: {}", path.string(), error.message());
    if (bytes < offset + here)
      return fmt::format("lies in {}, which has {} bytes; it must have {}; was it written completely?",
                         path.string(), bytes, offset + here);
    needed -= here;
  }
  return {};
}

std::string missing_block(hid_t dataset, hid_t properties, const fs::path& file) {
  if (H5Pget_external_count(properties) > 0) return missing_external(dataset, properties, file);
  H5D_space_status_t status = H5D_SPACE_STATUS_ERROR;
  if (H5Dget_space_status(dataset, &status) >= 0 && status == H5D_SPACE_STATUS_ALLOCATED)
    return beyond_file(dataset);
  return "was never written: the file does not hold its values";
}

}  // namespace

std::string storage_complaint(hid_t dataset, const fs::path& file) {
  const Id properties(H5Dget_create_plist(dataset));
  switch (H5Pget_layout(properties.get())) {
    case H5D_COMPACT:
      return {};
    case H5D_CONTIGUOUS:
      return missing_block(dataset, properties.get(), file);
    case H5D_CHUNKED:
      return missing_chunks(dataset, properties.get());
    default:
      return "is stored in a way that is not known";
  }
}

bool is_virtual(hid_t dataset) {
  const Id properties(H5Dget_create_plist(dataset));
  return H5Pget_layout(properties.get()) == H5D_VIRTUAL;
}

std::vector<fs::path> files_of(hid_t dataset) {
  const ssize_t size = H5Fget_name(dataset, nullptr, 0);
  if (size <= 0) return {};
  std::string name(static_cast<std::size_t>(size) + 1, '\0');
  H5Fget_name(dataset, name.data(), name.size());
  name.pop_back();
  std::vector<fs::path> files{name};
  const Id properties(H5Dget_create_plist(dataset));
  if (H5Pget_layout(properties.get()) != H5D_CONTIGUOUS) return files;
  for (const ExternalPart& part : external_parts(properties.get(), files.front())) files.push_back(part.path);
  return files;
}

std::string filter_complaint(hid_t dataset) {
  const Id properties(H5Dget_create_plist(dataset));
  for (int i = 0; i < H5Pget_nfilters(properties.get()); ++i) {
    unsigned flags = 0;
    std::size_t n_values = 0;
    std::array<char, 64> name{};
    const H5Z_filter_t filter = H5Pget_filter2(properties.get(), static_cast<unsigned>(i), &flags, &n_values,
                                               nullptr, name.size() - 1, name.data(), nullptr);
    if (H5Zfilter_avail(filter) <= 0)
      return fmt::format(
          "is stored with the filter {} (number {}), which this HDF5 lacks; rewrite it with gzip or "
          "without compression",
          name[0] == '\0' ? "of an unknown name" : name.data(), static_cast<int>(filter));
  }
  return {};
}

}  // namespace kokkosort::hdf5
