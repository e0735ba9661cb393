// A section of one spike more than a float counts, through clustering and the learning of templates: indices
// and samples of spikes stay whole numbers throughout.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <set>
#include <vector>

#include "core/host_loop.hpp"
#include "kokkosort/clustering/cluster.hpp"
#include "kokkosort/random.hpp"
#include "kokkosort/templates/learn.hpp"
#include "long_tests.hpp"
#include "system/well_formed.hpp"
#include "templates/template_problem.hpp"

namespace kokkosort::test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

constexpr std::size_t n_spikes = (std::size_t{1} << 24) + 1;
constexpr std::uint64_t seed = 1624;

/// In no order that a neighbour's index would tell.
int unit_of(std::size_t spike) { return static_cast<int>(scatter_bits(seed + spike) % 3); }

/// Three neurons on one channel, of two components.
SpikeFeatures three_neurons() {
  constexpr float place[3][2] = {{20.0f, 0.0f}, {-20.0f, 0.0f}, {50.0f, 0.0f}};
  SpikeFeatures spikes;
  spikes.probe = linear_probe(1);
  spikes.pcs = spike_pcs(2);
  spikes.sampling_rate_hz = 30000.0;
  spikes.dmin_um = 20.0;
  spikes.dminx_um = 32.0;
  spikes.centres.x_um = {0.0};
  spikes.centres.y_um = {0.0};
  spikes.centres.channels = HostMatrix<std::int32_t>("kokkosort::test::channels", 1, 1);
  spikes.sample = HostVector<std::int64_t>("kokkosort::test::sample", n_spikes);
  spikes.centre = HostVector<std::int32_t>("kokkosort::test::centre", n_spikes);
  spikes.features = HostTensor3<float>("kokkosort::test::features", n_spikes, 1, 2);
  host_blocks("test::three_neurons", n_spikes, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      spikes.sample(i) = static_cast<std::int64_t>(200 * i);
      for (std::uint32_t p = 0; p < 2; ++p) {  // nearly normal noise
        double noise = -6.0;
        for (std::uint32_t k = 0; k < 12; ++k)
          noise += random_unit(seed, static_cast<std::uint32_t>(i), p, k);
        spikes.features(i, 0, p) = place[unit_of(i)][p] + static_cast<float>(noise);
      }
    }
  });
  return spikes;
}

TEST(LongSection, OfMoreSpikesThanAFloatCounts) {
  if (!long_tests_are_wanted()) GTEST_SKIP() << left_out("four minutes of a core and 3 GB");
  const SpikeFeatures spikes = three_neurons();
  ClusteringOptions options;
  options.neighbours.max_subset = 500;
  TransferLedger ledger;
  const Clustering clustering = cluster_spikes(Exec(), spikes, options, ledger);
  expect_well_formed(clustering, spikes);
  ASSERT_EQ(clustering.sections.size(), 1u);
  EXPECT_EQ(clustering.sections[0].spikes, static_cast<std::int64_t>(n_spikes));
  EXPECT_EQ(clustering.sections[0].subset, 500);

  std::vector<int> neuron_of_unit(clustering.n_units(), -1);
  std::size_t strays = 0;
  for (std::size_t i = 0; i < n_spikes; ++i) {
    int& neuron = neuron_of_unit[static_cast<std::size_t>(clustering.labels[i])];
    if (neuron < 0) neuron = unit_of(i);
    strays += neuron != unit_of(i) ? 1 : 0;
  }
  EXPECT_EQ(strays, 0u) << "of " << n_spikes << " spikes are in units of others";
  EXPECT_EQ(clustering.n_units(), 3u);

  const LearnedTemplates learned =
      learn_templates(Exec(), spikes, clustering.labels, clustering.templates, {}, ledger);
  ASSERT_EQ(learned.n_templates(), 3u);
  std::vector<std::int64_t> expected(3, 0);
  for (std::size_t i = 0; i < n_spikes; ++i)
    ++expected[static_cast<std::size_t>(learned.template_of[static_cast<std::size_t>(clustering.labels[i])])];
  EXPECT_EQ(learned.spikes, expected);
}

}  // namespace
}  // namespace kokkosort::test
