// Every kernel, View and region carries our label, and every kernel runs on the instance that was given.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "kokkosort/clustering/cluster.hpp"
#include "system/annotations.hpp"
#include "system/kokkos_listener.hpp"
#include "system/recording.hpp"

namespace kokkosort::test {
namespace {

/// Small and large sections, in several batches and chunks, all tests of the splits switched on.
Recording mixed_recording(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  SpikeFeatures layout = column_layout(8, 4);
  std::vector<PlantedSpike> spikes;
  const int counts[] = {1, 7, 300, 1500};
  for (std::int32_t s = 0; s < 4; ++s)
    for (std::int32_t half = 0; half < (s == 0 ? 1 : 2); ++half)
      add_unit(random, layout, 2 * s + half, {2 * s, 2 * s + 1},
               draw_neuron(random, layout.probe, static_cast<std::size_t>(2 * s), 3, 15.0), 3,
               spike_train(random, counts[s], 60.0), spikes);
  return record(std::move(layout), 3, std::move(spikes));
}

template <class Exec>
class AnnotationsTest : public testing::Test {
 protected:
  AnnotationsTest() {
    RecordProperty("seed", std::to_string(seed));
    const Recording recording = mixed_recording(seed);
    ClusteringOptions options;
    options.neighbours.max_chunk_dots = 20000;
    TransferLedger ledger;
    const KokkosListener listener;
    cluster_spikes(exec, recording.spikes, options, ledger);
    told = Annotations<Exec>(listener);
  }

  static constexpr std::uint64_t seed = 11;
  Exec exec = own_instance<Exec>();
  Annotations<Exec> told;
};
TYPED_TEST_SUITE(AnnotationsTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(AnnotationsTest, EveryKernelIsOurs) {
  EXPECT_EQ(this->told.strange_kernels(), std::set<std::string>());
  EXPECT_GE(this->told.our_kernels().size(), 20u) << "the run did not come through all stages";
}

TYPED_TEST(AnnotationsTest, EveryRegionIsOurs) {
  const std::string stage = our_prefix + "clustering::";
  EXPECT_EQ(this->told.regions_but_of_blas(),
            (std::set<std::string>{stage + "upload", stage + "neighbours", stage + "seeding",
                                   stage + "assignment", stage + "tree", stage + "splits"}));
}

TYPED_TEST(AnnotationsTest, EveryViewIsOurs) {
  EXPECT_EQ(this->told.strange_views(), std::set<std::string>());
  EXPECT_GE(this->told.our_views(), 40u);
}

TYPED_TEST(AnnotationsTest, EveryKernelRunsOnTheInstanceGiven) {
  const std::uint32_t given = Kokkos::Tools::Experimental::device_id(this->exec);
  EXPECT_EQ(this->told.kernels_elsewhere(given), std::set<std::string>());
  EXPECT_GE(this->told.kernels_on(given), 30u);
}

}  // namespace
}  // namespace kokkosort::test
