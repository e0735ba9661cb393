#include "kokkosort/clustering/merge_tree.hpp"

#include <utility>
#include <vector>

namespace kokkosort {
namespace {

/// Connections between the clusters that are left, with each row's best partner kept so that a join costs one pass.
class ConnectionTable {
 public:
  explicit ConnectionTable(const HostMatrix<std::uint32_t>& edges)
      : n_(edges.extent(0)), found_(n_ * n_), expected_(n_ * n_), best_(n_, 0), active_(n_, true) {
    const std::vector<double> left = sums(edges, 0);
    const std::vector<double> right = sums(edges, 1);
    double m = 0.0;
    for (const double k : left) m += k;
    const auto expect = [&](std::size_t a, std::size_t b) {
      return small_count + (m > 0.0 ? left[a] * right[b] / m : 0.0);
    };
    for (std::size_t a = 0; a < n_; ++a)
      for (std::size_t b = 0; b < n_; ++b) {
        found_[a * n_ + b] = static_cast<double>(edges(a, b)) + static_cast<double>(edges(b, a));
        expected_[a * n_ + b] = expect(a, b) + expect(b, a);
      }
    for (std::size_t a = 0; a < n_; ++a) find_best(a);
  }

  double ratio(std::size_t a, std::size_t b) const { return found_[a * n_ + b] / expected_[a * n_ + b]; }

  /// The pair with the largest ratio, ties to the smaller rows.
  std::pair<std::size_t, std::size_t> largest() const {
    std::size_t row = n_;
    for (std::size_t a = 0; a < n_; ++a)
      if (active_[a] && best_[a] < n_ && (row == n_ || ratio(a, best_[a]) > ratio(row, best_[row]))) row = a;
    return {row, best_[row]};
  }

  /// Adds row and column b to those of a, and takes b out.
  void join(std::size_t a, std::size_t b) {
    active_[b] = false;
    for (auto* table : {&found_, &expected_})
      for (std::size_t c = 0; c < n_; ++c) {
        (*table)[a * n_ + c] += (*table)[b * n_ + c];
        (*table)[c * n_ + a] = (*table)[a * n_ + c];
      }
    find_best(a);
    for (std::size_t c = 0; c < n_; ++c) {
      if (!active_[c] || c == a) continue;
      if (best_[c] == a || best_[c] == b)
        find_best(c);
      else if (ratio(c, a) > ratio(c, best_[c]) || (ratio(c, a) == ratio(c, best_[c]) && a < best_[c]))
        best_[c] = a;
    }
  }

 private:
  static constexpr double small_count = 0.001;  // keeps ratios finite

  static std::vector<double> sums(const HostMatrix<std::uint32_t>& edges, int axis) {
    std::vector<double> total(edges.extent(0), 0.0);
    for (std::size_t a = 0; a < edges.extent(0); ++a)
      for (std::size_t b = 0; b < edges.extent(1); ++b) total[axis == 0 ? a : b] += static_cast<double>(edges(a, b));
    return total;
  }

  void find_best(std::size_t a) {
    best_[a] = n_;
    for (std::size_t b = 0; b < n_; ++b)
      if (active_[b] && b != a && (best_[a] == n_ || ratio(a, b) > ratio(a, best_[a]))) best_[a] = b;
  }

  std::size_t n_;
  std::vector<double> found_;     // [n, n], edges both ways
  std::vector<double> expected_;  // [n, n]
  std::vector<std::size_t> best_; // [n], partner of the largest ratio; n where none is left
  std::vector<bool> active_;
};

}  // namespace

MergeTree build_merge_tree(const HostMatrix<std::uint32_t>& edges) {
  const std::size_t n = edges.extent(0);
  MergeTree tree;
  tree.n_leaves = static_cast<int>(n);
  ConnectionTable table(edges);
  std::vector<std::int32_t> node_of_row(n);
  for (std::size_t row = 0; row < n; ++row) node_of_row[row] = static_cast<std::int32_t>(row);
  for (std::size_t step = 0; step + 1 < n; ++step) {
    const auto [a, b] = table.largest();
    const auto [left, right] = std::minmax(node_of_row[a], node_of_row[b]);
    tree.joins.push_back({left, right, table.ratio(a, b)});
    node_of_row[a] = static_cast<std::int32_t>(n + step);
    table.join(a, b);
  }
  return tree;
}

std::vector<std::int32_t> leaf_order(const MergeTree& tree) {
  std::vector<std::int32_t> order;
  if (tree.n_leaves == 0) return order;
  std::vector<std::int32_t> pending{tree.n_leaves + static_cast<std::int32_t>(tree.joins.size()) - 1};
  while (!pending.empty()) {
    const std::int32_t node = pending.back();
    pending.pop_back();
    if (node < tree.n_leaves) {
      order.push_back(node);
      continue;
    }
    const Join& join = tree.joins[static_cast<std::size_t>(node - tree.n_leaves)];
    pending.push_back(join.right);
    pending.push_back(join.left);
  }
  return order;
}

}  // namespace kokkosort
