#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "io/hdf5.hpp"

namespace kokkosort::hdf5 {

Id string_type(std::size_t size) {
  Id type(check<std::runtime_error>(H5Tcopy(H5T_C_S1), "HDF5 string type"));
  check<std::runtime_error>(H5Tset_size(type.get(), size), "HDF5 string type");
  check<std::runtime_error>(H5Tset_cset(type.get(), H5T_CSET_UTF8), "HDF5 string type");
  return type;
}

OutputFile::OutputFile(const std::filesystem::path& path) : path_(path) {
  prepare_library();
  const Id properties(H5Pcreate(H5P_FILE_CREATE));
  H5Pset_obj_track_times(properties.get(), false);  // of the root group
  file_ = Id(check<std::runtime_error>(H5Fcreate(path.c_str(), H5F_ACC_EXCL, properties.get(), H5P_DEFAULT),
                                       path.string() + " cannot be created"));
}

void OutputFile::group(const std::string& name) {
  const Id properties(H5Pcreate(H5P_GROUP_CREATE));
  H5Pset_obj_track_times(properties.get(), false);
  const Id id(check<std::runtime_error>(
      H5Gcreate2(file_.get(), name.c_str(), H5P_DEFAULT, properties.get(), H5P_DEFAULT), where(name)));
}

void OutputFile::write(const std::string& name, hid_t type, const Shape& shape, const void* from) {
  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  const Id space(check<std::runtime_error>(
      H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), where(name)));
  const Id properties(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_obj_track_times(properties.get(), false);
  const Id dataset(check<std::runtime_error>(
      H5Dcreate2(file_.get(), name.c_str(), type, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
      where(name)));
  if (std::find(shape.begin(), shape.end(), 0u) != shape.end()) return;
  check<std::runtime_error>(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, from), where(name));
}

template <class T>
void OutputFile::write(const std::string& name, const Shape& shape, const T* from) {
  write(name, native_type<T>(), shape, from);
}

void OutputFile::attribute(const std::string& object, const std::string& name, hid_t type,
                           const void* value) {
  const std::string what = where(object + ", attribute " + name);
  const Id space(check<std::runtime_error>(H5Screate(H5S_SCALAR), what));
  const Id attribute(
      check<std::runtime_error>(H5Acreate_by_name(file_.get(), object.c_str(), name.c_str(), type,
                                                  space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                                what));
  check<std::runtime_error>(H5Awrite(attribute.get(), type, value), what);
}

template <class T>
requires std::is_arithmetic_v<T>
void OutputFile::attribute(const std::string& object, const std::string& name, T value) {
  attribute(object, name, native_type<T>(), &value);
}

void OutputFile::attribute(const std::string& object, const std::string& name, const std::string& value) {
  const Id type = string_type(H5T_VARIABLE);
  const char* text = value.c_str();
  attribute(object, name, type.get(), &text);
}

void OutputFile::link(const std::string& name, const std::string& object) {
  check<std::runtime_error>(
      H5Lcreate_hard(file_.get(), object.c_str(), file_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
      where(name));
}

void OutputFile::close() {
  check<std::runtime_error>(file_.close(), path_.string() + " cannot be completed");
}

std::string OutputFile::where(const std::string& object) const {
  return path_.string() + ": " + object + " cannot be written";
}

#define INSTANTIATE(T)                                                            \
  template void OutputFile::write<T>(const std::string&, const Shape&, const T*); \
  template void OutputFile::attribute<T>(const std::string&, const std::string&, T);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(std::int32_t)
INSTANTIATE(std::int64_t)
INSTANTIATE(std::uint64_t)
#undef INSTANTIATE

}  // namespace kokkosort::hdf5
