#include "kokkosort/clustering/bimodality.hpp"

#include <gtest/gtest.h>

#include "clustering/bimodality_reference.hpp"
#include "clustering/leaf_problem.hpp"
#include "execution_spaces.hpp"

namespace kokkosort::test {
namespace {

using Histogram = std::vector<std::uint32_t>;

Histogram add_gaussian(std::mt19937_64& random, double mean, double sigma, int n, Histogram histogram) {
  std::normal_distribution<double> draw(mean, sigma);
  for (int i = 0; i < n; ++i) {
    const double bin = std::floor((draw(random) + 2.0) * 100.0);
    if (bin >= 0.0 && bin < 400.0) ++histogram[static_cast<std::size_t>(bin)];
  }
  return histogram;
}

Histogram empty() { return Histogram(projection_bins, 0); }

TEST(BimodalityScore, AsComputedDirectly) {
  std::mt19937_64 random(101);
  std::uniform_real_distribution<double> mean(-2.2, 2.2);
  std::uniform_real_distribution<double> sigma(0.01, 0.8);
  for (int repeat = 0; repeat < 300; ++repeat) {
    Histogram histogram = empty();
    for (int mode = 0; mode < 1 + repeat % 4; ++mode)
      histogram = add_gaussian(random, mean(random), sigma(random), 20 + repeat * 5, histogram);
    EXPECT_NEAR(bimodality_score(histogram.data()), direct_score(histogram.data()), 1e-12)
        << "repeat " << repeat << " of seed 101";
  }
}

TEST(BimodalityScore, Extremes) {
  EXPECT_EQ(bimodality_score(empty().data()), 0.0);
  Histogram one_side = empty();
  one_side[80] = 100;
  EXPECT_EQ(bimodality_score(one_side.data()), 0.0);
  Histogram both = one_side;
  both[320] = 1;
  EXPECT_EQ(bimodality_score(both.data()), 1.0);
  EXPECT_NEAR(bimodality_score(Histogram(projection_bins, 7).data()), 0.0, 1e-12);
}

/// Everything at an edge: the reflection must keep it there.
TEST(BimodalityScore, EdgesAreReflected) {
  for (const std::size_t bin : {0u, 3u, 15u, 384u, 399u}) {
    Histogram histogram(projection_bins, 1);
    histogram[bin] = 40;
    EXPECT_NEAR(bimodality_score(histogram.data()), direct_score(histogram.data()), 1e-12) << "bin " << bin;
    histogram[399 - bin] = 40;  // the lower peak counts: 1 − 1 / (1 + 39 w), w the weight at the edge
    EXPECT_NEAR(bimodality_score(histogram.data()), direct_score(histogram.data()), 1e-12) << "bin " << bin;
    EXPECT_GT(bimodality_score(histogram.data()), 0.75) << "bin " << bin;
  }
}

/// A section of Gaussian leaves, one a centre, in random order of time.
struct Leaf {
  std::vector<double> centre;
  int n;
};

template <class Exec>
LeafProblem<Exec> problem_of_leaves(std::uint64_t seed, const TestProbe& probe,
                                    const std::vector<std::vector<Leaf>>& sections, std::size_t first,
                                    std::size_t last) {
  std::mt19937_64 random(seed);
  std::vector<TestSpike> spikes;
  std::vector<MergeTree> trees;
  std::vector<std::vector<std::int32_t>> labels;
  std::int64_t time = 0;
  for (std::size_t s = 0; s < sections.size(); ++s) {
    std::vector<std::int32_t> order;
    for (std::size_t leaf = 0; leaf < sections[s].size(); ++leaf)
      order.insert(order.end(), static_cast<std::size_t>(sections[s][leaf].n),
                   static_cast<std::int32_t>(leaf));
    std::shuffle(order.begin(), order.end(), random);
    for (const std::int32_t leaf : order) {
      add_blob(random, static_cast<int>(s), 1, sections[s][static_cast<std::size_t>(leaf)].centre, 1.0,
               spikes);
      spikes.back().sample = time += 10;
    }
    if (s < first || s >= last) continue;
    labels.push_back(order);
    trees.push_back(chain_tree(static_cast<int>(sections[s].size())));
  }
  return LeafProblem<Exec>(make_features(probe, spikes), trees, labels, first, last);
}

template <class Exec>
LeafProblem<Exec> problem_of_leaves(std::uint64_t seed, const TestProbe& probe,
                                    const std::vector<std::vector<Leaf>>& sections) {
  return problem_of_leaves<Exec>(seed, probe, sections, 0, sections.size());
}

template <class Exec>
std::vector<Histogram> project(LeafProblem<Exec>& problem, const std::vector<NodeSides>& nodes) {
  const auto histograms = project_nodes(problem.problem.exec, problem.problem.batch, problem.leaves,
                                        problem.grams, nodes, problem.problem.ledger);
  std::vector<Histogram> found;
  for (std::size_t node = 0; node < nodes.size(); ++node)
    found.emplace_back(&histograms(node, 0), &histograms(node, 0) + projection_bins);
  return found;
}

template <class Exec>
std::vector<std::vector<double>> points_of(const LeafProblem<Exec>& problem, std::uint32_t section,
                                           std::uint32_t first, std::uint32_t last) {
  const auto all = problem.problem.points(section);
  std::vector<std::vector<double>> points;
  for (const std::size_t i : problem.spikes_of(section, first, last)) points.push_back(all[i]);
  return points;
}

/// Counts may differ only for projections within 1e-9 of the edge of a bin.
void expect_histogram(const Histogram& found, const std::vector<double>& projections) {
  std::vector<long> least(projection_bins + 2, 0);  // with a bin for what is outside on either side
  std::vector<long> most = least;
  const auto bin = [](double p) {
    return static_cast<std::size_t>(std::clamp(std::floor((p + 2.0) * 100.0), -1.0, 400.0) + 1.0);
  };
  for (const double p : projections) {
    const std::size_t low = bin(p - 1e-9);
    const std::size_t high = bin(p + 1e-9);
    ++most[low];
    if (low == high)
      ++least[low];
    else
      ++most[high];
  }
  for (std::size_t b = 0; b < projection_bins; ++b) {
    ASSERT_GE(static_cast<long>(found[b]), least[b + 1]) << "bin " << b;
    ASSERT_LE(static_cast<long>(found[b]), most[b + 1]) << "bin " << b;
  }
}

template <class Exec>
class BimodalityTest : public testing::Test {};
TYPED_TEST_SUITE(BimodalityTest, ExecutionSpaces, ExecutionSpaceName);

std::vector<double> at(double first, double others, std::size_t n = 6) {
  std::vector<double> centre(n, others);
  centre[0] = first;
  return centre;
}

std::vector<std::vector<Leaf>> ragged_leaves() {
  return {{{at(2.0, 1.0), 300}, {at(-3.0, 2.0), 17}, {at(6.0, 0.0), 513}, {at(0.0, 0.0), 64}},
          {{at(0.0, 5.0), 1}, {at(5.0, 0.0), 2}},
          {{at(1.0, 1.0), 256}, {at(7.0, 1.0), 257}, {at(-7.0, -1.0), 5}}};
}

const std::vector<NodeSides> ragged_nodes = {{0, 0, 1, 2}, {0, 0, 2, 4}, {0, 2, 3, 4}, {0, 0, 3, 4},
                                             {1, 4, 5, 6}, {2, 6, 7, 8}, {2, 6, 8, 9}, {2, 6, 7, 9}};

TYPED_TEST(BimodalityTest, ProjectionsOfTheNormalEquations) {
  TestProbe probe(3, 2, 3);
  probe.centres = {2, 1, 4};
  auto problem = problem_of_leaves<TypeParam>(102, probe, ragged_leaves());
  const auto found = project(problem, ragged_nodes);
  for (std::size_t i = 0; i < ragged_nodes.size(); ++i) {
    SCOPED_TRACE("node " + std::to_string(i));
    const NodeSides& node = ragged_nodes[i];
    expect_histogram(found[i],
                     direct_projections(points_of(problem, node.section, node.first, node.middle),
                                        points_of(problem, node.section, node.middle, node.last), true));
  }
}

TYPED_TEST(BimodalityTest, ManyFeatures) {
  const TestProbe probe(1, 17, 6);
  std::mt19937_64 random(103);
  std::normal_distribution<double> draw(0.0, 0.6);
  std::vector<Leaf> leaves(3, {std::vector<double>(102), 400});
  for (Leaf& leaf : leaves)
    for (double& value : leaf.centre) value = draw(random);
  auto problem = problem_of_leaves<TypeParam>(104, probe, {leaves});
  const auto found = project(problem, {{0, 0, 1, 3}, {0, 1, 2, 3}});
  expect_histogram(found[0],
                   direct_projections(points_of(problem, 0, 0, 1), points_of(problem, 0, 1, 3), true));
  expect_histogram(found[1],
                   direct_projections(points_of(problem, 0, 1, 2), points_of(problem, 0, 2, 3), true));
}

TYPED_TEST(BimodalityTest, NodesTogetherAsOneAtATime) {
  const TestProbe probe(3, 2, 3);
  auto together = problem_of_leaves<TypeParam>(105, probe, ragged_leaves());
  const auto all = project(together, ragged_nodes);
  for (std::size_t i = 0; i < ragged_nodes.size(); ++i) {
    EXPECT_EQ(project(together, {ragged_nodes[i]})[0], all[i]) << "node " << i;
    const std::size_t s = ragged_nodes[i].section;
    auto alone = problem_of_leaves<TypeParam>(105, probe, ragged_leaves(), s, s + 1);
    const std::uint32_t start = together.leaves.first_leaf[s];
    const NodeSides node{0, ragged_nodes[i].first - start, ragged_nodes[i].middle - start,
                         ragged_nodes[i].last - start};
    EXPECT_EQ(project(alone, {node})[0], all[i]) << "node " << i;
  }
}

TYPED_TEST(BimodalityTest, SeparatedBlobsHaveATrough) {
  for (const int n : {60, 400}) {
    auto problem = problem_of_leaves<TypeParam>(106, TestProbe(), {{{at(6.0, 2.0), 400}, {at(0.0, 2.0), n}}});
    EXPECT_GE(bimodality_score(project(problem, {{0, 0, 1, 2}})[0].data()), 0.6)
        << n << " spikes in the smaller";
  }
}

TYPED_TEST(BimodalityTest, OneBlobHasNone) {
  for (const std::uint64_t seed : {107u, 108u, 109u}) {
    auto problem =
        problem_of_leaves<TypeParam>(seed, TestProbe(), {{{at(5.0, 2.0), 500}, {at(5.0, 2.0), 300}}});
    EXPECT_LT(bimodality_score(project(problem, {{0, 0, 1, 2}})[0].data()), 0.6) << "seed " << seed;
  }
}

/// A blob cut through the middle, as seeds cut it.
TYPED_TEST(BimodalityTest, HalvesOfOneBlobHaveNone) {
  std::mt19937_64 random(110);
  std::vector<TestSpike> spikes;
  add_blob(random, 0, 800, at(5.0, 2.0), 1.0, spikes);
  std::vector<std::int32_t> labels;
  for (const TestSpike& spike : spikes) labels.push_back(spike.values[0] > 5.0f ? 1 : 0);
  LeafProblem<TypeParam> problem(make_features(TestProbe(), spikes), {chain_tree(2)}, {labels});
  EXPECT_LT(bimodality_score(project(problem, {{0, 0, 1, 2}})[0].data()), 0.6);
}

/// Why the regression has an intercept: without it a side near the origin projects to 0, into the trough.
TYPED_TEST(BimodalityTest, SideNearTheOriginNeedsTheIntercept) {
  for (const std::uint64_t seed : {111u, 112u, 113u}) {
    auto problem =
        problem_of_leaves<TypeParam>(seed, TestProbe(), {{{at(0.2, 0.1), 400}, {at(5.2, 0.1), 400}}});
    const auto left = points_of(problem, 0, 0, 1);
    const auto right = points_of(problem, 0, 1, 2);
    EXPECT_LT(direct_score(direct_histogram(direct_projections(left, right, false)).data()), 0.6)
        << "seed " << seed;
    EXPECT_GE(direct_score(direct_histogram(direct_projections(left, right, true)).data()), 0.6)
        << "seed " << seed;
    EXPECT_GE(bimodality_score(project(problem, {{0, 0, 1, 2}})[0].data()), 0.6) << "seed " << seed;
  }
}

}  // namespace
}  // namespace kokkosort::test
