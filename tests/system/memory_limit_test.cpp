// memory.device_limit_mb bounds what is on the device, and a limit that is too small is refused with one that
// is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/clustering/cluster.hpp"
#include "kokkosort/errors.hpp"
#include "system/kokkos_listener.hpp"
#include "system/recording.hpp"
#include "system/well_formed.hpp"

namespace kokkosort::test {
namespace {

/// Bytes of our Views that are on the device at a time, at most, while it lives.
template <class Exec>
class DeviceMemory {
 public:
  DeviceMemory() {
    state() = {};
    Kokkos::Tools::Experimental::set_allocate_data_callback(take);
    Kokkos::Tools::Experimental::set_deallocate_data_callback(give_back);
  }
  ~DeviceMemory() { Kokkos::Tools::Experimental::set_callbacks(before_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  std::size_t peak() const { return state().peak; }

 private:
  struct State {
    std::map<const void*, std::size_t> views;
    std::size_t now = 0;
    std::size_t peak = 0;
  };
  static State& state() {
    static State current;
    return current;
  }
  static void take(const Kokkos::Tools::SpaceHandle space, const char* label, const void* place,
                   std::uint64_t bytes) {
    const KokkosListener::Allocation allocation{space.name, label};
    if (!allocation.label.starts_with("kokkosort::") || is_host_view<Exec>(allocation)) return;
    state().views[place] = bytes;
    state().now += bytes;
    state().peak = std::max(state().peak, state().now);
  }
  static void give_back(const Kokkos::Tools::SpaceHandle, const char*, const void* place, std::uint64_t) {
    const auto view = state().views.find(place);
    if (view == state().views.end()) return;
    state().now -= view->second;
    state().views.erase(view);
  }

  Kokkos::Tools::Experimental::EventSet before_ = Kokkos::Tools::Experimental::get_callbacks();
};

constexpr std::size_t megabyte = std::size_t{1} << 20;

/// Sections of growing numbers of spikes.
Recording growing_recording(std::uint64_t seed) {
  const int counts[] = {40, 300, 1000, 3000};
  std::mt19937_64 random(seed);
  SpikeFeatures layout = column_layout(8, 8);
  std::vector<PlantedSpike> spikes;
  for (std::int32_t s = 0; s < 4; ++s)
    for (std::int32_t half = 0; half < 2; ++half)
      add_unit(random, layout, 2 * s + half, {2 * s + half},
               draw_neuron(random, layout.probe, static_cast<std::size_t>(2 * s), 6, 20.0), 6,
               spike_train(random, counts[s] / 2, 120.0), spikes);
  return record(std::move(layout), 6, std::move(spikes));
}

template <class Exec>
class MemoryLimitTest : public testing::Test {
 protected:
  MemoryLimitTest() {
    RecordProperty("seed", std::to_string(seed));
    options.neighbours.max_chunk_dots = 50000;
  }

  Clustering cluster(const Recording& recording) const {
    TransferLedger ledger;
    return cluster_spikes(Exec(), recording.spikes, options, ledger);
  }

  /// The number that the refusal of a limit of one byte names.
  std::size_t named_limit_mb(const Recording& recording) {
    options.device_limit_bytes = 1;
    const std::string message = message_of<InputError>([&] { cluster(recording); });
    EXPECT_NE(message.find("memory.device_limit_mb"), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    std::smatch match;
    EXPECT_TRUE(std::regex_search(message, match, std::regex("needs ([0-9]+)"))) << message;
    return match.empty() ? 0 : std::stoul(match[1]);
  }

  /// Clusters within a limit as small as may be.
  void expect_limit_kept(const Recording& recording) {
    options.device_limit_bytes = megabyte / 4;
    const DeviceMemory<Exec> memory;
    while (!message_of<InputError>([&] { cluster(recording); }).empty()) {
      options.device_limit_bytes += megabyte / 8;
      ASSERT_LT(options.device_limit_bytes, 1000 * megabyte);
    }
    EXPECT_GT(memory.peak(), 0u);
    EXPECT_LE(memory.peak(), options.device_limit_bytes);
    std::cout << "peak " << memory.peak() << " of " << options.device_limit_bytes << " bytes\n";
  }

  static constexpr std::uint64_t seed = 41;
  ClusteringOptions options;
};
TYPED_TEST_SUITE(MemoryLimitTest, ExecutionSpaces, ExecutionSpaceName);

/// What the refusal asks for is enough for the whole recording, not only for the section that was met first.
TYPED_TEST(MemoryLimitTest, TheRefusalNamesALimitThatWorks) {
  const Recording recording = growing_recording(this->seed);
  const std::size_t enough = this->named_limit_mb(recording);
  this->options.device_limit_bytes = enough * megabyte;
  Clustering clustering;
  ASSERT_NO_THROW(clustering = this->cluster(recording));
  expect_well_formed(clustering, recording.spikes);
}

TYPED_TEST(MemoryLimitTest, IsKeptByALargeSection) {
  this->expect_limit_kept(two_neurons_a_section(this->seed, 1, 6000));
}

TYPED_TEST(MemoryLimitTest, IsKeptBySeveralBatches) {
  this->expect_limit_kept(two_neurons_a_section(this->seed, 6, 1500));
}

/// As many leaves as seeds, and every join tested.
TYPED_TEST(MemoryLimitTest, IsKeptByManyLeaves) {
  this->options.seeding.spikes_per_seed = 2;
  this->options.assignment.rounds = 0;
  this->options.splits.min_ratio = 0.0;
  this->options.splits.min_bimodality = 0.0;
  for (const int seeds : {50, 200}) {
    SCOPED_TRACE(std::to_string(seeds) + " seeds");
    this->options.seeding.seeds = seeds;
    this->expect_limit_kept(crowded_recording(this->seed, 6, 100));
  }
}

/// Many small sections of a long probe: tables of sections by channels count, too.
TYPED_TEST(MemoryLimitTest, IsKeptByManySmallSections) {
  this->expect_limit_kept(two_neurons_a_section(this->seed, 100, 30));
}

/// The largest chunk is part of the limit.
TYPED_TEST(MemoryLimitTest, CountsTheProducts) {
  const Recording recording = two_neurons_a_section(this->seed, 1, 300);
  const std::size_t small = this->named_limit_mb(recording);
  this->options.neighbours.max_chunk_dots = std::size_t{10} << 20;
  EXPECT_GE(this->named_limit_mb(recording), small + 39);
}

}  // namespace
}  // namespace kokkosort::test
