// Whitened traces and templates of a simulated recording, matched as Kilosort 4.1.7 did.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <vector>

#include "execution_spaces.hpp"
#include "io/hdf5.hpp"
#include "kokkosort/io/features_file.hpp"
#include "kokkosort/recording/open_recording.hpp"
#include "matching/match_problem.hpp"
#include "system/shared_data.hpp"

namespace kokkosort::test {
namespace {

template <class Exec>
class MatchingReferenceTest : public testing::Test {};
TYPED_TEST_SUITE(MatchingReferenceTest, ExecutionSpaces, ExecutionSpaceName);

/// Spikes within two samples of Kilosort's, of the same template: 98 % of its spikes, and at most 2 % more.
TYPED_TEST(MatchingReferenceTest, AgreesWithKilosort) {
  const std::filesystem::path path = shared_data("np16_60s.h5");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << missing(path);
  const SpikeFeatures reference = read_features(path, "matched", std::size_t{1} << 32);
  hdf5::InputFile file(path, std::size_t{1} << 32);
  const hdf5::Dataset learned = file.open<float>("reference/kilosort4/learned_templates", 3);
  TemplateProblem problem{reference.probe, reference.pcs, {}};
  problem.templates =
      HostTensor3<float>("kokkosort::test::templates", learned.shape[0], learned.shape[1], learned.shape[2]);
  file.read(learned, problem.templates.data());

  TransferLedger ledger;
  const Hdf5Recording recording = open_hdf5_recording(path, "whitened/traces");
  ASSERT_GT(recording.scale_to_sigma, 0.0);
  const TracePreparation preparation = whitened_already(problem.n_channels(), recording.scale_to_sigma);
  const Matching matching = match_templates(
      TypeParam(),
      MatchingInput{{*recording.traces, preparation}, problem.probe, problem.pcs, problem.templates}, {},
      ledger);
  const std::vector<TemplateSpike> found = spikes_of(problem, matching);
  const auto end = recording.traces->n_samples();
  std::vector<TemplateSpike> expected;
  for (std::size_t i = 0; i < reference.n_spikes(); ++i)
    if (reference.sample(i) < end)
      expected.push_back({centre_of(problem, reference.sample(i)), reference.centre(i), 1.0});
  for (const std::int64_t tolerance : {0, 1, 2}) {
    const std::size_t pairs = count_pairs(expected, found, tolerance);
    std::cout << TypeParam::name() << ": within " << tolerance << " samples " << pairs << " of Kilosort's "
              << expected.size() << ", " << found.size() - pairs << " of " << found.size() << " more\n";
  }
  const auto pairs = static_cast<double>(count_pairs(expected, found, 2));
  EXPECT_GT(expected.size(), 400u);
  EXPECT_GE(pairs, 0.98 * static_cast<double>(expected.size()));
  EXPECT_LE(static_cast<double>(found.size()) - pairs, 0.02 * static_cast<double>(expected.size()));
  EXPECT_EQ(matching.unfinished_windows, 0);
}

}  // namespace
}  // namespace kokkosort::test
