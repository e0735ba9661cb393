#include "kokkosort/clustering/splits.hpp"

#include <algorithm>

#include "core/instantiate.hpp"

namespace kokkosort {
namespace {

/// A node that is yet to be decided.
struct PendingNode {
  std::uint32_t section;
  std::int32_t node;
  std::uint32_t first;  // leaf of the batch
};

/// Leaves below each node of a tree.
std::vector<std::uint32_t> leaves_below(const MergeTree& tree) {
  std::vector<std::uint32_t> count(static_cast<std::size_t>(tree.n_leaves), 1);
  for (const Join& join : tree.joins)
    count.push_back(count[static_cast<std::size_t>(join.left)] + count[static_cast<std::size_t>(join.right)]);
  return count;
}

/// Walks all trees of a batch together; the tests that need the device are collected level by level.
template <class Exec>
class SplitWalk {
 public:
  SplitWalk(const LeafTable<Exec>& leaves, const LeafCorrelograms* correlograms, const SplitOptions& options,
            std::vector<MergeTree>& trees)
      : leaves_(leaves), correlograms_(correlograms), options_(options), trees_(trees), clusters_(trees.size()) {
    for (std::uint32_t s = 0; s < trees.size(); ++s) {
      below_.push_back(leaves_below(trees[s]));
      visit({s, static_cast<std::int32_t>(below_[s].size()) - 1, leaves.first_leaf[s]});
    }
  }

  /// Nodes that wait for their projections.
  std::vector<NodeSides> to_test() const {
    std::vector<NodeSides> sides;
    for (const PendingNode& pending : to_test_) sides.push_back(sides_of(pending));
    return sides;
  }

  void take_histograms(const HostMatrix<std::uint32_t>& histograms) {
    const std::vector<PendingNode> tested = std::move(to_test_);
    to_test_.clear();
    for (std::size_t i = 0; i < tested.size(); ++i) {
      Join& join = join_of(tested[i]);
      join.score = bimodality_score(&histograms(i, 0));
      join.verdict = join.score >= options_.min_bimodality ? Verdict::split_trough : Verdict::joined_trough;
      follow(tested[i]);
    }
  }

  std::vector<std::vector<LeafRange>> clusters() {
    for (auto& ranges : clusters_)
      std::sort(ranges.begin(), ranges.end(), [](const LeafRange& a, const LeafRange& b) { return a.first < b.first; });
    return clusters_;
  }

 private:
  Join& join_of(const PendingNode& pending) const {
    MergeTree& tree = trees_[pending.section];
    return tree.joins[static_cast<std::size_t>(pending.node - tree.n_leaves)];
  }

  std::uint32_t below(std::uint32_t section, std::int32_t node) const {
    return below_[section][static_cast<std::size_t>(node)];
  }

  NodeSides sides_of(const PendingNode& pending) const {
    const std::uint32_t middle = pending.first + below(pending.section, join_of(pending).left);
    return {pending.section, pending.first, middle, pending.first + below(pending.section, pending.node)};
  }

  void visit(const PendingNode& pending) {
    if (pending.node < trees_[pending.section].n_leaves) {
      clusters_[pending.section].push_back({pending.first, pending.first + 1});
      return;
    }
    Join& join = join_of(pending);
    if (join.ratio < options_.min_ratio)
      join.verdict = Verdict::split_ratio;
    else if (refractory(pending))
      join.verdict = Verdict::joined_times;
    else
      return to_test_.push_back(pending);
    follow(pending);
  }

  void follow(const PendingNode& pending) {
    const Join& join = join_of(pending);
    const NodeSides sides = sides_of(pending);
    if (join.verdict == Verdict::joined_times || join.verdict == Verdict::joined_trough) {
      clusters_[pending.section].push_back({sides.first, sides.last});
      return;
    }
    visit({pending.section, join.left, sides.first});
    visit({pending.section, join.right, sides.middle});
  }

  bool refractory(const PendingNode& pending) const {
    if (correlograms_ == nullptr) return false;
    const NodeSides sides = sides_of(pending);
    const auto begin = leaves_.first_sample.begin();
    const auto end = leaves_.last_sample.begin();
    if (*std::min_element(begin + sides.first, begin + sides.last) ==
        *std::max_element(end + sides.first, end + sides.last))
      return false;  // all at one instant
    const std::uint32_t section_start = leaves_.first_leaf[pending.section];
    const RefractoryScores scores = refractory_scores(correlograms_->between(
        pending.section, sides.first - section_start, sides.middle - section_start, sides.last - section_start));
    return scores.ratio < options_.max_refractory_ratio && scores.probability < options_.max_refractory_probability;
  }

  const LeafTable<Exec>& leaves_;
  const LeafCorrelograms* correlograms_;
  const SplitOptions& options_;
  std::vector<MergeTree>& trees_;
  std::vector<std::vector<std::uint32_t>> below_;  // per section, leaves below each node
  std::vector<PendingNode> to_test_;
  std::vector<std::vector<LeafRange>> clusters_;
};

}  // namespace

template <class Exec>
std::vector<std::vector<LeafRange>> decide_splits(const Exec& exec, const SectionBatch<Exec>& batch,
                                                  const LeafTable<Exec>& leaves, const LeafGrams<Exec>& grams,
                                                  const LeafCorrelograms* correlograms, const SplitOptions& options,
                                                  std::vector<MergeTree>& trees, TransferLedger& ledger) {
  SplitWalk<Exec> walk(leaves, correlograms, options, trees);
  for (std::vector<NodeSides> nodes = walk.to_test(); !nodes.empty(); nodes = walk.to_test())
    walk.take_histograms(project_nodes(exec, batch, leaves, grams, nodes, ledger));
  return walk.clusters();
}

#define INSTANTIATE(Exec)                                                                                          \
  template std::vector<std::vector<LeafRange>> decide_splits(                                                      \
      const Exec&, const SectionBatch<Exec>&, const LeafTable<Exec>&, const LeafGrams<Exec>&, const LeafCorrelograms*, \
      const SplitOptions&, std::vector<MergeTree>&, TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
