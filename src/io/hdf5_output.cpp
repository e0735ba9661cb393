#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>

#include "io/hdf5.hpp"

namespace kokkosort::hdf5 {
namespace {

hid_t simple_space(const Shape& shape) {
  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  return H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
}

bool is_empty(const Shape& shape) { return std::find(shape.begin(), shape.end(), 0u) != shape.end(); }

}  // namespace

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

Id OutputFile::make_dataset(const std::string& name, hid_t type, const Shape& shape) {
  const Id space(check<std::runtime_error>(simple_space(shape), where(name)));
  const Id properties(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_obj_track_times(properties.get(), false);
  return Id(check<std::runtime_error>(
      H5Dcreate2(file_.get(), name.c_str(), type, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
      where(name)));
}

void OutputFile::write(const std::string& name, hid_t type, const Shape& shape, const void* from) {
  const Id dataset = make_dataset(name, type, shape);
  if (is_empty(shape)) return;
  check<std::runtime_error>(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, from), where(name));
}

template <class T>
void OutputFile::write(const std::string& name, const Shape& shape, const T* from) {
  write(name, native_type<T>(), shape, from);
}

template <class T>
void OutputFile::write_rows(const std::string& name, const Shape& shape,
                            const std::function<void(std::size_t, T*)>& fill) {
  const Id dataset = make_dataset(name, native_type<T>(), shape);
  if (is_empty(shape)) return;
  Shape one_row = shape;
  one_row[0] = 1;
  const std::vector<hsize_t> count(one_row.begin(), one_row.end());
  const Id memory(check<std::runtime_error>(simple_space(one_row), where(name)));
  const Id there(check<std::runtime_error>(H5Dget_space(dataset.get()), where(name)));
  std::vector<T> row(std::accumulate(one_row.begin(), one_row.end(), std::size_t{1}, std::multiplies<>()));
  std::vector<hsize_t> start(shape.size(), 0);
  for (std::size_t i = 0; i < shape[0]; ++i) {
    fill(i, row.data());
    start[0] = i;
    H5Sselect_hyperslab(there.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
    check<std::runtime_error>(
        H5Dwrite(dataset.get(), native_type<T>(), memory.get(), there.get(), H5P_DEFAULT, row.data()),
        where(name));
  }
}

void OutputFile::attribute(const std::string& object, const std::string& name, const Id& space, hid_t type,
                           const void* value) {
  const std::string what = where(object + ", attribute " + name);
  const Id attribute(
      check<std::runtime_error>(H5Acreate_by_name(file_.get(), object.c_str(), name.c_str(), type,
                                                  space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                                what));
  check<std::runtime_error>(H5Awrite(attribute.get(), type, value), what);
}

template <class T>
requires std::is_arithmetic_v<T>
void OutputFile::attribute(const std::string& object, const std::string& name, T value) {
  attribute(object, name, Id(H5Screate(H5S_SCALAR)), native_type<T>(), &value);
}

void OutputFile::attribute(const std::string& object, const std::string& name, const std::string& value) {
  const Id type = string_type(H5T_VARIABLE);
  const char* text = value.c_str();
  attribute(object, name, Id(H5Screate(H5S_SCALAR)), type.get(), &text);
}

void OutputFile::attribute(const std::string& object, const std::string& name,
                           const std::vector<std::string>& values) {
  const Id type = string_type(H5T_VARIABLE);
  std::vector<const char*> texts;
  for (const std::string& value : values) texts.push_back(value.c_str());
  texts.push_back(nullptr);  // HDF5 wants a place even for no values
  attribute(object, name, Id(simple_space({values.size()})), type.get(), texts.data());
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

template void OutputFile::write_rows<float>(const std::string&, const Shape&,
                                            const std::function<void(std::size_t, float*)>&);

}  // namespace kokkosort::hdf5
