#pragma once
// The readers of what users give, with valid inputs to damage, and the rules that they are to keep.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace kokkosort::test {

/// A reader and what it reads.
struct FuzzedReader {
  enum class Format { text, bytes, hdf5 };

  std::string name;
  std::string file;  // its name, which some readers look at
  Format format;
  std::uint64_t n_in_test;           // damaged inputs of an everyday test: about a second's
  std::vector<std::string> samples;  // contents of valid files
  /// @throws InputError if it refuses the file
  std::function<void(const std::filesystem::path&)> read;
};

/// All of them. Their samples are made with the help of files in this folder.
std::vector<FuzzedReader> fuzzed_readers(const std::filesystem::path& folder);

/// Writes one of a reader's samples into a file, damaged. @return its path
std::filesystem::path write_damaged(const FuzzedReader& reader, std::uint64_t seed,
                                    const std::filesystem::path& folder);

/// Reads a file and checks the rules: it is read, or refused by an InputError of one line that names it.
/// @return whether it was read
/// @throws std::logic_error with what the rules do not allow
bool read_by_the_rules(const FuzzedReader& reader, const std::filesystem::path& file);

/// Keeps the process's memory to so much more than it has now, while it lives: no file here is of a size that
/// justifies more.
class MemoryBound {
 public:
  explicit MemoryBound(std::size_t bytes);
  ~MemoryBound();
  MemoryBound(const MemoryBound&) = delete;
  MemoryBound& operator=(const MemoryBound&) = delete;

 private:
  std::uint64_t before_;
};

}  // namespace kokkosort::test
