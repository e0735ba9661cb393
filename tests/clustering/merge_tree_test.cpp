#include "kokkosort/clustering/merge_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

namespace kokkosort {
namespace {

HostMatrix<std::uint32_t> make_edges(std::size_t n) {
  return HostMatrix<std::uint32_t>("kokkosort::test::edges", n, n);
}

HostMatrix<std::uint32_t> random_edges(std::mt19937_64& random, std::size_t n, unsigned most,
                                       double share_of_zeros) {
  std::uniform_int_distribution<std::uint32_t> count(0, most);
  std::bernoulli_distribution zero(share_of_zeros);
  const auto edges = make_edges(n);
  for (std::size_t i = 0; i < edges.size(); ++i) edges.data()[i] = zero(random) ? 0 : count(random);
  return edges;
}

/// Looks at every pair before every join. A joined pair keeps the place of its smaller cluster.
MergeTree direct_tree(const HostMatrix<std::uint32_t>& edges) {
  const std::size_t n = edges.extent(0);
  std::vector<double> left(n, 0.0);
  std::vector<double> right(n, 0.0);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) {
      left[a] += edges(a, b);
      right[b] += edges(a, b);
    }
  const double m = std::accumulate(left.begin(), left.end(), 0.0);
  const auto expect = [&](std::size_t a, std::size_t b) {
    return 0.001 + (m > 0.0 ? left[a] * right[b] / m : 0.0);
  };
  std::vector<std::vector<double>> found(n, std::vector<double>(n));
  std::vector<std::vector<double>> expected = found;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) {
      found[a][b] = double{1} * edges(a, b) + edges(b, a);
      expected[a][b] = expect(a, b) + expect(b, a);
    }

  MergeTree tree;
  tree.n_leaves = static_cast<int>(n);
  std::vector<std::int32_t> node(n);
  std::iota(node.begin(), node.end(), 0);
  std::vector<bool> active(n, true);
  for (std::size_t step = 0; step + 1 < n; ++step) {
    std::size_t first = n;
    std::size_t second = n;
    double largest = -1.0;
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = a + 1; b < n; ++b)
        if (active[a] && active[b] && found[a][b] / expected[a][b] > largest) {
          largest = found[a][b] / expected[a][b];
          first = a;
          second = b;
        }
    tree.joins.push_back({std::min(node[first], node[second]), std::max(node[first], node[second]), largest});
    for (auto* table : {&found, &expected})
      for (std::size_t c = 0; c < n; ++c) {
        (*table)[first][c] += (*table)[second][c];
        (*table)[c][first] = (*table)[first][c];
      }
    active[second] = false;
    node[first] = static_cast<std::int32_t>(n + step);
  }
  return tree;
}

/// Leaves below each node.
std::vector<std::set<std::int32_t>> leaves_of(const MergeTree& tree) {
  std::vector<std::set<std::int32_t>> leaves;
  for (std::int32_t leaf = 0; leaf < tree.n_leaves; ++leaf) leaves.push_back({leaf});
  for (const Join& join : tree.joins) {
    auto both = leaves[static_cast<std::size_t>(join.left)];
    const auto& other = leaves[static_cast<std::size_t>(join.right)];
    both.insert(other.begin(), other.end());
    leaves.push_back(both);
  }
  return leaves;
}

void expect_same(const MergeTree& found, const MergeTree& expected) {
  ASSERT_EQ(found.n_leaves, expected.n_leaves);
  ASSERT_EQ(found.joins.size(), expected.joins.size());
  for (std::size_t j = 0; j < found.joins.size(); ++j) {
    ASSERT_EQ(found.joins[j].left, expected.joins[j].left) << "join " << j;
    ASSERT_EQ(found.joins[j].right, expected.joins[j].right) << "join " << j;
    ASSERT_EQ(found.joins[j].ratio, expected.joins[j].ratio) << "join " << j;
  }
}

TEST(MergeTree, AsComputedDirectly) {
  std::mt19937_64 random(71);
  for (const std::size_t n : {0u, 1u, 2u, 3u, 10u, 37u, 60u})
    for (const auto& [most, zeros] : {std::pair{1000u, 0.0}, {1000u, 0.9}, {2u, 0.5}, {1u, 0.0}, {5u, 1.0}}) {
      SCOPED_TRACE(std::to_string(n) + " clusters, counts to " + std::to_string(most) + ", zeros " +
                   std::to_string(zeros));
      const auto edges = random_edges(random, n, most, zeros);
      expect_same(build_merge_tree(edges), direct_tree(edges));
    }
}

TEST(MergeTree, TwoHundredClusters) {
  std::mt19937_64 random(72);
  for (const double zeros : {0.0, 0.95}) {
    const auto edges = random_edges(random, 200, 3, zeros);
    expect_same(build_merge_tree(edges), direct_tree(edges));
  }
}

/// The ratio of every join from the leaves on its two sides, by the definition.
TEST(MergeTree, RatiosAreEdgesOverExpectedEdges) {
  std::mt19937_64 random(73);
  const std::size_t n = 50;
  const auto edges = random_edges(random, n, 100, 0.6);
  const MergeTree tree = build_merge_tree(edges);
  const auto leaves = leaves_of(tree);
  const auto sum = [&](const std::set<std::int32_t>& from, const std::set<std::int32_t>& to) {
    double total = 0.0;
    for (const std::int32_t a : from)
      for (const std::int32_t b : to) total += edges(a, b);
    return total;
  };
  std::set<std::int32_t> all;
  for (std::int32_t leaf = 0; leaf < static_cast<std::int32_t>(n); ++leaf) all.insert(leaf);
  for (const Join& join : tree.joins) {
    const auto& a = leaves[static_cast<std::size_t>(join.left)];
    const auto& b = leaves[static_cast<std::size_t>(join.right)];
    const double products = sum(a, all) * sum(all, b) + sum(b, all) * sum(all, a);
    const double expected = 0.002 * static_cast<double>(a.size() * b.size()) + products / sum(all, all);
    EXPECT_NEAR(join.ratio, (sum(a, b) + sum(b, a)) / expected, 1e-12 * join.ratio);
  }
}

TEST(MergeTree, TiesGoToTheSmallerPair) {
  const auto edges = make_edges(4);
  Kokkos::deep_copy(edges, 1u);
  const MergeTree tree = build_merge_tree(edges);
  EXPECT_EQ(tree.joins[0].left, 0);
  EXPECT_EQ(tree.joins[0].right, 1);
  const auto pairs = make_edges(4);  // {0, 3} and {1, 2} as strongly connected
  pairs(0, 3) = pairs(3, 0) = pairs(1, 2) = pairs(2, 1) = 5;
  const MergeTree of_pairs = build_merge_tree(pairs);
  EXPECT_EQ(of_pairs.joins[0].left, 0);
  EXPECT_EQ(of_pairs.joins[0].right, 3);
  EXPECT_EQ(of_pairs.joins[1].left, 1);
  EXPECT_EQ(of_pairs.joins[1].right, 2);
  EXPECT_EQ(of_pairs.joins[2].left, 4);
  EXPECT_EQ(of_pairs.joins[2].right, 5);
  EXPECT_EQ(of_pairs.joins[2].ratio, 0.0);
}

TEST(MergeTree, LeafOrderMakesEveryNodeARange) {
  std::mt19937_64 random(74);
  for (const std::size_t n : {0u, 1u, 2u, 17u, 200u}) {
    const MergeTree tree = build_merge_tree(random_edges(random, n, 20, 0.7));
    const std::vector<std::int32_t> order = leaf_order(tree);
    ASSERT_EQ(order.size(), n);
    ASSERT_EQ(std::set<std::int32_t>(order.begin(), order.end()).size(), n);
    std::vector<std::size_t> place(n);
    for (std::size_t p = 0; p < n; ++p) place[static_cast<std::size_t>(order[p])] = p;
    const auto leaves = leaves_of(tree);
    const auto first_place = [&](std::int32_t node) {
      std::size_t first = n;
      for (const std::int32_t leaf : leaves[static_cast<std::size_t>(node)])
        first = std::min(first, place[static_cast<std::size_t>(leaf)]);
      return first;
    };
    for (std::size_t j = 0; j < tree.joins.size(); ++j) {
      const auto& below = leaves[n + j];
      std::set<std::size_t> places;
      for (const std::int32_t leaf : below) places.insert(place[static_cast<std::size_t>(leaf)]);
      ASSERT_EQ(*places.rbegin() - *places.begin() + 1, below.size())
          << "join " << j << " of " << n << " leaves";
      ASSERT_LT(first_place(tree.joins[j].left), first_place(tree.joins[j].right)) << "left comes first";
    }
  }
}

}  // namespace
}  // namespace kokkosort
