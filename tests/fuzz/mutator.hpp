#pragma once
// Damages inputs at random; the same seed damages them in the same way everywhere.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>

namespace kokkosort::test {

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t n) {
    return static_cast<std::size_t>(random_() % std::max<std::size_t>(n, 1));
  }
  bool one_in(std::size_t n) { return below(n) == 0; }

  /// A text changed in a few places: bytes, words that mean something to a reader put in, numbers made
  /// extreme, parts taken out, repeated, exchanged or taken from another text; now and then one part repeated
  /// thousands of times.
  std::string text(std::string text, const std::string& other);

  /// A binary file changed in a few places: bits, bytes, whole numbers of any width, parts cut off or copied
  /// over.
  std::string bytes(std::string bytes, const std::string& other);

  /// Changes objects of a valid HDF5 file by means of the library: deletes, exchanges and links them, in
  /// loops and into other files too, gives them other types, axes, extents and ways of storage, and extreme
  /// values.
  void hdf5_objects(const std::filesystem::path& path);

 private:
  /// Where a change begins, and how far it goes.
  struct Part {
    std::size_t first;
    std::size_t length;
  };
  Part part_of(const std::string& text);
  std::string some_of(const std::string& text);
  void make_number_extreme(std::string& text);
  void repeat_part(std::string& text);

  std::mt19937_64 random_;
};

}  // namespace kokkosort::test
