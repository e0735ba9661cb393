#pragma once
// NumPy's array files, format 1.0, in C order and this machine's byte order.

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace kokkosort::npy {

using Shape = std::vector<std::size_t>;

/// All that comes before the values; its length is a multiple of 64, so that they can be mapped into memory.
/// @param T  bool, std::int32_t, std::int64_t, std::uint32_t or float
template <class T>
std::string header(const Shape& shape);

/// A file that is written front to back, so that the array need not be in memory at once. Failures are
/// std::runtime_error.
template <class T>
class OutputFile {
 public:
  OutputFile(const std::filesystem::path& path, const Shape& shape);

  void append(const T* values, std::size_t count);
  /// Completes the file and looks whether all of it is there.
  /// @throws std::logic_error if it was given fewer or more values than its shape has
  void close();

 private:
  std::filesystem::path path_;
  std::string header_;
  std::ofstream stream_;
  std::size_t n_values_;
  std::size_t n_written_ = 0;
};

/// Writes an array that is in memory.
template <class T>
void write(const std::filesystem::path& path, const Shape& shape, const T* values);

/// Reads back what was written.
/// @throws std::runtime_error if the file is not one of this type, shape and length
template <class T>
std::vector<T> read_back(const std::filesystem::path& path, const Shape& shape);

}  // namespace kokkosort::npy
