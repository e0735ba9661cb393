#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "clustering/correlogram_reference.hpp"
#include "curation/curation_problem.hpp"
#include "kokkosort/templates/split_by_template.hpp"
#include "templates/waveform_reference.hpp"

namespace kokkosort::test {
namespace {

template <class Exec>
class MeasuresTest : public CurationTest<Exec> {
 protected:
  MeasuresTest() { this->n_samples = 20 * 30000; }

  /// Neurons on several channels of a shuffled probe of two shanks.
  CurationProblem random_recording() {
    this->probe = shuffle_channels(this->random, two_shank_probe(this->n_channels));
    this->options.merge = false;
    std::vector<TestCluster> clusters;
    for (std::size_t k = 0; k < 8; ++k) {
      std::vector<float> neuron(this->n_channels * 6);
      draw_template(this->random, this->probe, k, 6, 60.0, 20.0, neuron.data());
      clusters.push_back({neuron, this->fire(k == 7 ? 0.4 : 5.0), 0.9f + 0.1f * static_cast<float>(k)});
    }
    return make_problem(this->random, this->probe, this->pcs, clusters, this->n_samples, 4);
  }

  /// The input's spike that a sorted one is: times of one template are unlike.
  static std::size_t spike_of(const CurationProblem& problem, const Sorting& sorting, std::size_t i) {
    std::size_t spike = 0;
    while (problem.spikes.sample(spike) != sorting.sample[i] ||
           problem.spikes.centre(spike) != sorting.matched[i])
      ++spike;
    return spike;
  }

  double distance(std::size_t a, std::size_t b) const {
    return std::hypot(this->probe.x_um[a] - this->probe.x_um[b], this->probe.y_um[a] - this->probe.y_um[b]);
  }
};
TYPED_TEST_SUITE(MeasuresTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(MeasuresTest, SpikesKeepTheirPlace) {
  const auto problem = this->random_recording();
  const Sorting sorting = this->sort(problem);
  ASSERT_EQ(sorting.n_spikes(), problem.labels.size() - this->report.duplicates);
  for (std::size_t i = 0; i < sorting.n_spikes(); ++i) {
    const std::size_t spike = this->spike_of(problem, sorting, i);
    double norm = 0.0;
    for (std::size_t c = 0; c < this->n_channels; ++c)
      for (std::size_t p = 0; p < 6; ++p)
        norm += std::pow(problem.matched_templates(static_cast<std::size_t>(sorting.matched[i]), c, p), 2);
    EXPECT_NEAR(sorting.amplitude[i], problem.amplitude[spike] * std::sqrt(norm), 1e-4);

    const auto centre = static_cast<std::size_t>(problem.spikes.centre(spike));
    const auto middle = static_cast<std::size_t>(problem.spikes.centres.channels(centre, 0));
    double x = 0.0;
    double y = 0.0;
    double total = 0.0;
    for (std::size_t row = 0; row < 4; ++row) {
      const auto c = static_cast<std::size_t>(problem.spikes.centres.channels(centre, row));
      if (this->probe.shank[c] != this->probe.shank[middle] || this->distance(c, middle) > 100.0) continue;
      for (std::size_t p = 0; p < 6; ++p) {
        const double energy = std::pow(problem.spikes.features(spike, row, p), 2);
        x += energy * this->probe.x_um[c];
        y += energy * this->probe.y_um[c];
        total += energy;
      }
    }
    EXPECT_NEAR(sorting.x_um[i], x / total, 1e-3);
    EXPECT_NEAR(sorting.y_um[i], y / total, 1e-3);
  }
}

TYPED_TEST(MeasuresTest, OnlyNearChannelsHaveASay) {
  const auto problem = this->random_recording();
  this->options.position_um = 1.0;
  const Sorting sorting = this->sort(problem);
  for (std::size_t i = 0; i < sorting.n_spikes(); ++i) {
    const auto centre = static_cast<std::size_t>(sorting.matched[i]);
    EXPECT_EQ(sorting.x_um[i], static_cast<float>(problem.spikes.centres.x_um[centre]));
    EXPECT_EQ(sorting.y_um[i], static_cast<float>(problem.spikes.centres.y_um[centre]));
  }
}

TYPED_TEST(MeasuresTest, FeaturesAreOfTheUnitsChannels) {
  auto problem = this->random_recording();
  for (std::size_t i = 0; i < problem.labels.size(); ++i) problem.labels[i] /= 2;  // two templates a cluster
  const Sorting sorting = this->sort(problem);
  ASSERT_EQ(sorting.n_units(), 4u);
  std::size_t absent = 0;
  for (std::size_t i = 0; i < sorting.n_spikes(); ++i) {
    const std::size_t spike = this->spike_of(problem, sorting, i);
    const auto centre = static_cast<std::size_t>(problem.spikes.centre(spike));
    for (std::size_t row = 0; row < 4; ++row) {
      const std::int32_t channel = sorting.unit_channels(static_cast<std::size_t>(sorting.unit[i]), row);
      std::size_t from = 0;
      while (from < 4 && problem.spikes.centres.channels(centre, from) != channel) ++from;
      absent += from == 4 ? 1 : 0;
      for (std::size_t p = 0; p < 6; ++p)
        ASSERT_EQ(sorting.features(i, row, p), from == 4 ? 0.0f : problem.spikes.features(spike, from, p));
    }
  }
  EXPECT_GT(absent, 0u);
}

/// A spike's features are its own: those of another cluster, looked at before it, leave no trace. Clusters
/// share templates, and those channels.
TYPED_TEST(MeasuresTest, TheOrderOfClustersChangesNothing) {
  auto problem = this->random_recording();
  for (std::size_t i = 0; i < problem.labels.size(); ++i)
    problem.labels[i] = static_cast<std::int32_t>(i % 5);
  problem.means = mean_features(problem.spikes, problem.labels, 5);
  const Sorting sorting = this->sort(problem);
  ASSERT_EQ(sorting.n_units(), 5u);
  const std::vector<std::int32_t> to{3, 0, 4, 1, 2};
  for (std::int32_t& label : problem.labels) label = to[static_cast<std::size_t>(label)];
  problem.means = mean_features(problem.spikes, problem.labels, 5);
  const Sorting other = this->sort(problem);
  EXPECT_EQ(other.sample, sorting.sample);
  EXPECT_EQ(other.matched, sorting.matched);
  EXPECT_EQ(other.amplitude, sorting.amplitude);
  EXPECT_EQ(other.x_um, sorting.x_um);
  ASSERT_EQ(other.features.size(), sorting.features.size());
  EXPECT_TRUE(std::equal(other.features.data(), other.features.data() + other.features.size(),
                         sorting.features.data()));
  std::map<std::int32_t, std::set<std::int32_t>> units;
  for (std::size_t i = 0; i < sorting.n_spikes(); ++i) units[sorting.unit[i]].insert(other.unit[i]);
  for (const auto& [unit, others] : units) EXPECT_EQ(others.size(), 1u) << unit;
}

TYPED_TEST(MeasuresTest, UnitsAreNumberedAlongTheProbe) {
  const auto problem = this->random_recording();
  const Sorting sorting = this->sort(problem);
  ASSERT_EQ(sorting.n_units(), 8u);
  const auto key = [&](const Unit& unit) {
    const auto c = static_cast<std::size_t>(unit.channel);
    return std::tuple(this->probe.shank[c], this->probe.y_um[c], this->probe.x_um[c]);
  };
  for (std::size_t k = 1; k < 8; ++k) EXPECT_LE(key(sorting.units[k - 1]), key(sorting.units[k]));
  EXPECT_EQ(std::get<0>(key(sorting.units[0])), 0);
  EXPECT_EQ(std::get<0>(key(sorting.units[7])), 1);
}

TYPED_TEST(MeasuresTest, UnitsOnOneChannelKeepTheirOrder) {
  this->options.merge = false;
  const Sorting sorting = this->sort(
      {{this->neuron(5), {1000, 50000}}, {this->neuron(5), {2000}}, {this->neuron(5), {3000, 9000, 40000}}});
  ASSERT_EQ(sorting.n_units(), 3u);
  EXPECT_EQ(train_of(sorting, 0), (Train{1000, 50000}));
  EXPECT_EQ(train_of(sorting, 1), (Train{2000}));
  EXPECT_EQ(train_of(sorting, 2), (Train{3000, 9000, 40000}));
}

TYPED_TEST(MeasuresTest, UnitsFromTheirSpikesAndWaveforms) {
  const auto problem = this->random_recording();
  const Sorting sorting = this->sort(problem);
  const auto waves = direct_waveforms({this->probe, this->pcs, sorting.templates});
  for (std::size_t k = 0; k < sorting.n_units(); ++k) {
    const Unit& unit = sorting.units[k];
    double amplitude = 0.0;
    std::vector<double> energy(this->n_channels, 0.0);
    for (std::size_t c = 0; c < this->n_channels; ++c) {
      for (const double value : waves[k][c]) amplitude = std::max(amplitude, std::abs(value));
      for (std::size_t p = 0; p < 6; ++p) energy[c] += std::pow(sorting.templates(k, c, p), 2);
    }
    EXPECT_NEAR(unit.amplitude, amplitude, 1e-5);
    EXPECT_EQ(unit.channel, std::max_element(energy.begin(), energy.end()) - energy.begin());
    EXPECT_EQ(unit.channel, sorting.unit_channels(k, 0));
    const Train train = train_of(sorting, static_cast<std::int32_t>(k));
    EXPECT_DOUBLE_EQ(unit.firing_rate_hz, static_cast<double>(train.size()) / 20.0);
    double x = 0.0;
    double y = 0.0;
    for (std::size_t i = 0; i < sorting.n_spikes(); ++i)
      if (sorting.unit[i] == static_cast<std::int32_t>(k)) {
        x += sorting.x_um[i] / static_cast<double>(train.size());
        y += sorting.y_um[i] / static_cast<double>(train.size());
      }
    EXPECT_NEAR(unit.x_um, x, 1e-6);
    EXPECT_NEAR(unit.y_um, y, 1e-6);
  }
}

TYPED_TEST(MeasuresTest, SimilarityIsTheLargestCorrelation) {
  const auto problem = this->random_recording();
  const Sorting sorting = this->sort(problem);
  const auto waves = direct_waveforms({this->probe, this->pcs, sorting.templates});
  const auto energy = direct_energy(sorting.templates);
  std::size_t apart = 0;
  for (std::size_t a = 0; a < sorting.n_units(); ++a)
    for (std::size_t b = 0; b < sorting.n_units(); ++b) {
      if (a == b) continue;
      double largest = direct_meet(waves[a], waves[b]) ? -1.0 : 0.0;
      apart += direct_meet(waves[a], waves[b]) ? 0 : 1;
      for (int lag = -60; lag <= 60; ++lag)
        largest =
            std::max(largest, direct_correlation(waves[a], waves[b], lag) / std::sqrt(energy[a] * energy[b]));
      EXPECT_NEAR(sorting.similarity(a, b), largest, 1e-5) << a << " " << b;
    }
  EXPECT_GT(apart, 0u);
}

/// Neurons with a gap, without, and with another neuron's spikes in it.
TYPED_TEST(MeasuresTest, RefractoryUnits) {
  this->n_samples = 120 * 30000;
  this->options.merge = false;
  Train mixed = this->fire(18.0);
  const Train others = this->fire(6.0, 0.0);
  mixed.insert(mixed.end(), others.begin(), others.end());
  std::sort(mixed.begin(), mixed.end());
  const Sorting sorting =
      this->sort({{this->neuron(1), this->fire(20.0)},
                  {this->neuron(4), this->fire(20.0, 0.0)},
                  {this->neuron(7), mixed},
                  {this->neuron(10), {100, 5000, 10000, 15000, 20000, 25000, 30000, 35000, 40000, 45000}}});
  ASSERT_EQ(sorting.n_units(), 4u);
  for (std::int32_t k = 0; k < 4; ++k) {
    const Unit& unit = sorting.units[static_cast<std::size_t>(k)];
    const Train train = train_of(sorting, k);
    const DirectCorrelogram direct(train, train, 30);
    EXPECT_NEAR(unit.contamination, direct.ratio(), 1e-12);
    EXPECT_EQ(unit.is_refractory, k == 0);
  }
  EXPECT_LT(sorting.units[0].contamination, 0.02);
  EXPECT_GT(sorting.units[1].contamination, 0.8);
  EXPECT_GT(sorting.units[2].contamination, 0.3);
  EXPECT_LT(sorting.units[2].contamination, 0.7);
}

}  // namespace
}  // namespace kokkosort::test
