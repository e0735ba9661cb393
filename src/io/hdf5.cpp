#include "io/hdf5.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>

#include "core/one_line.hpp"
#include "io/hdf5_integers.hpp"
#include "io/hdf5_links.hpp"
#include "io/hdf5_storage.hpp"
#include "io/hdf5_trial.hpp"
#include "io/regular_file.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort::hdf5 {
namespace {

std::size_t product(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

herr_t keep_innermost(unsigned depth, const H5E_error2_t* error, void* text) {
  if (depth == 0) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

const char* class_name(H5T_class_t type) {
  switch (type) {
    case H5T_INTEGER:
      return "integers";
    case H5T_FLOAT:
      return "floating-point numbers";
    case H5T_STRING:
      return "strings";
    case H5T_ENUM:
      return "an enumeration";
    case H5T_COMPOUND:
      return "records";
    default:
      return "neither integers nor floating-point numbers";
  }
}

const char* wanted_class(bool reals) { return class_name(reals ? H5T_FLOAT : H5T_INTEGER); }

/// @return what is wrong with reading numbers of this type; empty if nothing is
std::string type_complaint(hid_t type, bool reals) {
  const H5T_class_t found = H5Tget_class(type);
  if (found == H5T_INTEGER || (reals && found == H5T_FLOAT)) return {};
  return std::string("holds ") + class_name(found) + "; write it as " + wanted_class(reals);
}

/// "1 axis", "2 axes".
std::string axes(std::size_t n) { return std::to_string(n) + (n == 1 ? " axis" : " axes"); }

/// The extents of all axes; none for a single value.
Shape shape_of(hid_t dataset) {
  const Id space(H5Dget_space(dataset));
  std::vector<hsize_t> shape(static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(space.get()), 0)));
  if (H5Sget_simple_extent_type(space.get()) == H5S_SIMPLE)
    H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr);
  return {shape.begin(), shape.end()};
}

/// A double, since the product may overflow.
double claimed_bytes(const Shape& shape, std::size_t element_bytes) {
  double claimed = static_cast<double>(element_bytes);
  for (const std::size_t n : shape) claimed *= static_cast<double>(n);
  return claimed;
}

struct GroupSearch {
  std::string member;
  std::vector<std::string> found;
};

herr_t visit(hid_t root, const char* name, const H5L_info_t*, void* data) {
  auto& search = *static_cast<GroupSearch*>(data);
  if (leads_to_object(root, name + ("/" + search.member))) search.found.emplace_back(name);
  return 0;
}

}  // namespace

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

std::string last_error() {
  std::string text = "no reason given";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &text);
  // The system's own words, if it was the system that refused, rather than all of the call's arguments.
  const std::string mark = "error message = '";
  const std::size_t start = text.find(mark);
  if (start == std::string::npos) return text;
  return text.substr(start + mark.size(), text.find('\'', start + mark.size()) - start - mark.size());
}

void prepare_library() {
  static const herr_t no_exit_handler = H5dont_atexit();
  static_cast<void>(no_exit_handler);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Id unlocked_access() {
  Id access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_file_locking(access.get(), true, true);
  return access;
}

std::string library_version() {
  prepare_library();
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  H5get_libversion(&major, &minor, &release);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

template <>
hid_t native_type<float>() {
  return H5T_NATIVE_FLOAT;
}
template <>
hid_t native_type<double>() {
  return H5T_NATIVE_DOUBLE;
}
template <>
hid_t native_type<std::int16_t>() {
  return H5T_NATIVE_INT16;
}
template <>
hid_t native_type<std::uint16_t>() {
  return H5T_NATIVE_UINT16;
}
template <>
hid_t native_type<std::int32_t>() {
  return H5T_NATIVE_INT32;
}
template <>
hid_t native_type<std::int64_t>() {
  return H5T_NATIVE_INT64;
}
template <>
hid_t native_type<std::uint64_t>() {
  return H5T_NATIVE_UINT64;
}

std::size_t Dataset::size() const { return product(shape); }

InputFile::InputFile(const std::filesystem::path& path, std::size_t memory_limit)
    : path_(path), memory_limit_(memory_limit) {
  prepare_library();
  if (const std::string complaint = no_file_complaint(path); !complaint.empty()) fail("", complaint);
  if (const std::string complaint = trial_complaint(path); !complaint.empty()) fail("", complaint);
  file_ = Id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, unlocked_access().get()));
  if (file_.get() >= 0) return;
  const std::string reason = last_error();
  if (H5Fis_hdf5(path.c_str()) == 0) fail("", "is not an HDF5 file");
  fail("", "cannot be opened (" + reason + "); is it complete, and readable by you?");
}

void InputFile::fail(const std::string& object, const std::string& what) const {
  // What the file says, names of objects for one, may be anything.
  throw InputError(path_.string() + ": " + one_line((object.empty() ? "" : object + ": ") + what));
}

bool InputFile::has(const std::string& name) const { return leads_to_object(file_.get(), name); }

bool InputFile::has_group(const std::string& name) const { return has(name) && is_group(file_.get(), name); }

std::vector<std::string> InputFile::groups_with(const std::string& member) const {
  GroupSearch search{member, {}};
  H5Lvisit(file_.get(), H5_INDEX_NAME, H5_ITER_INC, visit, &search);
  return search.found;
}

void InputFile::note_files(const Dataset& dataset) {
  const std::vector<std::filesystem::path> files = files_of(dataset.id.get());
  files_.insert(files_.end(), files.begin(), files.end());
}

void InputFile::grant_memory(const Dataset& dataset, std::size_t element_bytes) {
  const double claimed = claimed_bytes(dataset.shape, element_bytes);
  if (claimed > static_cast<double>(memory_limit_ - memory_granted_))
    fail(dataset.name, "has shape " + to_string(dataset.shape) +
                           ", more than is left of memory.host_limit_mb = " +
                           std::to_string(memory_limit_ >> 20) + "; raise it, or mend the file");
  memory_granted_ += static_cast<std::size_t>(claimed);
}

/// A header may claim any size; what it claims is believed only if the file can hold it.
void InputFile::check_storage(const Dataset& dataset, std::size_t element_bytes) const {
  const double claimed = claimed_bytes(dataset.shape, element_bytes);
  if (claimed == 0.0) return;
  if (const std::string complaint = storage_complaint(dataset.id.get(), path_); !complaint.empty())
    fail(dataset.name, complaint);
  constexpr double best_compression = 1100.0;  // deflate reaches 1032
  if (claimed > best_compression * static_cast<double>(H5Dget_storage_size(dataset.id.get())))
    fail(dataset.name, "has shape " + to_string(dataset.shape) +
                           " but the file does not hold that much; was it written completely?");
}

Dataset InputFile::find(const std::string& name, std::size_t n_axes, bool reals) const {
  if (!has(name))
    fail(name, std::string("is missing; it must hold ") + wanted_class(reals) + " on " + axes(n_axes));
  if (is_group(file_.get(), name)) fail(name, "is a group, not a dataset");
  Dataset dataset{name, {}, Id(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT))};
  if (dataset.id.get() < 0) fail(name, "cannot be opened as a dataset: " + last_error());

  // Before its extents are asked for, which may lie in other files: HDF5 would open them, pipes too.
  if (is_virtual(dataset.id.get()))
    fail(name, "is virtual: it is put together from other files; copy its values into one file");

  const Id type(H5Dget_type(dataset.id.get()));
  if (const std::string complaint = type_complaint(type.get(), reals); !complaint.empty())
    fail(name, complaint);

  dataset.shape = shape_of(dataset.id.get());
  if (dataset.shape.size() != n_axes)
    fail(name, "has shape " + to_string(dataset.shape) + "; it must have " + axes(n_axes));
  return dataset;
}

template <class T>
Dataset InputFile::open(const std::string& name, std::size_t n_axes) {
  Dataset dataset = find(name, n_axes, std::is_floating_point_v<T>);
  note_files(dataset);
  grant_memory(dataset, sizeof(T));
  check_storage(dataset, sizeof(T));
  return dataset;
}

template <class T>
void InputFile::read(const Dataset& dataset, T* to) const {
  if (dataset.size() == 0) return;
  if constexpr (std::is_integral_v<T>) {
    const Id type(H5Dget_type(dataset.id.get()));
    if (!always_fits<T>(type.get()))
      return H5Tget_sign(type.get()) == H5T_SGN_2 ? read_narrowing<std::int64_t>(dataset, to)
                                                  : read_narrowing<std::uint64_t>(dataset, to);
  }
  read_as(dataset, native_type<T>(), to);
}

void InputFile::read_as(const Dataset& dataset, hid_t type, void* to) const {
  if (H5Dread(dataset.id.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) < 0) fail_reading(dataset);
}

void InputFile::fail_reading(const Dataset& dataset) const {
  const std::string reason = last_error();
  const std::string complaint = filter_complaint(dataset.id.get());
  fail(dataset.name, complaint.empty() ? "cannot be read (" + reason + "); is the file damaged?" : complaint);
}

template <class Wide, class T>
void InputFile::read_narrowing(const Dataset& dataset, T* to) const {
  std::vector<Wide> values(dataset.size());
  read_as(dataset, native_type<Wide>(), values.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::in_range<T>(values[i]))
      fail(dataset.name, "element " + std::to_string(i) + " is " + std::to_string(values[i]) +
                             "; it must be " + allowed_values<T>());
    to[i] = static_cast<T>(values[i]);
  }
}

bool InputFile::has_attribute(const std::string& object, const std::string& name) const {
  return has(object) && H5Aexists_by_name(file_.get(), object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

template <class T>
T InputFile::attribute(const std::string& object, const std::string& name) const {
  const std::string where = object == "/" ? "attribute " + name : object + ", attribute " + name;
  if (!has_attribute(object, name))
    fail(where, std::string("is missing; it must be one ") + (std::is_integral_v<T> ? "integer" : "number"));
  const Id id(H5Aopen_by_name(file_.get(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT));
  if (id.get() < 0) fail(where, "cannot be opened: " + last_error());
  const Id type(H5Aget_type(id.get()));
  if (const std::string complaint = type_complaint(type.get(), std::is_floating_point_v<T>);
      !complaint.empty())
    fail(where, complaint);
  const Id space(H5Aget_space(id.get()));
  if (H5Sget_simple_extent_npoints(space.get()) != 1) fail(where, "must be one number");
  T value{};
  if (H5Aread(id.get(), native_type<T>(), &value) < 0) fail(where, "cannot be read: " + last_error());
  if (const std::string misfit = attribute_misfit<T>(id.get(), type.get()); !misfit.empty())
    fail(where, "is " + misfit + "; it must be " + allowed_values<T>());
  return value;
}

#define INSTANTIATE(T)                                                  \
  template Dataset InputFile::open<T>(const std::string&, std::size_t); \
  template void InputFile::read<T>(const Dataset&, T*) const;           \
  template T InputFile::attribute<T>(const std::string&, const std::string&) const;
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(std::int32_t)
INSTANTIATE(std::int64_t)
#undef INSTANTIATE

}  // namespace kokkosort::hdf5
