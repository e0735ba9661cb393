#include "io/npy.hpp"

#include <fmt/format.h>

#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include "io/pending_steps.hpp"

namespace kokkosort::npy {
namespace {

constexpr std::size_t alignment = 64;

std::size_t product(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

/// NumPy's name of a type, "<f4".
template <class T>
std::string descriptor() {
  const char order = sizeof(T) == 1 ? '|' : std::endian::native == std::endian::little ? '<' : '>';
  const char kind = std::is_same_v<T, bool>       ? 'b'
                    : std::is_floating_point_v<T> ? 'f'
                    : std::is_signed_v<T>         ? 'i'
                                                  : 'u';
  return fmt::format("{}{}{}", order, kind, sizeof(T));
}

/// A Python tuple, "(3,)".
std::string tuple(const Shape& shape) {
  std::string text = "(";
  for (const std::size_t n : shape) text += fmt::format("{}{}", text.size() == 1 ? "" : ", ", n);
  return text + (shape.size() == 1 ? ",)" : ")");
}

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw std::runtime_error(path.string() + ": " + what);
}

/// @throws std::runtime_error if a file does not begin with its header or has another length
void check_written(const std::filesystem::path& path, const std::string& header, std::size_t value_bytes) {
  std::ifstream stream(path, std::ios::binary);
  std::string found(header.size(), '\0');
  stream.read(found.data(), static_cast<std::streamsize>(found.size()));
  if (!stream || found != header) fail(path, "does not begin as it was written");
  const std::uintmax_t size = std::filesystem::file_size(path);
  if (size != header.size() + value_bytes)
    fail(path, fmt::format("has {} bytes; {} were written", size, header.size() + value_bytes));
}

}  // namespace

template <class T>
std::string header(const Shape& shape) {
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descriptor<T>(), tuple(shape));
  const std::string magic("\x93NUMPY\x01\x00", 8);
  const std::size_t before = magic.size() + 2;  // and the length of the text
  const std::size_t length = (before + text.size() + 1 + alignment - 1) / alignment * alignment - before;
  text.resize(length - 1, ' ');
  return magic + static_cast<char>(length & 0xff) + static_cast<char>(length >> 8) + text + '\n';
}

template <class T>
OutputFile<T>::OutputFile(const std::filesystem::path& path, const Shape& shape)
    : path_(path), header_(header<T>(shape)), stream_(path, std::ios::binary), n_values_(product(shape)) {
  stream_.write(header_.data(), static_cast<std::streamsize>(header_.size()));
  if (!stream_) fail(path_, std::strerror(errno));
}

template <class T>
void OutputFile<T>::append(const T* values, std::size_t count) {
  n_written_ += count;
  stream_.write(reinterpret_cast<const char*>(values), static_cast<std::streamsize>(count * sizeof(T)));
  if (!stream_) fail(path_, std::strerror(errno));
}

template <class T>
void OutputFile<T>::close() {
  stream_.close();
  if (!stream_) fail(path_, std::strerror(errno));
  if (n_written_ != n_values_)
    throw std::logic_error(
        fmt::format("{}: {} values for {}", path_.string(), n_written_, header_.substr(10)));
  begin_to_disk(path_);
  check_written(path_, header_, n_values_ * sizeof(T));
}

template <class T>
void write(const std::filesystem::path& path, const Shape& shape, const T* values) {
  OutputFile<T> file(path, shape);
  file.append(values, product(shape));
  file.close();
}

template <class T>
std::vector<T> read_back(const std::filesystem::path& path, const Shape& shape) {
  check_written(path, header<T>(shape), product(shape) * sizeof(T));
  std::ifstream stream(path, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(header<T>(shape).size()));
  std::vector<T> values(product(shape));
  stream.read(reinterpret_cast<char*>(values.data()),
              static_cast<std::streamsize>(values.size() * sizeof(T)));
  if (!stream) fail(path, "cannot be read back");
  return values;
}

#define INSTANTIATE(T)                          \
  template std::string header<T>(const Shape&); \
  template class OutputFile<T>;                 \
  template void write<T>(const std::filesystem::path&, const Shape&, const T*);
INSTANTIATE(bool)
INSTANTIATE(std::int32_t)
INSTANTIATE(std::int64_t)
INSTANTIATE(std::uint32_t)
INSTANTIATE(float)
#undef INSTANTIATE

template std::vector<std::int32_t> read_back(const std::filesystem::path&, const Shape&);
template std::vector<std::int64_t> read_back(const std::filesystem::path&, const Shape&);
template std::vector<float> read_back(const std::filesystem::path&, const Shape&);

}  // namespace kokkosort::npy
