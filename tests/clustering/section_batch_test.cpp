#include "kokkosort/clustering/section_batch.hpp"

#include <gtest/gtest.h>

#include "clustering/make_features.hpp"
#include "execution_spaces.hpp"
#include "host_copies.hpp"

namespace kokkosort::test {
namespace {

template <class Exec>
class SectionBatchTest : public testing::Test {};
TYPED_TEST_SUITE(SectionBatchTest, ExecutionSpaces, ExecutionSpaceName);

/// Three sections of different widths and sizes, with spikes at different centres.
SpikeFeatures ragged_features(std::mt19937_64& random) {
  TestProbe probe(3, 3, 2);
  probe.centres = {1, 2, 4};
  std::vector<TestSpike> spikes;
  const int sizes[] = {1, 37, 16};
  for (int s = 0; s < 3; ++s) {
    const std::size_t first = spikes.size();
    add_blob(random, s, sizes[s], std::vector<double>(6, 3.0), 2.0, spikes);
    for (std::size_t i = first; i < spikes.size(); ++i)
      spikes[i].centre =
          static_cast<int>(i % static_cast<std::size_t>(probe.centres[static_cast<std::size_t>(s)]));
  }
  shuffle_times(random, 10, spikes);
  return make_features(probe, spikes);
}

/// The batch's points must be the spikes at `spike_of(section, column)`, and nothing else.
template <class Exec, class SpikeOf>
void expect_points(const BatchProblem<Exec>& problem, const SpikeOf& spike_of) {
  const std::vector<float> found = to_host(problem.batch.points);
  std::size_t n_values = 0;
  for (std::size_t s = 0; s < problem.in_batch.size(); ++s) {
    const SectionExtent& section = problem.batch.extents[s];
    const auto points = problem.points(s);
    ASSERT_EQ(points.size(), section.n_spikes);
    ASSERT_EQ(points[0].size(), section.n_features);
    ASSERT_EQ(section.stride % column_padding, 0u);
    for (std::size_t f = 0; f < section.n_features; ++f)
      for (std::size_t i = 0; i < section.stride; ++i, ++n_values) {
        const double expected = i < section.n_spikes ? points[spike_of(s, i)][f] : 0.0;
        ASSERT_EQ(found[section.first_point + f * section.stride + i], expected)
            << "section " << s << " feature " << f << " column " << i;
      }
  }
  EXPECT_EQ(found.size(), n_values);
}

TYPED_TEST(SectionBatchTest, PointsAreTheSpikesFeatures) {
  std::mt19937_64 random(11);
  const BatchProblem<TypeParam> problem(ragged_features(random));
  ASSERT_EQ(problem.in_batch.size(), 3u);
  expect_points(problem, [](std::size_t, std::size_t i) { return i; });
}

TYPED_TEST(SectionBatchTest, PartOfTheSections) {
  std::mt19937_64 random(12);
  const BatchProblem<TypeParam> problem(ragged_features(random), {}, 1, 3);
  ASSERT_EQ(problem.in_batch.size(), 2u);
  EXPECT_EQ(problem.batch.extents[0].key, 1u);
  EXPECT_EQ(problem.batch.extents[1].key, 2u);
  expect_points(problem, [](std::size_t, std::size_t i) { return i; });
}

TYPED_TEST(SectionBatchTest, OrderPutsSpikesInOtherColumns) {
  std::mt19937_64 random(13);
  const BatchProblem<TypeParam> problem(ragged_features(random));
  std::vector<std::uint32_t> order(problem.batch.n_columns, 0);
  for (const SectionExtent& section : problem.batch.extents) {
    const auto begin = order.begin() + section.first_spike;
    std::iota(begin, begin + section.n_spikes, 0u);
    std::shuffle(begin, begin + section.n_spikes, random);
  }
  embed_points(problem.exec, problem.batch, to_device<TypeParam>(order));
  problem.exec.fence();
  expect_points(
      problem, [&](std::size_t s, std::size_t i) { return order[problem.batch.extents[s].first_spike + i]; });
}

TYPED_TEST(SectionBatchTest, TimesAndSectionsOfColumns) {
  std::mt19937_64 random(14);
  const BatchProblem<TypeParam> problem(ragged_features(random));
  const auto sample = to_host(problem.batch.sample);
  const auto section_of = to_host(problem.batch.section_of);
  for (std::size_t s = 0; s < problem.in_batch.size(); ++s) {
    const SectionExtent& section = problem.batch.extents[s];
    for (std::size_t i = 0; i < section.stride; ++i) EXPECT_EQ(section_of[section.first_spike + i], s);
    for (std::size_t i = 0; i < section.n_spikes; ++i)
      EXPECT_EQ(sample[section.first_spike + i],
                problem.spikes.sample(static_cast<std::size_t>(problem.in_batch[s].spikes[i])));
  }
}

SectionExtent extent_of(std::size_t n_spikes, const ClusteringOptions& options) {
  Section section;
  section.channels = {0, 1, 2};
  section.spikes.resize(n_spikes);
  return section_extent(section, 7, 6, options);
}

TEST(SectionExtent, SubsetOfSmallMiddlingAndLargeSections) {
  ClusteringOptions options;  // stride 20, at least 50
  options.neighbours.max_subset = 100;
  struct Case {
    std::size_t spikes;
    std::uint32_t subset;
    std::uint32_t subset_stride;
  };
  for (const Case& c : {Case{1, 1, 20}, Case{2, 2, 0}, Case{9, 9, 0}, Case{49, 49, 0}, Case{50, 50, 0},
                        Case{51, 50, 0}, Case{980, 50, 0}, Case{981, 50, 20}, Case{1000, 50, 20},
                        Case{1001, 51, 20}, Case{2000, 100, 20}, Case{2001, 100, 0}, Case{5000, 100, 0}}) {
    const SectionExtent extent = extent_of(c.spikes, options);
    EXPECT_EQ(extent.n_subset, c.subset) << c.spikes << " spikes";
    EXPECT_EQ(extent.subset_stride, c.subset_stride) << c.spikes << " spikes";
    EXPECT_EQ(extent.n_features, 18u);
    EXPECT_EQ(extent.key, 7u);
    for (std::uint32_t j = 0; j < extent.n_subset; ++j) {
      const std::uint64_t even = std::uint64_t{j} * c.spikes / c.subset;
      ASSERT_EQ(extent.spike_of_subset(j), c.subset_stride > 0 ? 20 * j : even) << c.spikes << " spikes";
      ASSERT_LT(extent.spike_of_subset(j), c.spikes);
      if (j == 0) continue;
      ASSERT_GT(extent.spike_of_subset(j), extent.spike_of_subset(j - 1));
    }
  }
}

TEST(SectionExtent, EvenlySpreadSubsetDoesNotOverflow) {
  ClusteringOptions options;
  const SectionExtent extent = extent_of(3'000'000, options);
  ASSERT_EQ(extent.n_subset, 25000u);
  for (std::uint32_t j = 0; j < extent.n_subset; ++j) ASSERT_EQ(extent.spike_of_subset(j), j * 120u);
}

TEST(SectionExtent, SeedsFollowTheSpikes) {
  ClusteringOptions options;  // one for ten spikes, at most 200
  for (const auto& [spikes, seeds] : {std::pair{1u, 1u},
                                      {9u, 1u},
                                      {19u, 1u},
                                      {20u, 2u},
                                      {999u, 99u},
                                      {1000u, 100u},
                                      {1999u, 199u},
                                      {2010u, 200u}})
    EXPECT_EQ(extent_of(spikes, options).n_seeds, seeds) << spikes << " spikes";
}

}  // namespace
}  // namespace kokkosort::test
