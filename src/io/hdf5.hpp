#pragma once
// The HDF5 C library behind owned ids, typed reads and writes, and errors that name file and object.

#include <hdf5.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kokkosort::hdf5 {

using Shape = std::vector<std::size_t>;

/// "[120, 10, 6]".
std::string to_string(const Shape& shape);

/// Owns an HDF5 id of any kind.
class Id {
 public:
  Id() = default;
  explicit Id(hid_t id) : id_(id) {}
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Id& operator=(Id&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Id() {
    if (id_ >= 0) H5Idec_ref(id_);
  }

  hid_t get() const { return id_; }
  /// Closes now. @return negative if what was still to be written could not be
  herr_t close() { return id_ >= 0 ? herr_t{H5Idec_ref(std::exchange(id_, H5I_INVALID_HID))} : herr_t{0}; }

 private:
  hid_t id_ = H5I_INVALID_HID;
};

/// Comes before any other call, in every thread. HDF5 prints its errors unless told not to; ours carry them.
/// Its own cleaning up when the program ends crashes after a full disk; every id has an owner that closes it.
void prepare_library();

/// How a file is opened to be read. Many cluster file systems have no locks; a reader can do without.
Id unlocked_access();

/// "1.10.8".
std::string library_version();

/// What HDF5 says about its last failure.
std::string last_error();

/// Passes a result on.
/// @throws Error with `what` and the reason if it is negative, which is how HDF5 reports failure
template <class Error, class Result>
Result check(Result result, const std::string& what) {
  if (result < 0) throw Error(what + ": " + last_error());
  return result;
}

/// HDF5's name for float, double, std::int16_t, std::uint16_t, std::int32_t, std::int64_t or std::uint64_t in
/// memory.
template <class T>
hid_t native_type();

/// A dataset of an input file whose type and number of axes were checked.
struct Dataset {
  std::string name;
  Shape shape;
  Id id;

  std::size_t size() const;
};

/// A file that is read. Every error is an InputError that names the file and the object.
class InputFile {
 public:
  /// @param memory_limit  bytes that open() grants to all datasets together, whatever the file claims to hold
  InputFile(const std::filesystem::path& path, std::size_t memory_limit);

  bool has(const std::string& name) const;
  bool has_group(const std::string& name) const;
  /// Names of all groups, at any depth, that hold an object of this name.
  std::vector<std::string> groups_with(const std::string& member) const;
  /// Names of all datasets of numbers on so many axes.
  std::vector<std::string> datasets_with(std::size_t n_axes) const;

  /// Integers of any width are taken as T = std::int32_t or std::int64_t, numbers of any kind as float or
  /// double.
  template <class T>
  Dataset open(const std::string& name, std::size_t n_axes);
  /// @param to  room for all elements
  template <class T>
  void read(const Dataset& dataset, T* to) const;

  /// Opens a dataset of integers or floating-point numbers that is larger than what is held of it at once: it
  /// does not count towards the limit.
  Dataset open_rows(const std::string& name, std::size_t n_axes);
  /// Reads rows [first, first + count) of the first axis. Other rows stay on the disk. May run in another
  /// thread than the one that opened the file, not at the same time as other calls.
  /// @param T  one that holds all numbers of the dataset's type; std::int16_t and std::uint16_t as well
  template <class T>
  void read_rows(const Dataset& dataset, std::size_t first, std::size_t count, T* to) const;

  /// Files that hold what was opened: others than this one, if links lead there. A file may occur more than
  /// once.
  const std::vector<std::filesystem::path>& files() const { return files_; }

  bool has_attribute(const std::string& object, const std::string& name) const;
  /// One number. @param object  "/" for the file's own attributes
  template <class T>
  T attribute(const std::string& object, const std::string& name) const;

  const std::filesystem::path& path() const { return path_; }
  /// @throws InputError "file: object: what"; an empty object is left out
  [[noreturn]] void fail(const std::string& object, const std::string& what) const;

 private:
  /// @param reals  whether floating-point numbers will do
  Dataset find(const std::string& name, std::size_t n_axes, bool reals) const;
  void note_files(const Dataset& dataset);
  void grant_memory(const Dataset& dataset, std::size_t element_bytes);
  void check_storage(const Dataset& dataset, std::size_t element_bytes) const;
  void read_as(const Dataset& dataset, hid_t type, void* to) const;
  [[noreturn]] void fail_reading(const Dataset& dataset) const;
  /// Reads integers of a type that holds all of theirs. @throws InputError if one is not an integer of T
  template <class Wide, class T>
  void read_narrowing(const Dataset& dataset, T* to) const;

  std::filesystem::path path_;
  std::size_t memory_limit_;
  std::size_t memory_granted_ = 0;
  std::vector<std::filesystem::path> files_;
  Id file_;
};

/// A new file. Objects carry no times, so that equal contents are equal bytes. Failures are
/// std::runtime_error.
class OutputFile {
 public:
  /// @param path  must not exist
  explicit OutputFile(const std::filesystem::path& path);

  /// Makes a group; the one it lies in exists.
  void group(const std::string& name);
  template <class T>
  void write(const std::string& name, const Shape& shape, const T* from);
  /// A dataset of any HDF5 type.
  void write(const std::string& name, hid_t type, const Shape& shape, const void* from);
  /// Writes a dataset of which only one row of the first axis is in memory at a time.
  /// @param fill  is called for each row in turn, with room for its elements
  template <class T>
  void write_rows(const std::string& name, const Shape& shape,
                  const std::function<void(std::size_t, T*)>& fill);
  template <class T>
  requires std::is_arithmetic_v<T>
  void attribute(const std::string& object, const std::string& name, T value);
  void attribute(const std::string& object, const std::string& name, const std::string& value);
  void attribute(const std::string& object, const std::string& name, const std::vector<std::string>& values);
  /// Another name for an object that is there.
  void link(const std::string& name, const std::string& object);
  /// Completes the file.
  void close();

 private:
  Id make_dataset(const std::string& name, hid_t type, const Shape& shape);
  void attribute(const std::string& object, const std::string& name, const Id& space, hid_t type,
                 const void* value);
  std::string where(const std::string& object) const;

  std::filesystem::path path_;
  Id file_;
};

/// UTF-8 text that ends with a zero. @param size  bytes, the zero's included, or H5T_VARIABLE
Id string_type(std::size_t size);

}  // namespace kokkosort::hdf5
