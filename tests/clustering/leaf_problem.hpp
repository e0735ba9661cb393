#pragma once

#include <cstdint>
#include <vector>

#include "clustering/make_features.hpp"
#include "host_copies.hpp"
#include "kokkosort/clustering/leaf_grams.hpp"
#include "kokkosort/clustering/leaves.hpp"
#include "kokkosort/clustering/merge_tree.hpp"

namespace kokkosort::test {

/// A tree in which leaf 1 joins leaf 0, leaf 2 the two, and so on: leaves stand in the order of their
/// numbers.
inline MergeTree chain_tree(int n_leaves, double ratio = 1.0) {
  MergeTree tree;
  tree.n_leaves = n_leaves;
  for (int leaf = 1; leaf < n_leaves; ++leaf)
    tree.joins.push_back({leaf == 1 ? 0 : n_leaves + leaf - 2, leaf, ratio});
  return tree;
}

/// A tree of whatever shape: pairs of nodes drawn at random.
inline MergeTree random_tree(std::mt19937_64& random, int n_leaves) {
  MergeTree tree;
  tree.n_leaves = n_leaves;
  std::vector<std::int32_t> open(static_cast<std::size_t>(n_leaves));
  std::iota(open.begin(), open.end(), 0);
  while (open.size() > 1) {
    std::shuffle(open.begin(), open.end(), random);
    const std::int32_t a = open.back();
    open.pop_back();
    tree.joins.push_back({std::min(a, open.back()), std::max(a, open.back()), 1.0});
    open.back() = n_leaves + static_cast<std::int32_t>(tree.joins.size()) - 1;
  }
  return tree;
}

/// Sections whose spikes are given to the leaves of given trees, embedded in the order of the leaves.
template <class Exec>
struct LeafProblem {
  BatchProblem<Exec> problem;
  std::vector<MergeTree> trees;
  std::vector<std::vector<std::int32_t>> labels;  // [sections][spikes]
  LeafTable<Exec> leaves;
  LeafGrams<Exec> grams;

  LeafProblem(const SpikeFeatures& features, std::vector<MergeTree> section_trees,
              std::vector<std::vector<std::int32_t>> section_labels, std::size_t first, std::size_t last)
      : problem(features, {}, first, last),
        trees(std::move(section_trees)),
        labels(std::move(section_labels)) {
    std::vector<std::int32_t> all(problem.batch.n_columns, 0);
    for (std::size_t s = 0; s < labels.size(); ++s)
      std::copy(labels[s].begin(), labels[s].end(), all.begin() + problem.batch.extents[s].first_spike);
    const HostVector<std::int32_t> on_host("kokkosort::test::labels", all.size());
    std::copy(all.begin(), all.end(), on_host.data());
    leaves = make_leaf_table(problem.exec, problem.batch, std::span<const Section>(problem.in_batch), trees,
                             problem.spikes, to_device<Exec>(all), on_host, problem.ledger);
    embed_points(problem.exec, problem.batch, order_by_leaf(problem.exec, problem.batch, leaves));
    grams = compute_leaf_grams(problem.exec, problem.batch, leaves, {}, problem.ledger);
    problem.exec.fence();
  }
  LeafProblem(const SpikeFeatures& features, const std::vector<MergeTree>& section_trees,
              const std::vector<std::vector<std::int32_t>>& section_labels)
      : LeafProblem(features, section_trees, section_labels, 0, section_trees.size()) {}

  /// The spikes of leaves [first, last) of the batch, by place in their section, in order of time.
  std::vector<std::size_t> spikes_of(std::size_t section, std::uint32_t first, std::uint32_t last) const {
    const std::vector<std::int32_t> order = leaf_order(trees[section]);
    std::vector<std::size_t> spikes;
    for (std::size_t i = 0; i < labels[section].size(); ++i)
      for (std::uint32_t leaf = first; leaf < last; ++leaf)
        if (order[leaf - leaves.first_leaf[section]] == labels[section][i]) spikes.push_back(i);
    return spikes;
  }

  /// Their times.
  std::vector<std::int64_t> times_of(std::size_t section, std::uint32_t first, std::uint32_t last) const {
    std::vector<std::int64_t> times;
    for (const std::size_t i : spikes_of(section, first, last))
      times.push_back(problem.spikes.sample(static_cast<std::size_t>(problem.in_batch[section].spikes[i])));
    return times;
  }
};

}  // namespace kokkosort::test
