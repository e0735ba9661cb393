// The program itself, run with other threads, BLAS kernels and limits: every dataset and attribute of
// clusters.h5 outside /run is the same bytes.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>

#include "io/temporary_folder.hpp"
#include "system/features_writer.hpp"
#include "system/hdf5_contents.hpp"
#include "system/recording.hpp"
#include "system/shared_data.hpp"

namespace kokkosort::test {
namespace {

class ProgramDeterminismTest : public testing::TestWithParam<const char*> {
 protected:
  /// Runs `cluster`. @param environment  "NAME=value NAME=value" @return whether it ended well
  bool run(const std::filesystem::path& features, const std::string& environment,
           const std::string& overrides) {
    write_text(work_ / "deck.yaml",
               "input: {features: '" + features.string() + "', group: " + GetParam() + "}\n");
    const std::string command = "env " + environment + " " KOKKOSORT_BINARY " cluster '" +
                                (work_ / "deck.yaml").string() + "' --quiet --overwrite output.folder='" +
                                (work_ / "out").string() + "' " + overrides + " > '" +
                                (work_ / "printed").string() + "' 2>&1";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  /// What the program writes, without /run.
  Contents cluster(const std::filesystem::path& features, const std::string& environment,
                   const std::string& overrides = "") {
    run_ = {};
    if (!run(features, environment, overrides)) {
      ADD_FAILURE() << read_text(work_ / "printed");
      return {};
    }
    Contents contents = read_contents((work_ / "out/clusters.h5").string());
    for (auto entry = contents.begin(); entry != contents.end();)
      if (entry->first == "/run" || entry->first.starts_with("/run/") || entry->first.starts_with("/run@")) {
        run_.insert(*entry);
        entry = contents.erase(entry);
      } else {
        ++entry;
      }
    return contents;
  }

  /// A limit of device memory as small as may be, from what the refusals ask for.
  std::string smallest_limit(const std::filesystem::path& features, const std::string& overrides) {
    std::string limit = "1";
    while (!run(features, "OMP_NUM_THREADS=2", overrides + " memory.device_limit_mb=" + limit)) {
      const std::string message = read_text(work_ / "printed");
      std::smatch needs;
      if (!std::regex_search(message, needs, std::regex("needs ([0-9]+)")) || needs[1] == limit) {
        ADD_FAILURE() << message;
        break;
      }
      limit = needs[1];
    }
    return limit;
  }

  static void expect_same(const Contents& a, const Contents& b) {
    EXPECT_EQ(a.size(), b.size());
    for (const auto& [path, bytes] : a) {
      const auto other = b.find(path);
      ASSERT_NE(other, b.end()) << path;
      EXPECT_TRUE(bytes == other->second) << path << " differs";
    }
  }

  void expect_one_answer(const std::filesystem::path& features) {
    const Contents reference = cluster(features, "OMP_NUM_THREADS=2");
    ASSERT_TRUE(reference.contains("/labels") && reference.contains("/templates"));
    ASSERT_TRUE(run_.contains("/run@threads"));
    const std::string two_threads = run_["/run@threads"];
    {
      SCOPED_TRACE("again");
      expect_same(reference, cluster(features, "OMP_NUM_THREADS=2"));
    }
    {
      SCOPED_TRACE("one thread");
      expect_same(reference, cluster(features, "OMP_NUM_THREADS=1"));
#if defined(KOKKOS_ENABLE_OPENMP)
      EXPECT_NE(run_["/run@threads"], two_threads) << "the number of threads had no effect";
#endif
    }
    {
      SCOPED_TRACE("small chunks");
      expect_same(reference, cluster(features, "OMP_NUM_THREADS=2", "clustering.max_chunk_dots=30000"));
    }
    {
      SCOPED_TRACE("several batches");
      const std::string chunks = "clustering.max_chunk_dots=30000";
      const std::string one_batch = run_["/run/transfer_ledger"];
      const std::string limit = smallest_limit(features, chunks);
      expect_same(reference,
                  cluster(features, "OMP_NUM_THREADS=2", chunks + " memory.device_limit_mb=" + limit));
      EXPECT_FALSE(run_["/run/transfer_ledger"] == one_batch) << "the limit had no effect: " << limit;
    }
    // OpenBLAS chooses its kernels when the process starts; these round differently with rows and threads.
    for (const std::string threads : {"1", "2"}) {
      SCOPED_TRACE("OPENBLAS_CORETYPE=Haswell, threads " + threads);
      expect_same(reference, cluster(features, "OPENBLAS_CORETYPE=Haswell OMP_NUM_THREADS=" + threads));
      expect_same(reference, cluster(features, "OPENBLAS_CORETYPE=Haswell OMP_NUM_THREADS=" + threads,
                                     "clustering.max_chunk_dots=30000"));
    }
  }

  TemporaryFolder work_;

 private:
  Contents run_;
};

TEST_P(ProgramDeterminismTest, Demo) { expect_one_answer(demo_features()); }

/// Where a product's rounding would show most.
TEST_P(ProgramDeterminismTest, DistantSpikes) {
  constexpr std::uint64_t seed = 51;
  RecordProperty("seed", std::to_string(seed));
  const std::filesystem::path path = work_ / "distant.h5";
  write_features(path, GetParam(), distant_recording(seed, 6, 150).spikes);
  expect_one_answer(path);
}

TEST_P(ProgramDeterminismTest, SharedRecording) {
  const std::filesystem::path path = shared_data("np64_120s_stages.h5");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << missing(path);
  expect_one_answer(path);
}

/// The comparison can fail: another option is another file.
TEST_P(ProgramDeterminismTest, AnotherOptionIsAnotherFile) {
  const Contents one = cluster(demo_features(), "OMP_NUM_THREADS=2");
  const Contents other = cluster(demo_features(), "OMP_NUM_THREADS=2", "clustering.seeds=1");
  ASSERT_TRUE(one.contains("/labels") && other.contains("/labels"));
  EXPECT_FALSE(one.at("/labels") == other.at("/labels"));
}

INSTANTIATE_TEST_SUITE_P(Groups, ProgramDeterminismTest, testing::Values("detected", "matched"),
                         [](const auto& group) { return std::string(group.param); });

}  // namespace
}  // namespace kokkosort::test
