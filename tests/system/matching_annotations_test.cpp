// Learning templates and matching them: every kernel, View and region carries our label, and every kernel
// runs on the instance that was given.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "kokkosort/templates/learn.hpp"
#include "matching/match_problem.hpp"
#include "system/annotations.hpp"
#include "templates/cluster_problem.hpp"

namespace kokkosort::test {
namespace {

template <class Exec>
class MatchingAnnotationsTest : public testing::Test {
 protected:
  MatchingAnnotationsTest() {
    RecordProperty("seed", std::to_string(seed));
    std::mt19937_64 random(seed);
    const PrincipalComponents pcs = spike_pcs();
    std::vector<ClusterOfSpikes> clusters;
    for (std::int32_t k = 0; k < 6; ++k)
      clusters.push_back(
          {central_neuron(random, pcs, 12, static_cast<std::size_t>(k / 2 * 4), 25.0), 200, k / 2 * 4});
    clusters.push_back(clusters[0]);
    const ClusteredSpikes clustered = record_clusters(random, pcs, 12, 8, clusters);
    const TemplateProblem problem{linear_probe(12), pcs, clustered.means};
    const HostMatrix<float> traces = noise_traces(random, 12, 3000);
    add_spikes(direct_waveforms(problem), random_spikes(random, 6, 60, 0, 3000), problem.nt(), traces);
    const std::vector<std::int16_t> samples = stored_samples<std::int16_t>(traces);

    TransferLedger ledger;
    MatchingOptions options;
    options.window_samples = 1000;
    const KokkosListener listener;
    const LearnedTemplates learned =
        learn_templates(exec, clustered.spikes, clustered.labels, clustered.means, {}, ledger);
    EXPECT_LT(learned.n_templates(), 7u) << "nothing merged";
    const TemplateProblem merged{linear_probe(12), pcs, learned.templates};
    EXPECT_GT(match_samples<Exec>(merged, samples, options, ledger, test_scale, exec).n_spikes(), 30u);
    told = Annotations<Exec>(listener);
  }

  static constexpr std::uint64_t seed = 12;
  Exec exec = own_instance<Exec>();
  Annotations<Exec> told;
};
TYPED_TEST_SUITE(MatchingAnnotationsTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(MatchingAnnotationsTest, EveryKernelIsOurs) {
  EXPECT_EQ(this->told.strange_kernels(), std::set<std::string>());
  const auto ours = this->told.our_kernels();
  for (const std::string kernel : {"find_best", "take_spikes", "take_out_spikes"})
    EXPECT_TRUE(ours.contains(our_prefix + "matching::" + kernel)) << kernel;
  EXPECT_TRUE(ours.contains(our_prefix + "recording::transpose"));
}

TYPED_TEST(MatchingAnnotationsTest, EveryRegionIsOurs) {
  const auto regions = this->told.regions_but_of_blas();
  for (const std::string& region : regions) EXPECT_TRUE(region.starts_with(our_prefix)) << region;
  for (const std::string stage :
       {"templates", "matching::correlations", "matching::scores", "matching::pursuit", "matching::features"})
    EXPECT_TRUE(regions.contains(our_prefix + stage)) << stage;
}

TYPED_TEST(MatchingAnnotationsTest, EveryViewIsOurs) {
  EXPECT_EQ(this->told.strange_views(), std::set<std::string>());
  EXPECT_GE(this->told.our_views(), 30u);
}

TYPED_TEST(MatchingAnnotationsTest, EveryKernelRunsOnTheInstanceGiven) {
  const std::uint32_t given = Kokkos::Tools::Experimental::device_id(this->exec);
  EXPECT_EQ(this->told.kernels_elsewhere(given), std::set<std::string>());
  EXPECT_GE(this->told.kernels_on(given), 30u);
}

}  // namespace
}  // namespace kokkosort::test
