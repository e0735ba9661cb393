#include "sweep/reference/check_assignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

#include "clustering/assignment_reference.hpp"

namespace kokkosort::test {
namespace {

struct AssignmentExample {
  AssignmentGraph graph;
  std::vector<std::int32_t> first_labels;
  AssignmentOptions options;

  /// By the loops over all pairs that the clustering's tests use.
  AssignmentLabels find() const {
    PlainGraph plain;
    for (const auto& list : graph.neighbours) plain.neighbours.emplace_back(list.begin(), list.end());
    plain.spike_of.assign(graph.spike_of.begin(), graph.spike_of.end());
    const PlainLabels labels = DirectAssignment(plain, first_labels, options).run();
    return {labels.left, labels.right};
  }
  std::string check(const AssignmentLabels& found) const {
    return check_assignment(graph, first_labels, options, found);
  }
};

/// Spikes of a few groups, mostly tied to subset points of their own group; labels are drawn.
AssignmentExample make_example(std::uint64_t seed, int n_spikes, int n_labels, NullModel model, double strays) {
  constexpr int groups = 4;
  std::mt19937_64 random(seed);
  AssignmentExample example;
  example.options.null_model = model;
  for (int i = 0; i < n_spikes; i += 4) example.graph.spike_of.push_back(static_cast<std::uint32_t>(i));
  std::bernoulli_distribution stray(strays);
  for (int i = 0; i < n_spikes; ++i) {
    example.first_labels.push_back(static_cast<std::int32_t>(random() % static_cast<unsigned>(n_labels)));
    std::vector<std::int32_t> all(example.graph.spike_of.size());
    std::iota(all.begin(), all.end(), 0);
    std::shuffle(all.begin(), all.end(), random);
    std::stable_partition(all.begin(), all.end(), [&](std::int32_t j) {
      return example.graph.spike_of[static_cast<std::size_t>(j)] == static_cast<std::uint32_t>(i) ||
             (j % groups == i / 4 % groups && !stray(random));
    });
    all.resize(5);
    example.graph.neighbours.push_back(all);
  }
  return example;
}

std::vector<AssignmentExample> examples() {
  std::vector<AssignmentExample> all;
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    for (const NullModel model : {NullModel::degree, NullModel::kilosort})
      for (const double strays : {0.1, 0.9}) all.push_back(make_example(seed, 120, 10, model, strays));
  return all;
}

std::string name(std::size_t example) { return "example " + std::to_string(example) + ", seeds 1 to 5"; }

TEST(CheckAssignment, AcceptsWhatLoopsOverAllPairsFind) {
  const auto all = examples();
  for (std::size_t e = 0; e < all.size(); ++e) EXPECT_EQ(all[e].check(all[e].find()), "") << name(e);
}

TEST(CheckAssignment, AcceptsOtherResolutionsAndFewRounds) {
  auto all = examples();
  for (std::size_t e = 0; e < all.size(); ++e) {
    all[e].options.resolution = 2.0;
    EXPECT_EQ(all[e].check(all[e].find()), "") << name(e);
    for (const int rounds : {0, 1, 2}) {
      all[e].options.rounds = rounds;
      EXPECT_EQ(all[e].check(all[e].find()), "") << name(e) << ", rounds " << rounds;
    }
  }
}

TEST(CheckAssignment, RejectsOneMovedLabel) {
  const auto all = examples();
  for (std::size_t e = 0; e < all.size(); ++e) {
    const AssignmentLabels right = all[e].find();
    for (std::size_t i = 0; i < right.left.size(); ++i) {
      AssignmentLabels wrong = right;
      ++wrong.left[i];
      EXPECT_NE(all[e].check(wrong), "") << name(e) << ", spike " << i;
    }
    for (std::size_t j = 0; j < right.right.size(); ++j) {
      AssignmentLabels wrong = right;
      --wrong.right[j];
      EXPECT_NE(all[e].check(wrong), "") << name(e) << ", subset point " << j;
    }
  }
}

TEST(CheckAssignment, RejectsLabelsOfOtherOptions) {
  AssignmentExample example = make_example(6, 200, 12, NullModel::kilosort, 0.9);
  const AssignmentLabels right = example.find();
  EXPECT_EQ(example.check(right), "");
  example.options.null_model = NullModel::degree;
  EXPECT_NE(example.check(right), "");
  example.options.null_model = NullModel::kilosort;
  example.options.rounds = 1;
  EXPECT_NE(example.check(right), "");
}

TEST(CheckAssignment, AnswersThatAreKnown) {
  // Subset points 0 and 1 are spikes 0 and 3; each has three spikes, whose labels differ at first.
  AssignmentExample example;
  example.graph = {{{0}, {0}, {0}, {1}, {1}, {1}}, {0, 3}};
  example.first_labels = {2, 2, 4, 5, 4, 5};
  EXPECT_EQ(example.check({{0, 0, 0, 1, 1, 1}, {0, 1}}), "");
  EXPECT_NE(example.check({{1, 1, 1, 0, 0, 0}, {1, 0}}), "");  // numbered in another order
  EXPECT_NE(example.check({{0, 0, 0, 0, 0, 0}, {0, 0}}), "");
  example.options.rounds = 0;
  EXPECT_EQ(example.check({{0, 0, 1, 2, 1, 2}, {0, 2}}), "");
}

TEST(CheckAssignment, TiesGoToTheSmallestLabel) {
  // The subset point is tied to spikes 1 and 2, with equal gains for their labels, and to its own.
  AssignmentExample example;
  example.graph = {{{}, {0}, {0}}, {0}};
  example.first_labels = {2, 1, 0};
  EXPECT_EQ(example.check({{1, 0, 0}, {0}}), "");
  EXPECT_NE(example.check({{0, 1, 1}, {1}}), "");
}

TEST(CheckAssignment, ALabelThatNoSpikeHasIsDropped) {
  // Nothing is tied to subset point 0, which keeps the label that spike 0 gives up.
  AssignmentExample example;
  example.graph = {{{1}, {1}}, {0, 1}};
  example.first_labels = {7, 5};
  EXPECT_EQ(example.check({{0, 0}, {-1, 0}}), "");
  EXPECT_NE(example.check({{0, 0}, {1, 0}}), "");
  EXPECT_NE(example.check({{5, 5}, {7, 5}}), "");
}

TEST(CheckAssignment, RejectsOtherSizesAndEdgesToNothing) {
  AssignmentExample example = make_example(7, 40, 5, NullModel::kilosort, 0.2);
  AssignmentLabels found = example.find();
  found.right.pop_back();
  EXPECT_NE(example.check(found), "");
  found = example.find();
  found.left.push_back(0);
  EXPECT_NE(example.check(found), "");
  found = example.find();
  example.graph.neighbours[3][1] = 10;
  EXPECT_NE(example.check(found), "");
}

}  // namespace
}  // namespace kokkosort::test
