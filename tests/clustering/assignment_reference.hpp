#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "clustering/make_features.hpp"
#include "host_copies.hpp"
#include "kokkosort/clustering/assignment.hpp"

namespace kokkosort::test {

/// One section's neighbour graph in plain arrays.
struct PlainGraph {
  std::vector<std::vector<std::size_t>> neighbours;  // per spike, subset points
  std::vector<std::size_t> spike_of;                 // per subset point

  bool is_self(std::size_t spike, std::size_t j) const { return spike_of[j] == spike; }
  std::int64_t left_degree(std::size_t spike) const {
    return std::count_if(neighbours[spike].begin(), neighbours[spike].end(),
                         [&](std::size_t j) { return !is_self(spike, j); });
  }
  std::int64_t right_degree(std::size_t j) const {
    std::int64_t degree = 0;
    for (std::size_t i = 0; i < neighbours.size(); ++i)
      for (const std::size_t other : neighbours[i]) degree += other == j && !is_self(i, j) ? 1 : 0;
    return degree;
  }
  std::int64_t edges() const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < neighbours.size(); ++i) sum += left_degree(i);
    return sum;
  }
};

/// Labels of both sides.
struct PlainLabels {
  std::vector<std::int32_t> left;
  std::vector<std::int32_t> right;
  bool operator==(const PlainLabels&) const = default;
};

/// Edges inside clusters minus what the degree model expects, self-edges counted in the former only.
inline double degree_objective(const PlainGraph& graph, const PlainLabels& labels, double resolution) {
  const auto largest = *std::max_element(labels.left.begin(), labels.left.end());
  std::vector<double> of_left(static_cast<std::size_t>(largest) + 1, 0.0);
  std::vector<double> of_right = of_left;
  double inside = 0.0;
  for (std::size_t i = 0; i < labels.left.size(); ++i) {
    of_left[static_cast<std::size_t>(labels.left[i])] += static_cast<double>(graph.left_degree(i));
    for (const std::size_t j : graph.neighbours[i]) inside += labels.right[j] == labels.left[i] ? 1.0 : 0.0;
  }
  for (std::size_t j = 0; j < labels.right.size(); ++j)
    if (labels.right[j] >= 0)
      of_right[static_cast<std::size_t>(labels.right[j])] += static_cast<double>(graph.right_degree(j));
  double expected = 0.0;
  for (std::size_t c = 0; c < of_left.size(); ++c) expected += of_left[c] * of_right[c];
  const auto m = static_cast<double>(graph.edges());
  return m > 0.0 ? inside - resolution * expected / (2.0 * m) : inside;
}

/// The method with plain loops: rounds of a right and a left step, every node from the same state of the
/// other side.
class DirectAssignment {
 public:
  DirectAssignment(const PlainGraph& graph, std::vector<std::int32_t> labels,
                   const AssignmentOptions& options)
      : graph_(graph), options_(options), labels_{std::move(labels), {}} {
    for (const std::size_t spike : graph.spike_of) labels_.right.push_back(labels_.left[spike]);
    for (std::size_t i = 0; i < labels_.left.size(); ++i) left_degrees_.push_back(graph.left_degree(i));
    for (std::size_t j = 0; j < labels_.right.size(); ++j) right_degrees_.push_back(graph.right_degree(j));
    max_label_ = *std::max_element(labels_.left.begin(), labels_.left.end());
  }

  /// Nodes that had to choose among equals.
  int ties() const { return ties_; }

  PlainLabels run() {
    for (int round = 0; round < options_.rounds; ++round) {
      const PlainLabels before = labels_;
      move(labels_.left, left_degrees_, right_degrees_, labels_.right,
           [&](std::size_t spike, std::size_t j) { return linked(spike, j); });
      move(labels_.right, right_degrees_, left_degrees_, labels_.left,
           [&](std::size_t j, std::size_t spike) { return linked(spike, j); });
      if (labels_.left == before.left) break;
    }
    return renumbered();
  }

 private:
  bool linked(std::size_t spike, std::size_t j) const {
    const auto& list = graph_.neighbours[spike];
    return std::find(list.begin(), list.end(), j) != list.end();
  }

  /// Moves all nodes of one side; a label is open to a node that has it or is tied to it.
  template <class Linked>
  void move(const std::vector<std::int32_t>& other, const std::vector<std::int64_t>& other_degrees,
            const std::vector<std::int64_t>& degrees, std::vector<std::int32_t>& moving,
            const Linked& linked) {
    const bool by_degree = options_.null_model == NullModel::degree;
    const auto m = static_cast<double>(graph_.edges());
    const double scale = by_degree ? 2.0 * m : m;
    std::vector<double> weight(static_cast<std::size_t>(max_label_) + 1, 0.0);
    for (std::size_t o = 0; o < other.size(); ++o)
      weight[static_cast<std::size_t>(other[o])] += by_degree ? static_cast<double>(other_degrees[o]) : 1.0;
    for (std::size_t node = 0; node < moving.size(); ++node) {
      std::vector<double> edges(weight.size(), 0.0);
      for (std::size_t o = 0; o < other.size(); ++o)
        if (linked(o, node)) edges[static_cast<std::size_t>(other[o])] += 1.0;
      std::int32_t best = -1;
      double best_gain = 0.0;
      int equals = 0;
      for (std::int32_t c = 0; c <= max_label_; ++c) {
        const auto label = static_cast<std::size_t>(c);
        if (edges[label] == 0.0 && c != moving[node]) continue;
        const double gain =
            edges[label] * scale - options_.resolution * static_cast<double>(degrees[node]) * weight[label];
        if (best >= 0 && gain == best_gain) ++equals;
        if (best >= 0 && gain <= best_gain) continue;
        best = c;
        best_gain = gain;
        equals = 0;
      }
      ties_ += equals;
      moving[node] = best;
    }
  }

  PlainLabels renumbered() const {
    const std::set<std::int32_t> used(labels_.left.begin(), labels_.left.end());
    const auto number = [&](std::int32_t label) {
      const auto place = used.find(label);
      return place == used.end() ? -1 : static_cast<std::int32_t>(std::distance(used.begin(), place));
    };
    PlainLabels result = labels_;
    for (auto* side : {&result.left, &result.right})
      for (std::int32_t& label : *side) label = number(label);
    return result;
  }

  const PlainGraph& graph_;
  AssignmentOptions options_;
  PlainLabels labels_;
  std::vector<std::int64_t> left_degrees_;
  std::vector<std::int64_t> right_degrees_;
  std::int32_t max_label_ = 0;
  int ties_ = 0;
};

/// A batch with a graph and first labels.
template <class Exec>
struct AssignmentProblem {
  BatchProblem<Exec> problem;
  NeighbourGraph<Exec> graph;
  Seeding<Exec> seeding;

  AssignmentProblem(const SpikeFeatures& features, const ClusteringOptions& options)
      : problem(features, options) {
    graph = find_neighbours(problem.exec, problem.batch, options.neighbours, problem.ledger);
    seeding = seed_clusters(problem.exec, problem.batch, graph.norms, options.seeding, options.seed, problem.ledger);
    problem.exec.fence();
  }

  const SectionExtent& extent(std::size_t s) const { return problem.batch.extents[s]; }

  PlainGraph plain_graph(std::size_t s) const {
    const std::vector<std::int32_t> neighbours = to_host(graph.neighbours);
    PlainGraph plain;
    for (std::uint32_t j = 0; j < extent(s).n_subset; ++j)
      plain.spike_of.push_back(extent(s).spike_of_subset(j));
    plain.neighbours.resize(extent(s).n_spikes);
    for (std::size_t i = 0; i < plain.neighbours.size(); ++i)
      for (std::size_t k = 0; k < graph.neighbours.extent(0); ++k) {
        const std::int32_t j = neighbours[k * problem.batch.n_columns + extent(s).first_spike + i];
        if (j >= 0) plain.neighbours[i].push_back(static_cast<std::size_t>(j));
      }
    return plain;
  }

  std::vector<std::int32_t> first_labels(std::size_t s) const {
    const std::vector<std::uint32_t> labels = to_host(seeding.labels);
    const auto first = labels.begin() + extent(s).first_spike;
    return {first, first + extent(s).n_spikes};
  }

  Assignment<Exec> assign(const AssignmentOptions& options) {
    Assignment<Exec> assignment =
        assign_clusters(problem.exec, problem.batch, graph, seeding, options, problem.ledger);
    problem.exec.fence();
    return assignment;
  }

  PlainLabels labels(const Assignment<Exec>& assignment, std::size_t s) const {
    const auto left = to_host(assignment.left);
    const auto right = to_host(assignment.right);
    return {{left.begin() + extent(s).first_spike, left.begin() + extent(s).first_spike + extent(s).n_spikes},
            {right.begin() + extent(s).first_subset,
             right.begin() + extent(s).first_subset + extent(s).n_subset}};
  }
};

}  // namespace kokkosort::test
