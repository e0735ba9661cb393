// Reading parts of datasets that are larger than memory.

#include <algorithm>
#include <cstdint>

#include "io/hdf5.hpp"
#include "io/hdf5_links.hpp"
#include "io/hdf5_storage.hpp"

namespace kokkosort::hdf5 {
namespace {

constexpr std::size_t largest_cache = std::size_t{256} << 20;

bool holds_numbers(hid_t dataset, std::size_t n_axes) {
  if (is_virtual(dataset)) return false;
  const Id type(H5Dget_type(dataset));
  const H5T_class_t found = H5Tget_class(type.get());
  const Id space(H5Dget_space(dataset));
  return (found == H5T_INTEGER || found == H5T_FLOAT) &&
         H5Sget_simple_extent_ndims(space.get()) == static_cast<int>(n_axes);
}

struct DatasetSearch {
  std::size_t n_axes;
  std::vector<std::string> found;
};

herr_t visit(hid_t root, const char* name, const H5L_info_t*, void* data) {
  auto& search = *static_cast<DatasetSearch*>(data);
  if (!leads_to_object(root, name)) return 0;
  const Id object(H5Oopen(root, name, H5P_DEFAULT));
  if (object.get() >= 0 && H5Iget_type(object.get()) == H5I_DATASET &&
      holds_numbers(object.get(), search.n_axes))
    search.found.emplace_back(name);
  return 0;
}

/// Bytes of all chunks that hold a row; 0 if the dataset is not in chunks.
std::size_t bytes_of_chunks_in_a_row(const Dataset& dataset) {
  const Id properties(H5Dget_create_plist(dataset.id.get()));
  if (H5Pget_layout(properties.get()) != H5D_CHUNKED) return 0;
  std::vector<hsize_t> chunk(dataset.shape.size());
  H5Pget_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data());
  const Id type(H5Dget_type(dataset.id.get()));
  std::size_t bytes = H5Tget_size(type.get()) * chunk[0];
  for (std::size_t axis = 1; axis < chunk.size(); ++axis)
    bytes *= (dataset.shape[axis] + chunk[axis] - 1) / chunk[axis] * chunk[axis];
  return bytes;
}

/// Two reads that follow each other share chunks. They are to be unpacked once.
Id cache_of(std::size_t bytes) {
  constexpr std::size_t n_slots = 10007;  // a prime, far above the number of chunks
  Id access(H5Pcreate(H5P_DATASET_ACCESS));
  H5Pset_chunk_cache(access.get(), n_slots, bytes, H5D_CHUNK_CACHE_W0_DEFAULT);
  return access;
}

}  // namespace

std::vector<std::string> InputFile::datasets_with(std::size_t n_axes) const {
  DatasetSearch search{n_axes, {}};
  H5Lvisit(file_.get(), H5_INDEX_NAME, H5_ITER_INC, visit, &search);
  return search.found;
}

Dataset InputFile::open_rows(const std::string& name, std::size_t n_axes) {
  Dataset dataset = find(name, n_axes, true);
  note_files(dataset);
  const Id type(H5Dget_type(dataset.id.get()));
  check_storage(dataset, H5Tget_size(type.get()));
  constexpr std::size_t usual_cache = std::size_t{1} << 20;
  const std::size_t needed = bytes_of_chunks_in_a_row(dataset);
  if (needed <= usual_cache || needed > largest_cache) return dataset;
  dataset.id.close();  // or the cache would stay as it is
  dataset.id = Id(H5Dopen2(file_.get(), name.c_str(), cache_of(needed).get()));
  if (dataset.id.get() < 0) fail(name, "cannot be opened as a dataset: " + last_error());
  return dataset;
}

template <class T>
void InputFile::read_rows(const Dataset& dataset, std::size_t first, std::size_t count, T* to) const {
  prepare_library();
  std::vector<hsize_t> start(dataset.shape.size(), 0);
  std::vector<hsize_t> extents(dataset.shape.begin(), dataset.shape.end());
  start[0] = first;
  extents[0] = count;
  if (std::find(extents.begin(), extents.end(), 0u) != extents.end()) return;
  const Id here(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr));
  const Id there(H5Dget_space(dataset.id.get()));
  H5Sselect_hyperslab(there.get(), H5S_SELECT_SET, start.data(), nullptr, extents.data(), nullptr);
  if (H5Dread(dataset.id.get(), native_type<T>(), here.get(), there.get(), H5P_DEFAULT, to) < 0)
    fail_reading(dataset);
}

#define INSTANTIATE(T) \
  template void InputFile::read_rows<T>(const Dataset&, std::size_t, std::size_t, T*) const;
INSTANTIATE(std::int16_t)
INSTANTIATE(std::uint16_t)
INSTANTIATE(std::int32_t)
INSTANTIATE(float)
#undef INSTANTIATE

}  // namespace kokkosort::hdf5
