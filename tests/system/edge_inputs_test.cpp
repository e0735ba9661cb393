// Recordings and options at the edge of what makes sense, through the whole clustering: labels for every
// spike, units without gaps, finite templates.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/clustering/cluster.hpp"
#include "kokkosort/errors.hpp"
#include "system/recording.hpp"
#include "system/well_formed.hpp"

namespace kokkosort::test {
namespace {

template <class Exec>
class EdgeInputsTest : public testing::Test {
 protected:
  EdgeInputsTest() { RecordProperty("seed", std::to_string(seed)); }

  /// Clusters and checks what holds for every clustering.
  static Clustering cluster(const SpikeFeatures& spikes, const ClusteringOptions& options = {}) {
    TransferLedger ledger;
    Clustering clustering = cluster_spikes(Exec(), spikes, options, ledger);
    expect_well_formed(clustering, spikes);
    return clustering;
  }

  /// One section of spikes that are copies of these rows of features, in random order; each spike's unit is
  /// its row.
  static Recording copies(int n, const std::vector<std::vector<float>>& rows) {
    std::mt19937_64 random(seed);
    SpikeFeatures layout = column_layout(2, 2);
    std::vector<PlantedSpike> spikes;
    for (int i = 0; i < n; ++i) {
      const auto row = static_cast<std::size_t>(i) % rows.size();
      spikes.push_back({0, 0, static_cast<std::int32_t>(row), rows[row]});
    }
    std::shuffle(spikes.begin(), spikes.end(), random);
    for (std::size_t i = 0; i < spikes.size(); ++i) spikes[i].sample = static_cast<std::int64_t>(300 * i);
    return record(std::move(layout), 3, std::move(spikes));
  }

  /// Units that have spikes of a planted one.
  static std::set<std::int32_t> units_of(const Clustering& clustering, const Recording& recording,
                                         std::int32_t planted) {
    std::set<std::int32_t> units;
    for (std::size_t i = 0; i < recording.unit.size(); ++i)
      if (recording.unit[i] == planted) units.insert(clustering.labels[i]);
    return units;
  }

  static constexpr std::uint64_t seed = 5;
};
TYPED_TEST_SUITE(EdgeInputsTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(EdgeInputsTest, SectionsOfAnySize) {
  for (const int n : {1, 2, 9, 10, 11, 15, 16, 17, 49, 50, 51, 99, 100, 101, 999, 1000, 1001}) {
    SCOPED_TRACE(std::to_string(n) + " spikes");
    const Recording recording = two_neurons_a_section(this->seed, 1, n);
    EXPECT_EQ(this->cluster(recording.spikes).sections.size(), 1u);
  }
}

/// All of those in one batch, with sections of no spikes between them.
TYPED_TEST(EdgeInputsTest, SectionsOfManySizesAndEmptyOnes) {
  const int counts[] = {0, 1, 0, 0, 9, 49, 1001, 0, 50, 1000, 999, 0};
  std::mt19937_64 random(this->seed);
  SpikeFeatures layout = column_layout(24, 4);
  std::vector<PlantedSpike> spikes;
  for (std::int32_t s = 0; s < 12; ++s)
    if (counts[s] > 0)
      add_unit(random, layout, s, {2 * s, 2 * s + 1},
               draw_neuron(random, layout.probe, static_cast<std::size_t>(2 * s), 3, 20.0), 3,
               spike_train(random, counts[s], 60.0), spikes);
  const Recording recording = record(std::move(layout), 3, std::move(spikes));
  const Clustering clustering = this->cluster(recording.spikes);
  ASSERT_EQ(clustering.sections.size(), 7u);
  EXPECT_EQ(clustering.sections[0].spikes, 1);
  EXPECT_EQ(clustering.sections[6].spikes, 999);
}

TYPED_TEST(EdgeInputsTest, AllSpikesIdentical) {
  for (const int n : {2, 60, 1200})
    EXPECT_EQ(this->cluster(this->copies(n, {{9, 1, 0, 2, 0, 0}}).spikes).n_units(), 1u) << n;
}

TYPED_TEST(EdgeInputsTest, AllFeaturesZero) {
  for (const int n : {2, 60, 1200})
    EXPECT_EQ(this->cluster(this->copies(n, {{0, 0, 0, 0, 0, 0}}).spikes).n_units(), 1u) << n;
}

/// Copies are together whatever else; spikes so far apart and so many are two units.
TYPED_TEST(EdgeInputsTest, TwoDistinctFeatureRows) {
  for (const int n : {2, 60, 1200}) {
    SCOPED_TRACE(n);
    const Recording recording = this->copies(n, {{20, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 20, 0}});
    const Clustering clustering = this->cluster(recording.spikes);
    for (const std::int32_t planted : {0, 1})
      EXPECT_EQ(this->units_of(clustering, recording, planted).size(), 1u);
    if (n == 1200) {
      EXPECT_EQ(clustering.n_units(), 2u);
    }
  }
}

/// The largest features that a file may hold.
TYPED_TEST(EdgeInputsTest, LargestFeatures) {
  const Clustering clustering = this->cluster(
      this->copies(1200, {{1e6f, 1e6f, 1e6f, 1e6f, 1e6f, 1e6f}, {-1e6f, 1e6f, -1e6f, 1e6f, -1e6f, 1e6f}})
          .spikes);
  EXPECT_EQ(clustering.n_units(), 2u);
}

/// No distance can be told from such: nothing is clustered rather than anything.
TYPED_TEST(EdgeInputsTest, FeaturesThatAreNoNumbersAreRefused) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity, 1e20f}) {
    SpikeFeatures spikes = this->copies(600, {{9, 1, 0, 2, 0, 0}, {0, 0, 0, 0, 20, 0}}).spikes;
    spikes.features(417, 1, 2) = bad;
    const std::string message = message_of<InputError>([&] { this->cluster(spikes); });
    EXPECT_NE(message.find("the spike at sample 125100 has a feature of "), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

/// Features so small that their squares are below the smallest f32.
TYPED_TEST(EdgeInputsTest, TinyFeatures) {
  this->cluster(this->copies(600, {{1e-30f, 0, 0, 0, 0, 0}, {0, 0, 1e-38f, 0, 0, 1e-44f}}).spikes);
}

TYPED_TEST(EdgeInputsTest, FewerSubsetPointsThanNeighbours) {
  ClusteringOptions options;
  options.neighbours.min_subset = 1;
  for (const int n : {9, 40, 160}) {  // subsets of 1, 2 and 8
    const Clustering clustering = this->cluster(two_neurons_a_section(this->seed, 1, n).spikes, options);
    EXPECT_LT(clustering.sections[0].subset, options.neighbours.neighbours) << n;
  }
}

TYPED_TEST(EdgeInputsTest, OneChannel) {
  std::mt19937_64 random(this->seed);
  SpikeFeatures layout = column_layout(1, 1);
  std::vector<PlantedSpike> spikes;
  for (std::int32_t unit = 0; unit < 2; ++unit)
    add_unit(random, layout, unit, {0}, draw_direction(random, 6, 25.0), 6, spike_train(random, 400, 60.0),
             spikes);
  const Clustering clustering = this->cluster(record(std::move(layout), 6, std::move(spikes)).spikes);
  EXPECT_EQ(clustering.n_units(), 2u);
}

TYPED_TEST(EdgeInputsTest, OneFeature) {
  std::mt19937_64 random(this->seed);
  SpikeFeatures layout = column_layout(1, 1);
  std::vector<PlantedSpike> spikes;
  for (std::int32_t unit = 0; unit < 2; ++unit)
    add_unit(random, layout, unit, {0}, {unit == 0 ? 25.0 : -25.0}, 1, spike_train(random, 400, 60.0),
             spikes);
  const Clustering clustering = this->cluster(record(std::move(layout), 1, std::move(spikes)).spikes);
  EXPECT_EQ(clustering.n_units(), 2u);
}

/// A probe without any width.
TYPED_TEST(EdgeInputsTest, OneColumn) {
  const Recording recording = two_neurons_a_section(this->seed, 5, 300);
  EXPECT_EQ(this->cluster(recording.spikes).sections.size(), 5u);
}

/// Shanks so near that a spike has features on both.
TYPED_TEST(EdgeInputsTest, TwoShanksSixtyMicrometresApart) {
  std::mt19937_64 random(this->seed);
  Probe probe;
  for (std::int32_t channel = 0; channel < 12; ++channel) {
    probe.x_um.push_back(channel % 2 == 0 ? 0.0 : 60.0);
    probe.y_um.push_back(channel_pitch_um * (channel / 2));
    probe.shank.push_back(channel % 2);
  }
  SpikeFeatures layout = place_channels(probe, 10);
  std::vector<PlantedSpike> spikes;
  const std::vector<double> both = draw_neuron(random, probe, 4, 3, 20.0);
  for (std::int32_t unit = 0; unit < 2; ++unit)  // the same features on either shank
    add_unit(random, layout, unit, {4 + unit}, both, 3, spike_train(random, 500, 60.0), spikes);
  const Recording recording = record(std::move(layout), 3, std::move(spikes));
  const Clustering clustering = this->cluster(recording.spikes);
  const std::set<std::int32_t> other_shank = this->units_of(clustering, recording, 1);
  for (const std::int32_t unit : this->units_of(clustering, recording, 0))
    EXPECT_FALSE(other_shank.contains(unit));
}

TYPED_TEST(EdgeInputsTest, DuplicateElectrodePositions) {
  std::mt19937_64 random(this->seed);
  Probe probe;
  for (int channel = 0; channel < 6; ++channel) {
    probe.x_um.push_back(0.0);
    probe.y_um.push_back(channel < 4 ? 0.0 : 20.0);
    probe.shank.push_back(0);
  }
  SpikeFeatures layout = place_channels(probe, 4);
  std::vector<PlantedSpike> spikes;
  for (std::int32_t unit = 0; unit < 2; ++unit)
    add_unit(random, layout, unit, {0, 1, 2, 3, 4, 5}, draw_neuron(random, probe, 0, 3, 20.0), 3,
             spike_train(random, 400, 60.0), spikes);
  this->cluster(record(std::move(layout), 3, std::move(spikes)).spikes);
}

/// No correlogram can be made of spikes at one instant: no division by the time spanned, and no evidence for
/// a join.
TYPED_TEST(EdgeInputsTest, TrainsAtOneInstant) {
  ClusteringOptions options;
  options.splits.refractory = true;
  options.seeding.spikes_per_seed = 1;
  for (const int each : {1, 300}) {
    SCOPED_TRACE(each);
    SpikeFeatures spikes = this->copies(2 * each, {{20, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 20, 0}}).spikes;
    for (std::size_t i = 0; i < spikes.n_spikes(); ++i) spikes.sample(i) = 777;
    const Clustering clustering = this->cluster(spikes, options);
    if (each > 1) {
      EXPECT_EQ(clustering.n_units(), 2u);
    }
    for (const Join& join : clustering.sections[0].tree.joins) EXPECT_NE(join.verdict, Verdict::joined_times);
  }
}

/// Times near the end of 64 bits, and a recording of months.
TYPED_TEST(EdgeInputsTest, LateSpikes) {
  Recording recording = two_neurons_a_section(this->seed, 1, 600);
  const Clustering early = this->cluster(recording.spikes);
  for (std::size_t i = 0; i < recording.spikes.n_spikes(); ++i)
    recording.spikes.sample(i) += std::numeric_limits<std::int64_t>::max() / 2;
  EXPECT_EQ(this->cluster(recording.spikes).labels, early.labels);
}

TYPED_TEST(EdgeInputsTest, NoSpikes) {
  const SpikeFeatures spikes = record(column_layout(2, 2), 3, {}).spikes;
  TransferLedger ledger;
  EXPECT_THROW(cluster_spikes(TypeParam(), spikes, {}, ledger), InputError);
}

}  // namespace
}  // namespace kokkosort::test
