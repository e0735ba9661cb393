#include "sweep/reference/check_neighbours.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

namespace kokkosort::test {
namespace {

using Neighbours = std::vector<std::vector<std::int32_t>>;

float float_distance(const std::vector<double>& x, const std::vector<double>& y) {
  float sum = 0.0f;
  for (std::size_t f = 0; f < x.size(); ++f) {
    const float difference = static_cast<float>(x[f]) - static_cast<float>(y[f]);
    sum += difference * difference;
  }
  return sum;
}

/// All distances in f32, sorted.
Neighbours float_neighbours(const Points& points, const std::vector<std::uint32_t>& subset, std::size_t wanted) {
  Neighbours found;
  for (const auto& x : points) {
    std::vector<std::int32_t> order(subset.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      return float_distance(x, points[subset[static_cast<std::size_t>(a)]]) <
             float_distance(x, points[subset[static_cast<std::size_t>(b)]]);
    });
    order.resize(wanted, -1);
    found.push_back(std::move(order));
  }
  return found;
}

constexpr int wanted = 5;

struct NeighbourExample {
  Points points;
  std::vector<std::uint32_t> subset;
  Neighbours found;

  std::string check() const { return check_neighbours(points, subset, wanted, found); }
};

/// @param values  whole numbers below it; 0: Gaussian
NeighbourExample make_example(std::uint64_t seed, unsigned values, std::size_t n = 120, std::uint32_t stride = 4) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(1.0, 3.0);
  NeighbourExample example;
  example.points.assign(n, std::vector<double>(7));
  for (auto& x : example.points)
    for (double& value : x)
      value = values > 0 ? static_cast<double>(random() % values) : double{static_cast<float>(normal(random))};
  for (std::uint32_t i = 0; i < n; i += stride) example.subset.push_back(i);
  example.found = float_neighbours(example.points, example.subset, wanted);
  return example;
}

TEST(CheckNeighbours, AcceptsWhatF32Finds) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    for (const unsigned values : {0u, 2u, 9u}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", values " + std::to_string(values));
      EXPECT_EQ(make_example(seed, values).check(), "");
    }
}

TEST(CheckNeighbours, RejectsTwoThatAreSwapped) {
  for (const unsigned values : {0u, 2u}) {  // 2: most of them are equally far
    const NeighbourExample right = make_example(6, values);
    for (std::size_t i = 0; i < right.points.size(); ++i)
      for (std::size_t k = 0; k + 1 < wanted; ++k) {
        NeighbourExample wrong = right;
        std::swap(wrong.found[i][k], wrong.found[i][k + 1]);
        EXPECT_NE(wrong.check(), "") << "spike " << i << ", neighbour " << k;
      }
  }
}

TEST(CheckNeighbours, RejectsTheNextInPlaceOfTheLast) {
  for (const unsigned values : {0u, 2u}) {
    const NeighbourExample right = make_example(7, values);
    const Neighbours longer = float_neighbours(right.points, right.subset, wanted + 1);
    for (std::size_t i = 0; i < right.points.size(); ++i) {
      NeighbourExample wrong = right;
      wrong.found[i].back() = longer[i].back();
      EXPECT_NE(wrong.check(), "") << "spike " << i;
    }
  }
}

TEST(CheckNeighbours, RejectsOneThatIsThereTwice) {
  NeighbourExample wrong = make_example(8, 0);
  wrong.found[20][3] = wrong.found[20][2];
  EXPECT_NE(wrong.check(), "");
  wrong = make_example(8, 1);  // all equally far
  wrong.found[20] = {0, 0, 1, 2, 3};
  EXPECT_NE(wrong.check(), "");
}

TEST(CheckNeighbours, RejectsNoneWhereThereAreMore) {
  NeighbourExample wrong = make_example(9, 0);
  wrong.found[119][4] = -1;
  EXPECT_NE(wrong.check(), "");
  wrong.found[119][4] = 30;
  EXPECT_NE(wrong.check(), "");
}

TEST(CheckNeighbours, AcceptsNoneOnlyWhereTheSubsetEnds) {
  NeighbourExample example = make_example(10, 0, 20, 7);
  ASSERT_EQ(example.subset.size(), 3u);
  EXPECT_EQ(example.found[0][3], -1);
  EXPECT_EQ(example.check(), "");
  example.found[0][3] = 0;
  EXPECT_NE(example.check(), "");
}

TEST(CheckNeighbours, EqualWithinRoundingGoEitherWay) {
  const double third = 1.0f / 3.0f;
  const double close = third * (1.0 + 0x1p-23);  // squares differ by less than an f32 may
  NeighbourExample example{{{0.0}, {third}, {close}}, {1, 2}, Neighbours(3, std::vector<std::int32_t>(wanted, -1))};
  for (auto& list : example.found) list[0] = 0, list[1] = 1;
  std::swap(example.found[2][0], example.found[2][1]);
  EXPECT_EQ(example.check(), "");
  std::swap(example.found[0][0], example.found[0][1]);
  EXPECT_EQ(example.check(), "");
  std::swap(example.found[1][0], example.found[1][1]);
  EXPECT_NE(example.check(), "");
}

TEST(CheckNeighbours, RejectsListsOfAnotherShape) {
  NeighbourExample wrong = make_example(11, 0);
  wrong.found[5].pop_back();
  EXPECT_NE(wrong.check(), "");
  wrong = make_example(11, 0);
  wrong.found.pop_back();
  EXPECT_NE(wrong.check(), "");
}

}  // namespace
}  // namespace kokkosort::test
