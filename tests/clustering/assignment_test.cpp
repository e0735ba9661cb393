#include "kokkosort/clustering/assignment.hpp"

#include <gtest/gtest.h>

#include "clustering/assignment_reference.hpp"
#include "execution_spaces.hpp"

namespace kokkosort::test {
namespace {

template <class Exec>
class AssignmentTest : public testing::Test {};
TYPED_TEST_SUITE(AssignmentTest, ExecutionSpaces, ExecutionSpaceName);

/// Overlapping blobs in sections of many sizes, so that labels move for several rounds.
SpikeFeatures overlapping_blobs(std::uint64_t seed, const std::vector<int>& sizes) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> place(-3.0, 3.0);
  std::vector<TestSpike> spikes;
  for (std::size_t s = 0; s < sizes.size(); ++s)
    for (int part = 0; part < 5; ++part) {
      std::vector<double> centre(6);
      for (double& value : centre) value = place(random);
      add_blob(random, static_cast<int>(s), (sizes[s] + part) / 5, centre, 1.0, spikes);
    }
  shuffle_times(random, 10, spikes);
  return make_features(TestProbe(static_cast<int>(sizes.size())), spikes);
}

/// A graph and labels without any structure: neighbours and labels are drawn, which makes many ties.
template <class Exec>
void randomise(std::uint64_t seed, AssignmentProblem<Exec>& problem) {
  std::mt19937_64 random(seed);
  std::vector<std::int32_t> neighbours = to_host(problem.graph.neighbours);
  std::vector<std::uint32_t> labels = to_host(problem.seeding.labels);
  for (const SectionExtent& section : problem.problem.batch.extents)
    for (std::size_t i = 0; i < section.n_spikes; ++i) {
      const std::size_t column = section.first_spike + i;
      std::vector<std::int32_t> all(section.n_subset);
      std::iota(all.begin(), all.end(), 0);
      std::shuffle(all.begin(), all.end(), random);
      for (std::size_t k = 0; k < problem.graph.neighbours.extent(0) && k < all.size(); ++k)
        neighbours[k * problem.problem.batch.n_columns + column] = all[k];
      labels[column] = static_cast<std::uint32_t>(random() % section.n_seeds);
    }
  problem.graph.neighbours =
      to_device<Exec>(neighbours, problem.graph.neighbours.extent(0), problem.graph.neighbours.extent(1));
  problem.seeding.labels = to_device<Exec>(labels);
}

template <class Exec>
int expect_as_direct(AssignmentProblem<Exec>& problem, const AssignmentOptions& options) {
  const auto assignment = problem.assign(options);
  int ties = 0;
  for (std::size_t s = 0; s < problem.problem.batch.n_sections(); ++s) {
    const PlainGraph graph = problem.plain_graph(s);
    DirectAssignment direct(graph, problem.first_labels(s), options);
    const PlainLabels expected = direct.run();
    EXPECT_EQ(problem.labels(assignment, s).left, expected.left) << "section " << s;
    EXPECT_EQ(problem.labels(assignment, s).right, expected.right) << "section " << s;
    ties += direct.ties();
  }
  return ties;
}

const std::vector<int> sizes = {600, 1, 9, 75, 400};

std::string describe(const AssignmentOptions& options) {
  return (options.null_model == NullModel::degree ? "degree model, " : "kilosort model, ") +
         std::to_string(options.rounds) + " rounds, resolution " + std::to_string(options.resolution);
}

TYPED_TEST(AssignmentTest, EveryRoundAsComputedDirectly) {
  AssignmentProblem<TypeParam> problem(overlapping_blobs(61, sizes), {});
  for (const NullModel model : {NullModel::degree, NullModel::kilosort})
    for (const int rounds : {0, 1, 2, 5, 200}) {
      const AssignmentOptions options{model, 1.0, rounds};
      SCOPED_TRACE(describe(options));
      expect_as_direct(problem, options);
    }
}

TYPED_TEST(AssignmentTest, TiesGoToTheSmallestLabel) {
  ClusteringOptions clustering;
  clustering.seeding.spikes_per_seed = 5;
  AssignmentProblem<TypeParam> problem(overlapping_blobs(62, sizes), clustering);
  randomise(63, problem);
  for (const NullModel model : {NullModel::degree, NullModel::kilosort})
    for (const int rounds : {1, 2, 3}) {
      const AssignmentOptions options{model, 1.0, rounds};
      SCOPED_TRACE(describe(options));
      EXPECT_GT(expect_as_direct(problem, options), 20) << "too few ties to tell";
    }
  // Without the null model every second choice is a tie.
  EXPECT_GT(expect_as_direct(problem, {NullModel::degree, 0.0, 1}), 100);
}

TYPED_TEST(AssignmentTest, OtherResolutions) {
  AssignmentProblem<TypeParam> problem(overlapping_blobs(64, sizes), {});
  // Kilosort's penalty is so weak that it takes a large factor to matter.
  for (const auto& [model, resolution] : {std::pair{NullModel::degree, 0.5},
                                          {NullModel::degree, 2.0},
                                          {NullModel::kilosort, 8.0},
                                          {NullModel::kilosort, 64.0}}) {
    const AssignmentOptions options{model, resolution, 3};
    SCOPED_TRACE(describe(options));
    expect_as_direct(problem, options);
  }
}

TYPED_TEST(AssignmentTest, ObjectiveNeverFalls) {
  AssignmentProblem<TypeParam> problem(overlapping_blobs(65, sizes), {});
  for (const bool without_structure : {false, true}) {
    if (without_structure) randomise(66, problem);
    for (const double resolution : {1.0, 0.7}) {
      std::vector<double> before(sizes.size(), -1e300);
      std::vector<double> first(sizes.size());
      for (const int rounds : {0, 1, 2, 3, 4, 6, 10, 20, 200}) {
        const auto assignment = problem.assign({NullModel::degree, resolution, rounds});
        for (std::size_t s = 0; s < sizes.size(); ++s) {
          const double value =
              degree_objective(problem.plain_graph(s), problem.labels(assignment, s), resolution);
          EXPECT_GE(value, before[s] - 1e-9) << "section " << s << " after " << rounds << " rounds";
          before[s] = value;
          if (rounds == 0) first[s] = value;
        }
      }
      EXPECT_GT(before[0], first[0] + 10.0) << "nothing happened that could have gone wrong";
    }
  }
}

TYPED_TEST(AssignmentTest, LabelsHaveNoGaps) {
  AssignmentProblem<TypeParam> problem(overlapping_blobs(67, sizes), {});
  const auto assignment = problem.assign({});
  const auto on_device = to_host(assignment.n_clusters_on_device);
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    const PlainLabels labels = problem.labels(assignment, s);
    const std::set<std::int32_t> used(labels.left.begin(), labels.left.end());
    EXPECT_EQ(*used.begin(), 0);
    EXPECT_EQ(*used.rbegin() + 1, static_cast<std::int32_t>(used.size()));
    EXPECT_EQ(assignment.n_clusters(s), used.size());
    EXPECT_EQ(on_device[s], used.size());
    for (const std::int32_t label : labels.right) {
      EXPECT_GE(label, -1);
      EXPECT_LT(label, static_cast<std::int32_t>(used.size()));
    }
  }
}

/// Spikes that move all leave subset points with a label that no spike has.
TYPED_TEST(AssignmentTest, SubsetPointOfNoClusterIsMarked) {
  AssignmentProblem<TypeParam> problem(overlapping_blobs(68, {100}), {});
  const PlainGraph graph = problem.plain_graph(0);
  std::vector<std::uint32_t> labels(problem.problem.batch.n_columns, 3);
  labels[graph.spike_of[0]] = 7;  // one spike alone in its cluster, tied to others that are not
  problem.seeding.labels = to_device<TypeParam>(labels);
  for (const int rounds : {0, 1, 2}) expect_as_direct(problem, {NullModel::degree, 1.0, rounds});

  // Resolution 0: the spike leaves cluster 7 for its neighbours'; a subset point tied to it alone had stayed
  // with it.
  std::vector<std::int32_t> neighbours = to_host(problem.graph.neighbours);
  const std::size_t n_columns = problem.problem.batch.n_columns;
  for (std::size_t i = 0; i < 100; ++i)
    for (std::size_t k = 0; k < 10; ++k) neighbours[k * n_columns + i] = static_cast<std::int32_t>(k + 1);
  neighbours[0 * n_columns + graph.spike_of[0]] = 0;
  problem.graph.neighbours = to_device<TypeParam>(neighbours, 10, n_columns);
  const AssignmentOptions one_round{NullModel::degree, 0.0, 1};
  expect_as_direct(problem, one_round);
  const PlainLabels found = problem.labels(problem.assign(one_round), 0);
  EXPECT_EQ(found.right[0], -1);
  EXPECT_EQ(found.left, std::vector<std::int32_t>(100, 0));
}

TYPED_TEST(AssignmentTest, OneSpikeAndNineSpikes) {
  AssignmentProblem<TypeParam> problem(overlapping_blobs(69, {1, 9}), {});
  const auto assignment = problem.assign({});
  EXPECT_EQ(problem.labels(assignment, 0).left, std::vector<std::int32_t>{0});
  EXPECT_EQ(problem.labels(assignment, 0).right, std::vector<std::int32_t>{0});
  const auto edges = count_edges(problem.problem.exec, problem.problem.batch, problem.graph, assignment,
                                 problem.problem.ledger);
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_EQ(edges[0](0, 0), 0u);  // its only edge leads to itself
  EXPECT_EQ(edges[1](0, 0), 72u);
}

TYPED_TEST(AssignmentTest, EdgesAreCountedWithoutSelfEdges) {
  AssignmentProblem<TypeParam> problem(overlapping_blobs(70, sizes), {});
  for (const bool without_structure : {false, true}) {
    if (without_structure) randomise(71, problem);
    const auto assignment = problem.assign({NullModel::degree, 1.0, 1});
    const auto found = count_edges(problem.problem.exec, problem.problem.batch, problem.graph, assignment,
                                   problem.problem.ledger);
    for (std::size_t s = 0; s < sizes.size(); ++s) {
      const PlainGraph graph = problem.plain_graph(s);
      const PlainLabels labels = problem.labels(assignment, s);
      const std::size_t n = assignment.n_clusters(s);
      std::vector<std::vector<std::uint32_t>> expected(n, std::vector<std::uint32_t>(n, 0));
      for (std::size_t i = 0; i < graph.neighbours.size(); ++i)
        for (const std::size_t j : graph.neighbours[i])
          if (!graph.is_self(i, j) && labels.right[j] >= 0)
            ++expected[static_cast<std::size_t>(labels.left[i])][static_cast<std::size_t>(labels.right[j])];
      ASSERT_EQ(found[s].extent(0), n);
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b)
          ASSERT_EQ(found[s](a, b), expected[a][b]) << "section " << s << ": " << a << ", " << b;
    }
  }
}

TYPED_TEST(AssignmentTest, SectionsTogetherAsOneAtATime) {
  const SpikeFeatures features = overlapping_blobs(72, sizes);
  AssignmentProblem<TypeParam> together(features, {});
  const auto all = together.assign({});
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    BatchProblem<TypeParam> alone(features, {}, s, s + 1);
    const auto graph = find_neighbours(alone.exec, alone.batch, alone.options.neighbours, alone.ledger);
    const auto seeding = seed_clusters(alone.exec, alone.batch, graph.norms, alone.options.seeding, 1, alone.ledger);
    const auto assignment = assign_clusters(alone.exec, alone.batch, graph, seeding, {}, alone.ledger);
    auto left = to_host(assignment.left);
    left.resize(alone.batch.extents[0].n_spikes);
    const PlainLabels expected = together.labels(all, s);
    EXPECT_EQ(left, expected.left) << "section " << s;
    EXPECT_EQ(to_host(assignment.right), expected.right) << "section " << s;
  }
}

}  // namespace
}  // namespace kokkosort::test
