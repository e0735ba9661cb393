// What curation makes of the clusters of a simulated recording of 60 neurons.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <vector>

#include "curation/curation_problem.hpp"
#include "kokkosort/clustering/cluster.hpp"
#include "kokkosort/io/features_file.hpp"
#include "kokkosort/io/trains_file.hpp"
#include "kokkosort/scoring/score.hpp"
#include "system/shared_data.hpp"

namespace kokkosort::test {
namespace {

/// The mean features of each template's spikes, for want of the templates, which the file does not hold.
HostTensor3<float> mean_of_templates(const SpikeFeatures& spikes) {
  const std::size_t n_templates = spikes.centres.x_um.size();
  const HostTensor3<float> means("kokkosort::test::means", n_templates, spikes.n_channels(), spikes.n_pcs());
  std::vector<float> n(n_templates, 0.0f);
  for (std::size_t i = 0; i < spikes.n_spikes(); ++i) n[static_cast<std::size_t>(spikes.centre(i))] += 1.0f;
  for (std::size_t i = 0; i < spikes.n_spikes(); ++i) {
    const auto k = static_cast<std::size_t>(spikes.centre(i));
    for (std::size_t row = 0; row < spikes.n_rows(); ++row)
      for (std::size_t p = 0; p < spikes.n_pcs(); ++p)
        means(k, static_cast<std::size_t>(spikes.centres.channels(k, row)), p) +=
            spikes.features(i, row, p) / n[k];
  }
  return means;
}

template <class Exec>
class CuratedAccuracyTest : public testing::Test {};
TYPED_TEST_SUITE(CuratedAccuracyTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(CuratedAccuracyTest, MatchedSpikesWithDefaultOptions) {
  const std::filesystem::path path = shared_data("np64_120s_stages.h5");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << missing(path);
  const SpikeFeatures spikes = read_features(path, "matched", std::size_t{1} << 32);
  const SpikeTrains truth = read_trains(path, "truth/sample", "truth/unit").trains;
  const Train samples(spikes.sample.data(), spikes.sample.data() + spikes.n_spikes());
  TransferLedger ledger;
  const Clustering clustering = cluster_spikes(TypeParam(), spikes, {}, ledger);
  const std::int64_t tolerance = score_tolerance(spikes.sampling_rate_hz);
  const Score before = score_sorting(truth, {samples, clustering.labels}, tolerance);

  const std::vector<float> amplitude(spikes.n_spikes(), 1.0f);
  const HostTensor3<float> matched = mean_of_templates(spikes);
  CurationReport report;
  const Sorting sorting =
      curate(TypeParam(),
             {spikes, amplitude, matched, clustering.labels, clustering.templates, std::int64_t{120} * 30000},
             {}, ledger, report);
  const Score after = score_sorting(truth, {sorting.sample, sorting.unit}, tolerance);
  std::cout << before.sorted_units << " clusters, " << before.over(0.8) << " above 0.8, mean "
            << before.mean_accuracy() << "; curated " << after.sorted_units << ", " << after.over(0.8) << ", "
            << after.mean_accuracy() << "; " << report.merges << " merged, " << report.ghosts << " ghosts, "
            << report.duplicates << " duplicates\n";
  EXPECT_GE(after.over(0.8), 50u);
  EXPECT_GE(after.mean_accuracy(), 0.857);
  EXPECT_GT(report.merges, 0u);
  EXPECT_GE(report.ghosts, 4u);
  for (std::size_t k = 0; k < before.units.size(); ++k)
    if (before.units[k].accuracy() > 0.5) {
      EXPECT_GE(after.units[k].accuracy(), before.units[k].accuracy() - 0.01)
          << "true unit " << before.units[k].unit;
    }
}

}  // namespace
}  // namespace kokkosort::test
