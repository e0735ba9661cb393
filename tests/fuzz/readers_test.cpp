// Thousands of damaged files: each is read, or refused in one line, soon and without much memory.
// KOKKOSORT_FUZZ_SEED sets another seed; kokkosort_fuzz goes on for as long as one likes.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/readers.hpp"
#include "io/temporary_folder.hpp"

namespace kokkosort::test {
namespace {

using Clock = std::chrono::steady_clock;

class FuzzedReaders : public testing::Test {
 protected:
  static std::uint64_t seed() {
    const char* const given = std::getenv("KOKKOSORT_FUZZ_SEED");
    return given == nullptr ? 7 : std::strtoull(given, nullptr, 10);
  }

  /// @return whether it was read
  bool read_one(const FuzzedReader& reader, std::uint64_t seed) const {
    const std::filesystem::path path = write_damaged(reader, seed, folder_.path());
    constexpr std::chrono::seconds longest{60};  // beside other tests
    const Clock::time_point start = Clock::now();
    bool was_read = false;
    try {
      was_read = read_by_the_rules(reader, path);
    } catch (const std::exception& error) {
      ADD_FAILURE() << reader.name << ", seed " << seed << ": " << error.what();
    }
    EXPECT_LT(Clock::now() - start, longest) << reader.name << ", seed " << seed;
    return was_read;
  }

  void read_all(FuzzedReader::Format format) const {
    RecordProperty("seed", std::to_string(seed()));
    const MemoryBound bound(std::size_t{2} << 30);
    for (const FuzzedReader& reader : fuzzed_readers(folder_.path())) {
      if (reader.format != format) continue;
      const std::uint64_t n_inputs = reader.n_in_test;
      std::uint64_t n_read = 0;
      for (std::uint64_t i = 0; i < n_inputs; ++i) n_read += read_one(reader, seed() + i);
      EXPECT_LT(n_read, n_inputs) << reader.name;
      EXPECT_GT(n_read, 0u) << reader.name << ": nothing is only a little damaged";
    }
  }

  TemporaryFolder folder_;
};

TEST_F(FuzzedReaders, TextsAreReadOrRefusedInOneLine) { read_all(FuzzedReader::Format::text); }

TEST_F(FuzzedReaders, Hdf5FilesAreReadOrRefusedInOneLine) { read_all(FuzzedReader::Format::hdf5); }

TEST_F(FuzzedReaders, DamagedCheckpointsAreNone) { read_all(FuzzedReader::Format::bytes); }

/// The seeds are of files that the mutator makes of them as it is.
TEST_F(FuzzedReaders, FilesThatCrashedTheirLibrariesOrHungThemAreRefused) {
  const std::vector<std::pair<std::string, std::uint64_t>> found = {
      {"trains", 45}, {"recording", 6751}, {"recording", 6778}, {"recording", 6852}, {"recording", 11768}};
  for (const FuzzedReader& reader : fuzzed_readers(folder_.path()))
    for (const auto& [name, seed] : found) {
      if (reader.name != name) continue;
      EXPECT_FALSE(read_one(reader, seed)) << name << ", seed " << seed;
    }
}

}  // namespace
}  // namespace kokkosort::test
