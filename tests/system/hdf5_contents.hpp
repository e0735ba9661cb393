#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/hdf5.hpp"

namespace kokkosort::test {

/// The bytes of every dataset and attribute of a file by its path, shape and type first.
using Contents = std::map<std::string, std::string>;

namespace detail {

inline std::string describe(hid_t space, hid_t type) {
  std::vector<hsize_t> shape(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  std::string text =
      "class " + std::to_string(H5Tget_class(type)) + " of " + std::to_string(H5Tget_size(type)) + " bytes [";
  for (const hsize_t n : shape) text += std::to_string(n) + ",";
  return text + "] ";
}

inline std::string room(hid_t space, hid_t type) {
  return std::string(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)) * H5Tget_size(type), '\0');
}

/// The strings of variable length that were read as pointers, each on a line.
inline std::string take_texts(const std::string& pointers) {
  std::string copy;
  for (std::size_t at = 0; at + sizeof(char*) <= pointers.size(); at += sizeof(char*)) {
    char* text = nullptr;
    std::memcpy(&text, pointers.data() + at, sizeof(text));
    if (text != nullptr) copy += text;
    copy += '\n';
    H5free_memory(text);
  }
  return copy;
}

inline void read_attributes(hid_t object, const std::string& path, Contents& contents) {
  const int n = H5Aget_num_attrs(object);
  for (int i = 0; i < n; ++i) {
    const hdf5::Id attribute(H5Aopen_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, static_cast<hsize_t>(i),
                                            H5P_DEFAULT, H5P_DEFAULT));
    char name[256] = {};
    H5Aget_name(attribute.get(), sizeof(name), name);
    const hdf5::Id space(H5Aget_space(attribute.get()));
    const hdf5::Id type(H5Aget_type(attribute.get()));
    std::string bytes = room(space.get(), type.get());
    hdf5::check<std::runtime_error>(H5Aread(attribute.get(), type.get(), bytes.data()), path + "@" + name);
    if (H5Tis_variable_str(type.get()) > 0) bytes = take_texts(bytes);
    contents[path + "@" + name] = describe(space.get(), type.get()) + bytes;
  }
}

inline void read_object(hid_t object, const std::string& path, Contents& contents) {
  read_attributes(object, path, contents);
  if (H5Iget_type(object) == H5I_DATASET) {
    const hdf5::Id space(H5Dget_space(object));
    const hdf5::Id type(H5Dget_type(object));
    std::string bytes = room(space.get(), type.get());
    hdf5::check<std::runtime_error>(H5Dread(object, type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()),
                                    path);
    contents[path] = describe(space.get(), type.get()) + bytes;
    return;
  }
  H5G_info_t group;
  hdf5::check<std::runtime_error>(H5Gget_info(object, &group), path);
  for (hsize_t i = 0; i < group.nlinks; ++i) {
    char name[256] = {};
    H5Lget_name_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof(name), H5P_DEFAULT);
    const hdf5::Id member(H5Oopen(object, name, H5P_DEFAULT));
    read_object(member.get(), path + "/" + name, contents);
  }
}

}  // namespace detail

inline Contents read_contents(const std::string& path) {
  const hdf5::Id file(hdf5::check<std::runtime_error>(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
                                                      "cannot open " + path));
  const hdf5::Id root(H5Gopen2(file.get(), "/", H5P_DEFAULT));
  Contents contents;
  detail::read_object(root.get(), "", contents);
  return contents;
}

}  // namespace kokkosort::test
