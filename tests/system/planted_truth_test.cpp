// Neurons far from each other are found, each one.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "kokkosort/clustering/cluster.hpp"
#include "kokkosort/scoring/score.hpp"
#include "system/recording.hpp"
#include "system/well_formed.hpp"

namespace kokkosort::test {
namespace {

/// Twenty neurons in eight sections of one column, with 90 to 1990 spikes each; those between the two centres
/// of a section are found now at one, now at the other.
Recording twenty_neurons(std::uint64_t seed) {
  constexpr std::size_t pcs = 6;
  std::mt19937_64 random(seed);
  SpikeFeatures layout = column_layout(16, 10);
  std::vector<PlantedSpike> spikes;
  for (std::int32_t unit = 0; unit < 20; ++unit) {
    const std::int32_t section = unit % 8;
    const std::int32_t centre = 2 * section + unit / 8 % 2;
    const std::vector<std::int32_t> centres = unit % 3 == 0
                                                  ? std::vector<std::int32_t>{2 * section, 2 * section + 1}
                                                  : std::vector<std::int32_t>{centre};
    add_unit(random, layout, unit, centres,
             draw_neuron(random, layout.probe, static_cast<std::size_t>(centre), pcs, 20.0), pcs,
             spike_train(random, 90 + 100 * unit, 300.0), spikes);
  }
  return record(std::move(layout), pcs, std::move(spikes));
}

template <class Exec>
class PlantedTruthTest : public testing::Test {};
TYPED_TEST_SUITE(PlantedTruthTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(PlantedTruthTest, EveryNeuronIsFound) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Recording recording = twenty_neurons(seed);
    TransferLedger ledger;
    const Clustering clustering = cluster_spikes(TypeParam(), recording.spikes, {}, ledger);
    expect_well_formed(clustering, recording.spikes);
    EXPECT_EQ(clustering.sections.size(), 8u);

    const std::vector<std::int64_t> samples(recording.spikes.sample.data(),
                                            recording.spikes.sample.data() + recording.spikes.n_spikes());
    const Score score = score_sorting({samples, recording.unit}, {samples, clustering.labels}, 12);
    ASSERT_EQ(score.units.size(), 20u);
    for (std::size_t unit = 0; unit < 20; ++unit) EXPECT_GT(score.units[unit].accuracy(), 0.95) << "neuron " << unit;
  }
}

}  // namespace
}  // namespace kokkosort::test
