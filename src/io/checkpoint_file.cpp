#include "io/checkpoint_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/host_loop.hpp"
#include "io/descriptor.hpp"
#include "kokkosort/random.hpp"

namespace kokkosort {
namespace {

namespace fs = std::filesystem;

// The file: preamble, arrays one after the other, their sum. The preamble is text: a line each for the
// format, the lengths of fingerprint and table, then these two. A line of the table is an array: its type,
// extents and name.

constexpr std::string_view format_name = "KokkoSort checkpoint 1";
constexpr std::size_t longest_preamble = std::size_t{1} << 24;
constexpr std::size_t block_bytes = std::size_t{1} << 22;  // that a thread writes or reads at a time

/// Order does not matter in it, so that threads can share the work; the place of each word does.
std::uint64_t sum_words(const std::byte* bytes, std::size_t n_bytes, std::uint64_t place) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < n_bytes; i += sizeof(std::uint32_t)) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes + i, std::min(sizeof(word), n_bytes - i));
    sum += scatter_bits((place + i) * 0x100000001ull ^ word);
  }
  return sum;
}

/// Some of a file, and the memory it is in.
struct FileBlock {
  std::byte* memory;
  std::size_t bytes;
  std::uint64_t place;
};

/// Cuts memory that goes to a place of a file into blocks.
void add_blocks(std::vector<FileBlock>& blocks, std::byte* memory, std::size_t bytes, std::uint64_t place) {
  for (std::size_t at = 0; at < bytes; at += block_bytes)
    blocks.push_back({memory + at, std::min(block_bytes, bytes - at), place + at});
}

/// @param move  pread or pwrite
template <class Move>
void move_all(const fs::path& path, const Move& move, int file, const FileBlock& block) {
  for (std::size_t done = 0; done < block.bytes;) {
    const ssize_t moved =
        move(file, block.memory + done, block.bytes - done, static_cast<off_t>(block.place + done));
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) throw std::runtime_error(path.string() + ": " + std::strerror(moved == 0 ? EIO : errno));
    done += static_cast<std::size_t>(moved);
  }
}

/// Reads all blocks, on all threads of the host. @return the sum of what they hold
std::uint64_t read_blocks(const fs::path& path, int file, const std::vector<FileBlock>& blocks) {
  std::vector<std::uint64_t> sums(blocks.size());
  host_loop("io::checkpoint", blocks.size(), [&](std::size_t i) {
    move_all(path, pread, file, blocks[i]);
    sums[i] = sum_words(blocks[i].memory, blocks[i].bytes, blocks[i].place);
  });
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

/// Writes all blocks. @return the sum of what they hold
std::uint64_t write_blocks(const fs::path& path, int file, const std::vector<FileBlock>& blocks) {
  std::uint64_t sum = 0;
  for (const FileBlock& block : blocks) {
    move_all(path, pwrite, file, block);
    sum += sum_words(block.memory, block.bytes, block.place);
  }
  return sum;
}

template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, float>) return "f4";
  if constexpr (std::is_same_v<T, double>) return "f8";
  if constexpr (std::is_same_v<T, std::int32_t>) return "i4";
  return "i8";
}

std::string table_of(const ArraysToSave& arrays) {
  std::string table;
  for (const ArrayToSave& array : arrays.arrays())
    std::visit(
        [&]<class T>(const ArrayToSave::Pieces<T>&) {
          table += type_name<T>();
          table += fmt::format(" {}", array.shape.size());
          for (const std::size_t n : array.shape) table += fmt::format(" {}", n);
          table += " " + array.name + "\n";
        },
        array.pieces);
  return table;
}

std::vector<FileBlock> blocks_of(const ArraysToSave& arrays, std::uint64_t place) {
  std::vector<FileBlock> blocks;
  for (const ArrayToSave& array : arrays.arrays())
    std::visit(
        [&](const auto& pieces) {
          for (const auto& piece : pieces) {
            // Written, not changed.
            auto* const memory =
                reinterpret_cast<std::byte*>(const_cast<void*>(static_cast<const void*>(piece.data())));
            add_blocks(blocks, memory, piece.size_bytes(), place);
            place += piece.size_bytes();
          }
        },
        array.pieces);
  return blocks;
}

/// The beginning of a file that is read.
struct Preamble {
  std::string fingerprint;
  std::string table;
  std::uint64_t length = 0;
  std::uint64_t sum = 0;
};

std::string preamble_of(const std::string& fingerprint, const std::string& table) {
  return fmt::format("{}\n{} {}\n", format_name, fingerprint.size(), table.size()) + fingerprint + table;
}

/// The sum of a preamble, which lies at the file's beginning.
std::uint64_t sum_of(std::string& preamble) {
  return sum_words(reinterpret_cast<const std::byte*>(preamble.data()), preamble.size(), 0);
}

std::optional<std::string> read_text(const fs::path& path, int file, std::size_t bytes, std::uint64_t place) {
  std::string text(bytes, '\0');
  try {
    move_all(path, pread, file, {reinterpret_cast<std::byte*>(text.data()), bytes, place});
  } catch (const std::runtime_error&) {
    return {};
  }
  return text;
}

std::optional<Preamble> read_preamble(const fs::path& path, int file, std::uint64_t file_bytes) {
  constexpr std::size_t longest_lines = 80;
  const auto start = read_text(path, file, std::min<std::uint64_t>(longest_lines, file_bytes), 0);
  std::size_t fingerprint = 0;
  std::size_t table = 0;
  int length = 0;
  const std::string pattern = std::string(format_name) + "\n%zu %zu%n";
  if (!start || std::sscanf(start->c_str(), pattern.c_str(), &fingerprint, &table, &length) != 2) return {};
  const std::size_t lines = static_cast<std::size_t>(length) + 1;
  if (fingerprint > longest_preamble || table > longest_preamble || lines + fingerprint + table > file_bytes)
    return {};
  auto all = read_text(path, file, lines + fingerprint + table, 0);
  if (!all) return {};
  return Preamble{all->substr(lines, fingerprint), all->substr(lines + fingerprint), all->size(),
                  sum_of(*all)};
}

std::size_t size_of(const ArrayShape& shape, std::size_t most) {
  std::size_t size = 1;
  for (const std::size_t n : shape) {
    if (n != 0 && size > most / n) throw std::runtime_error("too large");
    size *= n;
  }
  return size;
}

/// Makes room for an array, and cuts it into blocks of the file.
template <class T>
SavedArray make_array(ArrayShape shape, std::uint64_t& place, std::uint64_t end,
                      std::vector<FileBlock>& blocks) {
  std::vector<T> values(size_of(shape, (end - place) / sizeof(T)));
  add_blocks(blocks, reinterpret_cast<std::byte*>(values.data()), values.size() * sizeof(T), place);
  place += values.size() * sizeof(T);
  return {std::move(shape), std::move(values)};
}

SavedArray make_array(const std::string& type, ArrayShape shape, std::uint64_t& place, std::uint64_t end,
                      std::vector<FileBlock>& blocks) {
  if (type == type_name<float>()) return make_array<float>(std::move(shape), place, end, blocks);
  if (type == type_name<double>()) return make_array<double>(std::move(shape), place, end, blocks);
  if (type == type_name<std::int32_t>())
    return make_array<std::int32_t>(std::move(shape), place, end, blocks);
  return make_array<std::int64_t>(std::move(shape), place, end, blocks);
}

/// Arrays of a table, with room for what they hold.
std::map<std::string, SavedArray> make_arrays(const std::string& table, std::uint64_t place,
                                              std::uint64_t end, std::vector<FileBlock>& blocks) {
  std::map<std::string, SavedArray> arrays;
  std::istringstream lines(table);
  std::string type;
  std::size_t n_axes = 0;
  while (lines >> type >> n_axes) {
    constexpr std::size_t most_axes = 8;
    ArrayShape shape(std::min(n_axes, most_axes));
    for (std::size_t& n : shape) lines >> n;
    std::string name;
    lines >> name;
    arrays[name] = make_array(type, std::move(shape), place, end, blocks);
  }
  if (place != end) throw std::runtime_error("not as long as it says");
  return arrays;
}

Descriptor open_to_read(const fs::path& path, std::uint64_t& bytes) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (file.get() < 0 || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return Descriptor(-1);
  bytes = static_cast<std::uint64_t>(status.st_size);
  return file;
}

}  // namespace

void write_checkpoint(const fs::path& path, const std::string& fingerprint, const ArraysToSave& arrays) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.get() < 0) throw std::runtime_error(path.string() + ": " + std::strerror(errno));
  std::string preamble = preamble_of(fingerprint, table_of(arrays));
  move_all(path, pwrite, file.get(), {reinterpret_cast<std::byte*>(preamble.data()), preamble.size(), 0});
  const std::vector<FileBlock> blocks = blocks_of(arrays, preamble.size());
  std::uint64_t sum = sum_of(preamble) + write_blocks(path, file.get(), blocks);
  const std::uint64_t end = blocks.empty() ? preamble.size() : blocks.back().place + blocks.back().bytes;
  move_all(path, pwrite, file.get(), {reinterpret_cast<std::byte*>(&sum), sizeof(sum), end});
}

std::optional<std::string> read_fingerprint(const fs::path& path) {
  std::uint64_t bytes = 0;
  const Descriptor file = open_to_read(path, bytes);
  if (file.get() < 0) return {};
  const auto preamble = read_preamble(path, file.get(), bytes);
  if (!preamble) return {};
  return preamble->fingerprint;
}

std::optional<SavedArrays> read_checkpoint(const fs::path& path) {
  std::uint64_t bytes = 0;
  const Descriptor file = open_to_read(path, bytes);
  if (file.get() < 0) return {};
  const auto preamble = read_preamble(path, file.get(), bytes);
  std::uint64_t sum = 0;
  if (!preamble || preamble->length + sizeof(sum) > bytes) return {};
  try {
    const std::uint64_t end = bytes - sizeof(sum);
    std::vector<FileBlock> blocks;
    std::map<std::string, SavedArray> arrays = make_arrays(preamble->table, preamble->length, end, blocks);
    const std::uint64_t found = preamble->sum + read_blocks(path, file.get(), blocks);
    move_all(path, pread, file.get(), {reinterpret_cast<std::byte*>(&sum), sizeof(sum), end});
    if (sum != found) return {};
    return SavedArrays(std::move(arrays));
  } catch (const std::runtime_error&) {
    return {};  // damaged, or not to be read: as good as none
  }
}

}  // namespace kokkosort
