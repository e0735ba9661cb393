#include <hdf5.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "fuzz/mutator.hpp"
#include "io/hdf5.hpp"

namespace kokkosort::test {
namespace {

using hdf5::Id;

herr_t add_name(hid_t, const char* name, const H5O_info_t*, void* names) {
  if (std::string(name) != ".") static_cast<std::vector<std::string>*>(names)->push_back(name);
  return 0;
}

std::vector<std::string> names_of_objects(const Id& file) {
  std::vector<std::string> names;
  H5Ovisit2(file.get(), H5_INDEX_NAME, H5_ITER_INC, add_name, &names, H5O_INFO_BASIC);
  return names;
}

/// A type of any class. Some are the library's own, which are not to be closed: a copy is.
Id any_type(Mutator& any) {
  switch (any.below(16)) {
    case 0: {
      Id type(H5Tcopy(H5T_C_S1));
      H5Tset_size(type.get(), any.one_in(2) ? H5T_VARIABLE : 1 + any.below(40));
      return type;
    }
    case 1:
      return Id(H5Tvlen_create(H5T_NATIVE_INT));
    case 2: {
      const hsize_t extents[2] = {1 + any.below(5), 1 + any.below(1000)};
      return Id(H5Tarray_create2(H5T_NATIVE_SHORT, 1 + static_cast<unsigned>(any.below(2)), extents));
    }
    case 3: {
      Id type(H5Tcreate(H5T_COMPOUND, 16));
      H5Tinsert(type.get(), "a", 0, H5T_NATIVE_DOUBLE);
      H5Tinsert(type.get(), "b", 8, H5T_NATIVE_INT);
      return type;
    }
    case 4:
      return Id(H5Tenum_create(H5T_NATIVE_INT));
    case 5:
      return Id(H5Tcreate(H5T_OPAQUE, 1 + any.below(64)));
    case 6:
      return Id(H5Tcopy(H5T_STD_REF_OBJ));
    case 7: {  // whole numbers of odd widths
      Id type(H5Tcopy(any.one_in(2) ? H5T_STD_U64BE : H5T_STD_I32LE));
      H5Tset_size(type.get(), 1 + any.below(16));
      H5Tset_precision(type.get(), 1 + any.below(128));
      H5Tset_offset(type.get(), any.below(64));
      return type;
    }
    case 8: {  // reals of odd widths
      Id type(H5Tcopy(H5T_IEEE_F64LE));
      H5Tset_fields(type.get(), 20 + any.below(44), any.below(20), 1 + any.below(19), 0, 1 + any.below(18));
      H5Tset_ebias(type.get(), any.below(100000));
      return type;
    }
    case 9:
    case 10:
      return Id(H5Tcopy(H5T_NATIVE_INT64));
    case 11:
      return Id(H5Tcopy(H5T_NATIVE_INT32));
    case 12:
      return Id(H5Tcopy(H5T_NATIVE_UINT64));
    case 13:
      return Id(H5Tcopy(H5T_NATIVE_FLOAT));
    default:
      return Id(H5Tcopy(H5T_NATIVE_DOUBLE));
  }
}

std::vector<hsize_t> any_extents(Mutator& any) {
  std::vector<hsize_t> extents(1 + any.below(4));
  for (hsize_t& n : extents) {
    n = any.below(6);
    if (any.one_in(12)) n = hsize_t{1} << any.below(62);
  }
  return extents;
}

Id any_space(Mutator& any, std::vector<hsize_t>& extents) {
  if (any.one_in(12)) return Id(H5Screate(any.one_in(2) ? H5S_SCALAR : H5S_NULL));
  extents = any_extents(any);
  std::vector<hsize_t> largest = extents;
  if (any.one_in(4)) largest[0] = H5S_UNLIMITED;
  return Id(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), largest.data()));
}

Id any_storage(Mutator& any, const std::vector<hsize_t>& extents, const std::string& elsewhere) {
  Id properties(H5Pcreate(H5P_DATASET_CREATE));
  switch (any.below(6)) {
    case 0:
      H5Pset_layout(properties.get(), H5D_COMPACT);
      break;
    case 1:
    case 2: {
      std::vector<hsize_t> chunk(extents.size());
      for (hsize_t& n : chunk) n = 1 + any.below(any.one_in(8) ? 100000 : 4);
      if (!chunk.empty()) H5Pset_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data());
      if (any.one_in(2)) H5Pset_shuffle(properties.get());
      if (any.one_in(2)) H5Pset_deflate(properties.get(), 1);
      if (any.one_in(4)) H5Pset_fletcher32(properties.get());
      if (any.one_in(8)) H5Pset_scaleoffset(properties.get(), H5Z_SO_INT, 0);
      break;
    }
    case 3:
      H5Pset_external(properties.get(), elsewhere.c_str(), static_cast<off_t>(any.below(100)),
                      any.one_in(2) ? H5F_UNLIMITED : hsize_t{1 + any.below(1000)});
      break;
    case 4:
      if (any.one_in(4)) {
        const Id space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr));
        H5Pset_virtual(properties.get(), space.get(), elsewhere.c_str(), "probe/x_um", space.get());
      }
      break;
    default:
      break;
  }
  return properties;
}

/// Whether values lie in the file itself: tests write none elsewhere.
bool is_stored_here(hid_t properties) {
  return H5Pget_layout(properties) != H5D_VIRTUAL && H5Pget_external_count(properties) == 0;
}

void replace_dataset(Mutator& any, const Id& file, const std::string& name, const std::string& elsewhere) {
  H5Ldelete(file.get(), name.c_str(), H5P_DEFAULT);
  std::vector<hsize_t> extents;
  const Id space = any_space(any, extents);
  const Id type = any_type(any);
  const Id properties = any_storage(any, extents, elsewhere);
  const Id dataset(H5Dcreate2(file.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT,
                              properties.get(), H5P_DEFAULT));
  const hssize_t n = H5Sget_simple_extent_npoints(space.get());
  if (dataset.get() < 0 || n < 0 || n > 10000 || any.one_in(4) || !is_stored_here(properties.get())) return;
  const H5T_class_t kind = H5Tget_class(type.get());
  if (kind != H5T_INTEGER && kind != H5T_FLOAT) return;
  std::vector<double> values(static_cast<std::size_t>(n) + 1);
  for (double& value : values) value = static_cast<double>(any.below(5));
  H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
}

void write_extreme_values(Mutator& any, const Id& file, const std::string& name) {
  constexpr double extremes[] = {0.0,
                                 -1.0,
                                 1e9,
                                 -1e300,
                                 1e300,
                                 std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN(),
                                 1e-320,
                                 3.0,
                                 0.5};
  const Id dataset(H5Dopen2(file.get(), name.c_str(), H5P_DEFAULT));
  if (dataset.get() < 0) return;
  const Id space(H5Dget_space(dataset.get()));
  const hssize_t n = H5Sget_simple_extent_npoints(space.get());
  const Id properties(H5Dget_create_plist(dataset.get()));
  if (n <= 0 || n > 100000 || !is_stored_here(properties.get())) return;
  std::vector<double> values(static_cast<std::size_t>(n));
  if (H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) return;
  for (std::size_t changes = 1 + any.below(3); changes > 0; --changes)
    values[any.below(values.size())] = extremes[any.below(std::size(extremes))];
  H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
}

/// Another thing under an object's name.
void replace_object(Mutator& any, const Id& file, const std::string& name, const std::string& target,
                    const std::string& elsewhere) {
  H5Ldelete(file.get(), name.c_str(), H5P_DEFAULT);
  switch (any.below(7)) {
    case 0:
      break;
    case 1:
      Id(H5Gcreate2(file.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
      break;
    case 2:
      H5Lcreate_hard(file.get(), target.c_str(), file.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
      break;
    case 3:
      H5Lcreate_hard(file.get(), "/", file.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
      break;
    case 4:
      H5Lcreate_soft(any.one_in(2) ? name.c_str() : target.c_str(), file.get(), name.c_str(), H5P_DEFAULT,
                     H5P_DEFAULT);
      break;
    case 5:
      H5Lcreate_external(elsewhere.c_str(), any.one_in(2) ? name.c_str() : target.c_str(), file.get(),
                         name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
      break;
    default:
      H5Tcommit2(file.get(), name.c_str(), any_type(any).get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  }
}

void replace_attribute(Mutator& any, const Id& file, const std::string& object) {
  constexpr const char* names[] = {"sampling_rate_hz", "dmin_um", "dminx_um", "peak_sample",
                                   "scale_to_sigma"};
  const char* const name = names[any.below(std::size(names))];
  if (H5Aexists_by_name(file.get(), object.c_str(), name, H5P_DEFAULT) > 0)
    H5Adelete_by_name(file.get(), object.c_str(), name, H5P_DEFAULT);
  if (any.one_in(4)) return;
  std::vector<hsize_t> extents;
  const Id space = any.one_in(2) ? Id(H5Screate(H5S_SCALAR)) : any_space(any, extents);
  const Id type = any_type(any);
  const Id attribute(H5Acreate_by_name(file.get(), object.c_str(), name, type.get(), space.get(), H5P_DEFAULT,
                                       H5P_DEFAULT, H5P_DEFAULT));
  const hssize_t n = H5Sget_simple_extent_npoints(space.get());
  const H5T_class_t kind = H5Tget_class(type.get());
  if (attribute.get() < 0 || n > 100 || (kind != H5T_INTEGER && kind != H5T_FLOAT)) return;
  constexpr double values[] = {0.0,  -1.0, 30000.0, 1e300, std::numeric_limits<double>::quiet_NaN(),
                               20.0, 2.0};
  const std::vector<double> written(static_cast<std::size_t>(n) + 1, values[any.below(std::size(values))]);
  H5Awrite(attribute.get(), H5T_NATIVE_DOUBLE, written.data());
}

}  // namespace

void Mutator::hdf5_objects(const std::filesystem::path& path) {
  hdf5::prepare_library();
  const Id file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
  const std::string here = path.filename().string();
  const std::vector<std::string> elsewhere = {here,        "missing.h5", "pipe.h5", ".",
                                              "/dev/zero", "../" + here, "raw.bin"};
  for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
    const std::vector<std::string> names = names_of_objects(file);
    if (names.empty()) return;
    const std::string& name = names[below(names.size())];
    const std::string& other = elsewhere[below(elsewhere.size())];
    switch (below(5)) {
      case 0:
      case 1:
        replace_dataset(*this, file, name, other);
        break;
      case 2:
        write_extreme_values(*this, file, name);
        break;
      case 3:
        replace_attribute(*this, file, one_in(2) ? "/" : name);
        break;
      default:
        replace_object(*this, file, name, names[below(names.size())], other);
    }
  }
}

}  // namespace kokkosort::test
