#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "curation/train_correlograms.hpp"
#include "execution_spaces.hpp"
#include "kokkosort/curation/curate.hpp"
#include "kokkosort/matching/match.hpp"
#include "templates/cluster_problem.hpp"

namespace kokkosort::test {

inline constexpr double test_rate_hz = 30000.0;

/// A cluster: the spikes that one template found.
struct TestCluster {
  std::vector<float> neuron;  // [channels · pcs], the template
  Train train;
  float amplitude = 1.0f;
};

/// Clustered spikes as matching found them: the templates, with noise of one sigma.
struct CurationProblem {
  SpikeFeatures spikes;
  std::vector<float> amplitude;
  HostTensor3<float> matched_templates;
  std::vector<std::int32_t> labels;
  HostTensor3<float> means;
  std::int64_t n_samples = 0;

  CurationInput input() const { return {spikes, amplitude, matched_templates, labels, means, n_samples}; }
};

inline CurationProblem make_problem(std::mt19937_64& random, const Probe& probe,
                                    const PrincipalComponents& pcs, const std::vector<TestCluster>& clusters,
                                    std::int64_t n_samples, int rows = 10) {
  struct Spike {
    std::int64_t sample;
    std::int32_t cluster;
  };
  std::vector<Spike> all;
  for (std::size_t k = 0; k < clusters.size(); ++k)
    for (const std::int64_t sample : clusters[k].train) all.push_back({sample, static_cast<std::int32_t>(k)});
  std::stable_sort(all.begin(), all.end(),
                   [](const Spike& a, const Spike& b) { return a.sample < b.sample; });

  const std::size_t n_channels = probe.x_um.size();
  const std::size_t n_pcs = pcs.wPCA.extent(0);
  CurationProblem problem;
  problem.n_samples = n_samples;
  problem.matched_templates =
      HostTensor3<float>("kokkosort::test::matched", clusters.size(), n_channels, n_pcs);
  problem.means = HostTensor3<float>("kokkosort::test::means", clusters.size(), n_channels, n_pcs);
  for (std::size_t k = 0; k < clusters.size(); ++k)
    std::copy(clusters[k].neuron.begin(), clusters[k].neuron.end(), &problem.matched_templates(k, 0, 0));
  SpikeFeatures& spikes = problem.spikes;
  spikes.probe = probe;
  spikes.pcs = pcs;
  spikes.sampling_rate_hz = test_rate_hz;
  spikes.centres = template_centres(probe, problem.matched_templates, rows);
  const std::size_t n_rows = spikes.centres.channels.extent(1);
  spikes.sample = HostVector<std::int64_t>("kokkosort::test::sample", all.size());
  spikes.centre = HostVector<std::int32_t>("kokkosort::test::centre", all.size());
  spikes.features = HostTensor3<float>("kokkosort::test::features", all.size(), n_rows, n_pcs);
  std::normal_distribution<float> noise;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto k = static_cast<std::size_t>(all[i].cluster);
    const TestCluster& cluster = clusters[k];
    spikes.sample(i) = all[i].sample;
    spikes.centre(i) = all[i].cluster;
    problem.labels.push_back(all[i].cluster);
    problem.amplitude.push_back(cluster.amplitude);
    for (std::size_t row = 0; row < n_rows; ++row)
      for (std::size_t p = 0; p < n_pcs; ++p) {
        const auto c = static_cast<std::size_t>(spikes.centres.channels(k, row));
        const float value = cluster.amplitude * cluster.neuron[c * n_pcs + p] + noise(random);
        spikes.features(i, row, p) = value;
        problem.means(k, c, p) += value / static_cast<float>(cluster.train.size());
      }
  }
  return problem;
}

/// Spikes at a rate, none nearer to another than the refractory time.
inline Train random_train(std::mt19937_64& random, double rate_hz, std::int64_t n_samples,
                          double refractory_ms) {
  std::exponential_distribution<double> wait(rate_hz / test_rate_hz);
  const double gap = refractory_ms * test_rate_hz / 1000.0;
  Train train;
  for (double t = wait(random); t < static_cast<double>(n_samples); t += gap + wait(random))
    train.push_back(static_cast<std::int64_t>(t));
  return train;
}

/// Deals a train's spikes out to several, by their shares.
inline std::vector<Train> split_train(std::mt19937_64& random, const Train& train,
                                      const std::vector<double>& shares) {
  std::discrete_distribution<std::size_t> part(shares.begin(), shares.end());
  std::vector<Train> parts(shares.size());
  for (const std::int64_t sample : train) parts[part(random)].push_back(sample);
  return parts;
}

inline Train moved(Train train, std::int64_t samples) {
  for (std::int64_t& sample : train) sample += samples;
  return train;
}

/// Spikes of a sorted unit.
inline Train train_of(const Sorting& sorting, std::int32_t unit) {
  Train train;
  for (std::size_t i = 0; i < sorting.n_spikes(); ++i)
    if (sorting.unit[i] == unit) train.push_back(sorting.sample[i]);
  return train;
}

/// What holds for every sorting.
inline void expect_well_formed(const Sorting& sorting, const CurationProblem& problem) {
  const std::size_t n = sorting.n_spikes();
  const std::size_t n_units = sorting.n_units();
  for (const std::size_t size : {sorting.unit.size(), sorting.matched.size(), sorting.amplitude.size(),
                                 sorting.x_um.size(), sorting.y_um.size(), sorting.features.extent(0)})
    EXPECT_EQ(size, n);
  EXPECT_EQ(sorting.features.extent(1), problem.spikes.n_rows());
  EXPECT_EQ(sorting.features.extent(2), problem.means.extent(2));
  EXPECT_EQ(sorting.unit_channels.extent(0), n_units);
  EXPECT_EQ(sorting.unit_channels.extent(1), problem.spikes.n_rows());
  EXPECT_EQ(sorting.templates.extent(0), n_units);
  EXPECT_EQ(sorting.similarity.extent(0), n_units);
  EXPECT_EQ(sorting.similarity.extent(1), n_units);
  std::vector<std::int64_t> spikes(n_units, 0);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_GE(sorting.sample[i], 0);
    ASSERT_LT(sorting.sample[i], problem.n_samples);
    const std::size_t before = i > 0 ? i - 1 : 0;
    EXPECT_LE(std::pair(sorting.sample[before], sorting.unit[before]),
              std::pair(sorting.sample[i], sorting.unit[i]));
    ASSERT_LT(static_cast<std::size_t>(sorting.unit[i]), n_units);
    ++spikes[static_cast<std::size_t>(sorting.unit[i])];
    EXPECT_TRUE(std::isfinite(sorting.x_um[i]) && std::isfinite(sorting.y_um[i]));
  }
  for (std::size_t k = 0; k < n_units; ++k) {
    EXPECT_GT(spikes[k], 0) << "unit " << k;
    EXPECT_EQ(sorting.units[k].spikes, spikes[k]);
    EXPECT_GE(sorting.units[k].contamination, 0.0);
    EXPECT_LE(sorting.units[k].contamination, 1.0);
    EXPECT_EQ(sorting.similarity(k, k), 1.0f);
  }
}

/// Clusters on a column of channels, two minutes.
template <class Exec>
class CurationTest : public testing::Test {
 protected:
  CurationTest() { this->RecordProperty("seed", std::to_string(seed)); }

  std::vector<float> neuron(std::size_t place, double length = 25.0) {
    return central_neuron(random, pcs, n_channels, place, length);
  }
  Train fire(double rate_hz, double refractory_ms = 4.0) {
    return random_train(random, rate_hz, n_samples, refractory_ms);
  }
  std::vector<Train> split(const Train& train, const std::vector<double>& shares) {
    return split_train(random, train, shares);
  }
  CurationProblem problem_of(const std::vector<TestCluster>& clusters) {
    return make_problem(random, probe, pcs, clusters, n_samples);
  }
  Sorting sort(const CurationProblem& problem) {
    report = {};
    Sorting sorting = curate(Exec(), problem.input(), options, ledger, report);
    expect_well_formed(sorting, problem);
    return sorting;
  }
  Sorting sort(const std::vector<TestCluster>& clusters) { return sort(problem_of(clusters)); }

  static constexpr std::uint64_t seed = 61;
  static constexpr std::size_t n_channels = 12;
  std::mt19937_64 random{seed};
  PrincipalComponents pcs = spike_pcs();
  Probe probe = linear_probe(n_channels);
  std::int64_t n_samples = 120 * 30000;
  CurationOptions options;
  CurationReport report;
  TransferLedger ledger;
};

}  // namespace kokkosort::test
