#include "sweep/reference/check_assignment.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kokkosort {
namespace {

/// The nodes of one side.
struct Side {
  std::vector<std::vector<std::size_t>> edges;  // [nodes], nodes of the other side
  std::vector<double> degree;                   // [nodes], edges without a spike's to its own copy
  std::vector<std::int32_t> label;              // [nodes]
};

class AssignmentReplay {
 public:
  AssignmentReplay(const AssignmentGraph& graph, const std::vector<std::int32_t>& first_labels,
                   const AssignmentOptions& options)
      : options_(options) {
    left_.label = first_labels;
    for (const std::uint32_t spike : graph.spike_of) right_.label.push_back(first_labels[spike]);
    for (Side* side : {&left_, &right_}) {
      side->edges.resize(side->label.size());
      side->degree.assign(side->label.size(), 0.0);
    }
    for (std::size_t spike = 0; spike < graph.neighbours.size(); ++spike)
      for (const std::int32_t j : graph.neighbours[spike]) add_edge(graph, spike, static_cast<std::size_t>(j));
    n_labels_ = static_cast<std::size_t>(*std::max_element(first_labels.begin(), first_labels.end())) + 1;
    edges_into_.assign(n_labels_, 0.0);
  }

  AssignmentLabels run() {
    for (int round = 0; round < options_.rounds; ++round) {
      move(right_, left_);
      if (!move(left_, right_)) break;
    }
    return renumbered();
  }

 private:
  void add_edge(const AssignmentGraph& graph, std::size_t spike, std::size_t j) {
    left_.edges[spike].push_back(j);
    right_.edges[j].push_back(spike);
    if (graph.spike_of[j] == spike) return;
    left_.degree[spike] += 1.0;
    right_.degree[j] += 1.0;
    n_edges_ += 1.0;
  }

  /// K_c: degrees, or numbers, of a side's nodes by label.
  std::vector<double> cluster_weights(const Side& side) const {
    std::vector<double> weight(n_labels_, 0.0);
    for (std::size_t node = 0; node < side.label.size(); ++node)
      weight[static_cast<std::size_t>(side.label[node])] +=
          options_.null_model == NullModel::degree ? side.degree[node] : 1.0;
    return weight;
  }

  /// Moves all nodes of one side at once. @return whether any moved
  bool move(Side& side, const Side& other) {
    const std::vector<double> weight = cluster_weights(other);
    bool moved = false;
    for (std::size_t node = 0; node < side.label.size(); ++node) {
      const std::int32_t best = best_label(side, node, other, weight);
      moved = moved || best != side.label[node];
      side.label[node] = best;
    }
    return moved;
  }

  /// The label of the largest gain among a node's own and those of the nodes it is tied to, ties to the smallest.
  std::int32_t best_label(const Side& side, std::size_t node, const Side& other, const std::vector<double>& weight) {
    const double scale = options_.null_model == NullModel::degree ? 2.0 * n_edges_ : n_edges_;
    const auto gain = [&](std::int32_t label) {
      const auto c = static_cast<std::size_t>(label);
      return edges_into_[c] * scale - options_.resolution * (side.degree[node] * weight[c]);
    };
    for (const std::size_t o : side.edges[node]) edges_into_[static_cast<std::size_t>(other.label[o])] += 1.0;
    std::int32_t best = side.label[node];
    double largest = gain(best);
    for (const std::size_t o : side.edges[node]) {
      const std::int32_t label = other.label[o];
      const double value = gain(label);
      if (value < largest || (value == largest && label >= best)) continue;
      best = label;
      largest = value;
    }
    for (const std::size_t o : side.edges[node]) edges_into_[static_cast<std::size_t>(other.label[o])] = 0.0;
    return best;
  }

  /// The labels that spikes have, numbered from 0 in their order.
  AssignmentLabels renumbered() const {
    std::vector<std::int32_t> number(n_labels_, -1);
    for (const std::int32_t label : left_.label) number[static_cast<std::size_t>(label)] = 0;
    std::int32_t used = 0;
    for (std::int32_t& n : number)
      if (n == 0) n = used++;
    AssignmentLabels labels;
    for (const std::int32_t label : left_.label) labels.left.push_back(number[static_cast<std::size_t>(label)]);
    for (const std::int32_t label : right_.label) labels.right.push_back(number[static_cast<std::size_t>(label)]);
    return labels;
  }

  AssignmentOptions options_;
  Side left_;   // spikes
  Side right_;  // subset points
  double n_edges_ = 0.0;
  std::size_t n_labels_ = 0;
  std::vector<double> edges_into_;  // [labels], of the node at hand
};

std::string compare(const char* what, const std::vector<std::int32_t>& found,
                    const std::vector<std::int32_t>& replayed) {
  if (found.size() != replayed.size())
    return fmt::format("there are labels of {} {}s, not {}", found.size(), what, replayed.size());
  const auto [first, expected] = std::mismatch(found.begin(), found.end(), replayed.begin());
  if (first == found.end()) return {};
  return fmt::format("{} {} has label {}, not {}", what, first - found.begin(), *first, *expected);
}

std::string check_graph(const AssignmentGraph& graph) {
  for (std::size_t spike = 0; spike < graph.neighbours.size(); ++spike)
    for (const std::int32_t j : graph.neighbours[spike])
      if (j < 0 || static_cast<std::size_t>(j) >= graph.spike_of.size())
        return fmt::format("spike {} is tied to subset point {} of {}", spike, j, graph.spike_of.size());
  return {};
}

}  // namespace

std::string check_assignment(const AssignmentGraph& graph, const std::vector<std::int32_t>& first_labels,
                             const AssignmentOptions& options, const AssignmentLabels& found) {
  if (const std::string wrong = check_graph(graph); !wrong.empty()) return wrong;
  const AssignmentLabels expected = AssignmentReplay(graph, first_labels, options).run();
  const std::string wrong = compare("spike", found.left, expected.left);
  return wrong.empty() ? compare("subset point", found.right, expected.right) : wrong;
}

}  // namespace kokkosort
