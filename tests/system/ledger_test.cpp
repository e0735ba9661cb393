// What crosses between host and device is what DESIGN, section 2, promises: byte by byte, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "kokkosort/clustering/bimodality.hpp"
#include "kokkosort/clustering/cluster.hpp"
#include "kokkosort/clustering/refractory.hpp"
#include "kokkosort/clustering/section_batch.hpp"
#include "kokkosort/clustering/sections.hpp"
#include "system/kokkos_listener.hpp"
#include "system/recording.hpp"

namespace kokkosort::test {
namespace {

using Entry = TransferLedger::Entry;
using Names = std::set<std::string>;

/// What crosses once for every level of the trees that has nodes to test.
const Names level_tables = {"nodes", "first_system", "projection_blocks"};

bool is_tested(const Join& join) {
  return join.verdict == Verdict::split_trough || join.verdict == Verdict::joined_trough;
}

std::size_t tested_nodes(const Clustering& clustering) {
  std::size_t n = 0;
  for (const SectionReport& section : clustering.sections)
    n += static_cast<std::size_t>(
        std::count_if(section.tree.joins.begin(), section.tree.joins.end(), is_tested));
  return n;
}

/// How many tested nodes stand above one another, at most.
std::size_t tested_levels(const MergeTree& tree, std::int32_t node) {
  if (node < tree.n_leaves) return 0;
  const Join& join = tree.joins[static_cast<std::size_t>(node - tree.n_leaves)];
  return (is_tested(join) ? 1 : 0) +
         std::max(tested_levels(tree, join.left), tested_levels(tree, join.right));
}

std::size_t tested_levels(const Clustering& clustering) {
  std::size_t most = 0;
  for (const SectionReport& section : clustering.sections)
    most = std::max(
        most, tested_levels(section.tree, section.tree.n_leaves +
                                              static_cast<std::int32_t>(section.tree.joins.size()) - 1));
  return most;
}

template <class Exec>
class LedgerTest : public testing::Test {
 protected:
  LedgerTest() {
    RecordProperty("seed", std::to_string(seed));
    options.neighbours.max_chunk_dots = 20000;
    options.assignment.resolution = 4.0;  // many leaves
    options.assignment.rounds = 5;
  }

  void cluster() {
    ledger = TransferLedger();
    clustering = cluster_spikes(Exec(), recording.spikes, options, ledger);
    leaves.clear();
    for (const SectionReport& section : clustering.sections)
      leaves.push_back(static_cast<std::size_t>(section.leaves));
  }

  std::map<std::string, Entry> crossing(Direction direction) const {
    std::map<std::string, Entry> entries;
    for (const auto& [key, entry] : ledger.entries()) {
      EXPECT_EQ(key.stage, "clustering");
      if (key.direction == direction) entries[key.what] = entry;
    }
    return entries;
  }

  std::size_t squared_leaves() const {
    return std::accumulate(leaves.begin(), leaves.end(), std::size_t{0},
                           [](std::size_t sum, std::size_t n) { return sum + n * n; });
  }
  std::size_t padded_columns() const {
    std::size_t sum = 0;
    for (const SectionReport& section : clustering.sections) {
      const auto n = static_cast<std::size_t>(section.spikes);
      sum += (n + column_padding - 1) / column_padding * column_padding;
    }
    return sum;
  }

  static constexpr std::uint64_t seed = 31;
  const Recording recording = crowded_recording(seed, 3, 203);
  ClusteringOptions options;
  TransferLedger ledger;
  Clustering clustering;
  std::vector<std::size_t> leaves;
};
TYPED_TEST_SUITE(LedgerTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(LedgerTest, SpikesGoUpOnceAndCompact) {
  this->cluster();
  const auto up = this->crossing(Direction::up);
  const std::size_t columns = this->padded_columns();
  const SpikeFeatures& spikes = this->recording.spikes;
  EXPECT_EQ(up.at("features").bytes, columns * spikes.n_rows() * spikes.n_pcs() * sizeof(float));
  EXPECT_EQ(up.at("features").copies, 1u);
  EXPECT_EQ(up.at("sample").bytes, columns * sizeof(std::int64_t));
  EXPECT_EQ(up.at("centre").bytes, columns * sizeof(std::int32_t));
  EXPECT_EQ(up.at("section_of").bytes, columns * sizeof(std::uint32_t));
  std::size_t tables = 0;
  for (const auto& [what, entry] : up)
    if (what != "features" && what != "sample" && what != "centre" && what != "section_of")
      tables += entry.bytes;
  EXPECT_LT(tables, up.at("features").bytes / 20) << "tables of sections, tiles, leaves and nodes are small";
}

/// In batches of sections, too, a spike goes up once.
TYPED_TEST(LedgerTest, BatchesShareTheSpikes) {
  this->cluster();
  const auto together = this->crossing(Direction::up);
  this->options.device_limit_bytes = 0;
  for (std::size_t limit = 1 << 19; this->options.device_limit_bytes == 0; limit += limit / 4) try {
      this->options.device_limit_bytes = limit;
      this->cluster();
    } catch (const std::exception&) {
      this->options.device_limit_bytes = 0;
    }
  const auto apart = this->crossing(Direction::up);
  EXPECT_GT(apart.at("features").copies, 1u);
  for (const std::string what : {"features", "sample", "centre", "section_of"})
    EXPECT_EQ(apart.at(what).bytes, together.at(what).bytes) << what;
}

TYPED_TEST(LedgerTest, LabelsAndCountsComeDownAndNothingElse) {
  this->cluster();
  auto down = this->crossing(Direction::down);
  const std::size_t sections = this->clustering.sections.size();
  const std::size_t all_leaves = std::accumulate(this->leaves.begin(), this->leaves.end(), std::size_t{0});
  std::size_t widest = 0;
  for (const SectionReport& section : this->clustering.sections)
    widest = std::max(widest, static_cast<std::size_t>(section.channels) * this->recording.spikes.n_pcs());
  const std::size_t tested = tested_nodes(this->clustering);
  ASSERT_GT(all_leaves, 3 * sections);
  ASSERT_GT(tested, sections);

  const std::map<std::string, std::size_t> promised = {
      {"labels", this->padded_columns() * 4},
      {"edge_counts", this->squared_leaves() * 4},
      {"correlogram_counters", this->squared_leaves() * CorrelogramCounter::size * 4},
      {"histograms", tested * 400 * 4},
      {"leaf_sums", all_leaves * widest * 8},  // the units' templates are made of them
      {"n_seeds", sections * 4},
      {"n_clusters", sections * 4},
      {"moved", 4 * down["moved"].copies},
  };
  for (const auto& [what, entry] : down) {
    ASSERT_TRUE(promised.contains(what)) << what << " comes down, which nobody promised";
    EXPECT_EQ(entry.bytes, promised.at(what)) << what;
  }
  EXPECT_EQ(down.size(), promised.size());
  EXPECT_EQ(projection_bins, 400u);
}

TYPED_TEST(LedgerTest, SpikeTimesOnlyWhereTheyAreAsked) {
  this->options.splits.refractory = false;
  this->cluster();
  EXPECT_FALSE(this->crossing(Direction::down).contains("correlogram_counters"));
}

/// At most one counter a round; histograms once for all nodes of a level; everything else once.
TYPED_TEST(LedgerTest, NoRoundTripPerSeedOrCheck) {
  for (const int seeds : {20, 200}) {
    SCOPED_TRACE(std::to_string(seeds) + " seeds");
    this->options.seeding.seeds = seeds;
    this->cluster();
    const std::size_t levels = tested_levels(this->clustering);
    ASSERT_GT(tested_nodes(this->clustering), levels) << "a level has several nodes, else this tests nothing";
    for (const auto& [what, entry] : this->crossing(Direction::down)) {
      if (what == "moved")
        EXPECT_LE(entry.copies, static_cast<std::size_t>(this->options.assignment.rounds));
      else
        EXPECT_EQ(entry.copies, what == "histograms" ? levels : 1u) << what;
    }
    for (const auto& [what, entry] : this->crossing(Direction::up)) {
      if (what == "tiles") continue;  // once for each chunk of products
      EXPECT_EQ(entry.copies, level_tables.contains(what) ? levels : 1u) << what;
    }
  }
}

/// Kokkos tells of every copy: their number and bytes are the ledger's.
TYPED_TEST(LedgerTest, EveryCopyIsInTheLedger) {
  const KokkosListener listener;
  this->cluster();
  Entry seen;
  for (const auto& copy : listener.copies()) {
    if (copy.from == "Scalar" || copy.from == "(none)") continue;                               // a fill
    const bool on_device = runs_on_host<TypeParam> ? copy.to == "kokkosort::clustering::delta"  // from norms
                                                   : copy.to_space == copy.from_space;
    if (on_device) continue;
    seen.bytes += copy.bytes;
    ++seen.copies;
  }
  Entry recorded;
  for (const auto& [key, entry] : this->ledger.entries()) {
    recorded.bytes += entry.bytes;
    recorded.copies += entry.copies;
  }
  EXPECT_EQ(seen.copies, recorded.copies);
  EXPECT_EQ(seen.bytes, recorded.bytes);
}

/// Kernels are launched for all sections together, and not once a seed.
TYPED_TEST(LedgerTest, LaunchesDoNotGrowWithSectionsOrSeeds) {
  const auto launches = [this](std::int32_t sections, int seeds) {
    const Recording crowd = crowded_recording(this->seed, sections, 203);
    this->options.neighbours.max_chunk_dots = 1 << 26;
    this->options.seeding.seeds = seeds;
    const KokkosListener listener;
    const Clustering result = cluster_spikes(TypeParam(), crowd.spikes, this->options, this->ledger);
    std::map<std::string, std::size_t> count;
    for (const auto& kernel : listener.kernels())
      if (kernel.name.starts_with("kokkosort::clustering::")) ++count[kernel.name];
    for (const std::string name : {"solve_nodes", "project_blocks"}) {
      EXPECT_EQ(count["kokkosort::clustering::" + name], tested_levels(result)) << name;
      count.erase("kokkosort::clustering::" + name);
    }
    for (const std::string name : {"move_left", "move_right"}) {
      EXPECT_LE(count["kokkosort::clustering::" + name],
                static_cast<std::size_t>(this->options.assignment.rounds));
      count.erase("kokkosort::clustering::" + name);
    }
    return count;
  };
  const auto few = launches(2, 20);
  EXPECT_GE(few.size(), 15u);
  EXPECT_EQ(few, launches(2, 200));
  EXPECT_EQ(few, launches(9, 20));
}

}  // namespace
}  // namespace kokkosort::test
