// The answer depends on the recording, the options and the seed alone: not on the run, the threads, the
// scratch, the batches or the BLAS.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "kokkosort/clustering/cluster.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/io/features_file.hpp"
#include "system/rand_index.hpp"
#include "system/recording.hpp"
#include "system/shared_data.hpp"

namespace kokkosort::test {
namespace {

void expect_same(const Clustering& a, const Clustering& b) {
  EXPECT_EQ(a.labels, b.labels);
  ASSERT_EQ(a.n_units(), b.n_units());
  ASSERT_EQ(a.templates.size(), b.templates.size());
  for (std::size_t i = 0; i < a.templates.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint32_t>(a.templates.data()[i]),
              std::bit_cast<std::uint32_t>(b.templates.data()[i]))
        << "template value " << i;
  ASSERT_EQ(a.sections.size(), b.sections.size());
  for (std::size_t s = 0; s < a.sections.size(); ++s) {
    const SectionReport& one = a.sections[s];
    const SectionReport& other = b.sections[s];
    EXPECT_EQ(one.seeds, other.seeds);
    EXPECT_EQ(one.first_unit, other.first_unit);
    EXPECT_EQ(one.units, other.units);
    ASSERT_EQ(one.tree.joins.size(), other.tree.joins.size());
    for (std::size_t j = 0; j < one.tree.joins.size(); ++j) {
      const Join& x = one.tree.joins[j];
      const Join& y = other.tree.joins[j];
      EXPECT_TRUE(x.left == y.left && x.right == y.right && x.verdict == y.verdict)
          << "section " << s << " join " << j;
      EXPECT_EQ(std::bit_cast<std::uint64_t>(x.ratio), std::bit_cast<std::uint64_t>(y.ratio));
      EXPECT_EQ(std::bit_cast<std::uint64_t>(x.score), std::bit_cast<std::uint64_t>(y.score));
    }
  }
}

std::size_t batches_of(const TransferLedger& ledger) {
  return ledger.entries().at({"clustering", "features", Direction::up}).copies;
}

template <class Exec>
class DeterminismTest : public testing::Test {
 protected:
  DeterminismTest() { RecordProperty("seed", std::to_string(seed)); }

  Clustering cluster(const Exec& exec = Exec()) {
    ledger = TransferLedger();
    return cluster_spikes(exec, recording.spikes, options, ledger);
  }

  static constexpr std::uint64_t seed = 21;
  const Recording recording = crowded_recording(seed, 4, 200);
  ClusteringOptions options;
  TransferLedger ledger;
};
TYPED_TEST_SUITE(DeterminismTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(DeterminismTest, TwoRuns) {
  const Clustering once = this->cluster();
  EXPECT_GT(once.n_units(), once.sections.size()) << "nothing was decided";
  expect_same(once, this->cluster());
}

/// Another seed is another answer: else the tests here compare nothing.
TYPED_TEST(DeterminismTest, TheSeedCounts) {
  const Clustering once = this->cluster();
  this->options.seed = 2;
  EXPECT_NE(once.labels, this->cluster().labels);
}

TYPED_TEST(DeterminismTest, ChunksOfTheProduct) {
  const Clustering once = this->cluster();
  for (const std::size_t dots : {1, 1000, 40000}) {
    SCOPED_TRACE(dots);
    this->options.neighbours.max_chunk_dots = dots;
    expect_same(once, this->cluster());
  }
}

/// A product proposes neighbours, and has no say in which are chosen.
TYPED_TEST(DeterminismTest, RoundingOfTheProduct) {
  const Recording distant = distant_recording(this->seed, 2, 100);
  const Clustering once = cluster_spikes(TypeParam(), distant.spikes, this->options, this->ledger);
  for (const std::size_t dots : {1, 1000, 20000}) {
    SCOPED_TRACE(dots);
    this->options.neighbours.max_chunk_dots = dots;
    expect_same(once, cluster_spikes(TypeParam(), distant.spikes, this->options, this->ledger));
  }
}

TYPED_TEST(DeterminismTest, BatchesOfSections) {
  this->options.neighbours.max_chunk_dots = 1000;
  const Clustering together = this->cluster();
  ASSERT_EQ(together.sections.size(), 4u);
  ASSERT_EQ(batches_of(this->ledger), 1u);
  // About the largest limit under which no two sections fit.
  std::size_t low = 0;
  std::size_t high = std::size_t{1} << 30;
  while (high - low > high / 16) {
    this->options.device_limit_bytes = low + (high - low) / 2;
    bool one_each = true;
    try {
      this->cluster();
      one_each = batches_of(this->ledger) == 4u;
    } catch (const InputError&) {  // too small for one
    }
    (one_each ? low : high) = this->options.device_limit_bytes;
  }
  this->options.device_limit_bytes = low;
  expect_same(together, this->cluster());
  ASSERT_EQ(batches_of(this->ledger), 4u);
  this->options.device_limit_bytes = 2 * low;
  expect_same(together, this->cluster());
  EXPECT_EQ(batches_of(this->ledger), 2u);
}

/// An instance of fewer threads, or another stream.
TYPED_TEST(DeterminismTest, InstancesOfOneSpace) {
  using namespace Kokkos::Experimental;  // where partition_space is in Kokkos 4
  using namespace Kokkos;
  if (runs_on_host<TypeParam> && TypeParam().concurrency() < 2)
    GTEST_SKIP() << TypeParam::name() << " has one thread: nothing to divide";
  const Clustering once = this->cluster();
  const std::vector<TypeParam> parts = partition_space(TypeParam(), 1, 1);
  expect_same(once, this->cluster(parts[0]));
}

/// At least 99 % of pairs of spikes alike on every backend.
TYPED_TEST(DeterminismTest, AgreesWithSerial) {
  const Clustering here = this->cluster();
  const Clustering serial =
      cluster_spikes(Kokkos::Serial(), this->recording.spikes, this->options, this->ledger);
  const double alike = rand_index(here.labels, serial.labels);
  std::cout << TypeParam::name() << " and Serial: " << 100.0 * alike << " % of pairs alike\n";
  this->RecordProperty("pairs_alike", std::to_string(alike));
  EXPECT_GE(alike, 0.99);
}

template <class Exec>
class DeterminismOfFilesTest : public testing::Test {
 protected:
  /// Two runs, chunks and backends on one group of a file.
  static void expect_one_answer(const std::filesystem::path& path, const std::string& group) {
    const SpikeFeatures spikes = read_features(path, group, std::size_t{1} << 32);
    ClusteringOptions options;
    TransferLedger ledger;
    const Clustering once = cluster_spikes(Exec(), spikes, options, ledger);
    const Clustering serial = cluster_spikes(Kokkos::Serial(), spikes, options, ledger);
    options.neighbours.max_chunk_dots = 10000;
    expect_same(once, cluster_spikes(Exec(), spikes, options, ledger));
    const double alike = rand_index(once.labels, serial.labels);
    std::cout << path.filename().string() << " " << group << ", " << Exec::name()
              << " and Serial: " << 100.0 * alike << " % of pairs alike\n";
    EXPECT_GE(alike, 0.99);
  }
};
TYPED_TEST_SUITE(DeterminismOfFilesTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(DeterminismOfFilesTest, Demo) {
  for (const char* group : {"detected", "matched"}) this->expect_one_answer(demo_features(), group);
}

TYPED_TEST(DeterminismOfFilesTest, SharedRecording) {
  const std::filesystem::path path = shared_data("np64_120s_stages.h5");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << missing(path);
  for (const char* group : {"detected", "matched"}) this->expect_one_answer(path, group);
}

TEST(RandIndex, CountsPairs) {
  EXPECT_DOUBLE_EQ(rand_index({0, 0, 1, 1}, {5, 5, 3, 3}), 1.0);
  EXPECT_DOUBLE_EQ(rand_index({0, 0, 1, 1}, {0, 1, 0, 1}), 2.0 / 6.0);
  EXPECT_DOUBLE_EQ(rand_index({0, 0, 0, 1}, {0, 0, 1, 1}), 3.0 / 6.0);
}

}  // namespace
}  // namespace kokkosort::test
