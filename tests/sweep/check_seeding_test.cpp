#include "sweep/reference/check_seeding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "clustering/seeding_reference.hpp"
#include "kokkosort/random.hpp"

namespace kokkosort::test {
namespace {

constexpr std::uint32_t key = 3;

/// How FloatSeeding differs from the method, or not.
struct Variant {
  bool backwards = false;  // sums over features: as right, but rounded otherwise
  int worst_at = -1;       // a step that takes the worst of the candidates
};

/// Greedy k-means++ with plain loops in f32, Σδ in 64-bit fixed point.
class FloatSeeding {
 public:
  FloatSeeding(const Points& points, std::uint64_t seed, const Variant& variant)
      : points_(points), seed_(seed), variant_(variant) {
    for (const auto& x : points) delta_.push_back(distance(x, std::vector<double>(x.size(), 0.0)));
    const double largest = *std::max_element(delta_.begin(), delta_.end());
    shift_ = static_cast<int>(std::floor(61.0 - std::log2(largest) - std::log2(static_cast<double>(points.size()))));
  }

  FoundSeeding run(std::uint32_t wanted, int trials) {
    FoundSeeding found;
    found.labels.assign(points_.size(), 0);
    for (std::uint32_t step = 0; step < wanted && sum(delta_) > 0; ++step) {
      const std::uint32_t best = pick(step, trials);
      found.seeds.push_back(best);
      const std::vector<float> lowered = lower(best);
      for (std::size_t i = 0; i < points_.size(); ++i)
        if (lowered[i] < delta_[i]) found.labels[i] = step;
      delta_ = lowered;
    }
    return found;
  }

 private:
  float distance(const std::vector<double>& x, const std::vector<double>& y) const {
    float total = 0.0f;
    for (std::size_t n = 0; n < x.size(); ++n) {
      const std::size_t f = variant_.backwards ? x.size() - 1 - n : n;
      const float difference = static_cast<float>(x[f]) - static_cast<float>(y[f]);
      total += difference * difference;
    }
    return total;
  }

  std::int64_t fixed(float value) const { return static_cast<std::int64_t>(std::ldexp(double{value}, shift_)); }

  std::int64_t sum(const std::vector<float>& delta) const {
    std::int64_t total = 0;
    for (const float value : delta) total += fixed(value);
    return total;
  }

  std::vector<float> lower(std::uint32_t candidate) const {
    std::vector<float> delta;
    for (std::size_t i = 0; i < points_.size(); ++i)
      delta.push_back(std::min(delta_[i], distance(points_[i], points_[candidate])));
    return delta;
  }

  std::uint32_t draw(std::uint32_t step, int trial) const {
    const double unit = random_unit(seed_, key, step, static_cast<std::uint32_t>(trial));
    auto place = static_cast<std::int64_t>(unit * static_cast<double>(sum(delta_)));
    std::uint32_t point = 0;
    while (place >= fixed(delta_[point])) place -= fixed(delta_[point++]);
    return point;
  }

  std::uint32_t pick(std::uint32_t step, int trials) const {
    const bool worst = variant_.worst_at == static_cast<int>(step);
    std::uint32_t best = 0;
    std::int64_t least = 0;
    for (int t = 0; t < trials; ++t) {
      const std::uint32_t candidate = draw(step, t);
      const std::int64_t left = sum(lower(candidate));
      if (t > 0 && (worst ? left <= least : left >= least)) continue;
      best = candidate;
      least = left;
    }
    return best;
  }

  const Points& points_;
  std::uint64_t seed_;
  Variant variant_;
  std::vector<float> delta_;
  int shift_ = 0;
};

/// Blobs of different sizes, in f32's numbers.
Points blobs(std::uint64_t seed, std::size_t n, std::size_t n_features) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Points means(6, std::vector<double>(n_features));
  for (auto& mean : means)
    for (double& value : mean) value = 2.0 * normal(random);
  Points points;
  for (std::size_t i = 0; i < n; ++i) {
    points.push_back(means[random() % means.size()]);
    for (double& value : points.back()) value = double{static_cast<float>(value + normal(random))};
  }
  return points;
}

constexpr std::uint32_t n_seeds = 30;
constexpr int trials = 5;

struct SeedingExample {
  std::uint64_t seed;
  Points points = blobs(seed, 250, 20);

  FoundSeeding find(const Variant& variant = {}) const {
    return FloatSeeding(points, seed, variant).run(n_seeds, trials);
  }
  std::string check(const FoundSeeding& found) const {
    return check_seeding(points, found, n_seeds, trials, seed, key);
  }
};

void for_random_seeds(const std::function<void(std::uint64_t)>& test) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test(seed);
  }
}

TEST(CheckSeeding, AcceptsWhatF32FindsInWhateverOrderItSums) {
  for_random_seeds([](std::uint64_t seed) {
    const SeedingExample example{seed};
    EXPECT_EQ(example.check(example.find()), "");
    EXPECT_EQ(example.check(example.find({.backwards = true})), "");
  });
}

TEST(CheckSeeding, AcceptsWholeNumbersWithManyTies) {
  for_random_seeds([](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Points points(200, std::vector<double>(3));
    for (auto& x : points)
      for (double& value : x) value = static_cast<double>(random() % 7) - 3.0;
    const FoundSeeds found = DirectSeeding(points, seed, key).run(n_seeds, trials);
    EXPECT_EQ(check_seeding(points, {found.seeds, found.labels}, n_seeds, trials, seed, key), "");
  });
}

TEST(CheckSeeding, RejectsOneWrongSeed) {
  for_random_seeds([](std::uint64_t seed) {
    const SeedingExample example{seed};
    const FoundSeeding right = example.find();
    for (std::size_t step = 0; step < right.seeds.size(); ++step) {
      FoundSeeding wrong = right;
      wrong.seeds[step] = (wrong.seeds[step] + 1) % static_cast<std::uint32_t>(example.points.size());
      EXPECT_NE(example.check(wrong), "") << "step " << step;
    }
  });
}

TEST(CheckSeeding, RejectsADrawThatIsNotTheBest) {
  for_random_seeds([](std::uint64_t seed) {
    const SeedingExample example{seed};
    for (const int step : {0, 1, 10, 29}) {
      const std::string wrong = example.check(example.find({.worst_at = step}));
      EXPECT_EQ(wrong.find("seed " + std::to_string(step) + " is spike"), 0u) << wrong;
    }
  });
}

TEST(CheckSeeding, RejectsDrawsOfAnotherSeedOrSection) {
  const SeedingExample example{7};
  const FoundSeeding found = example.find();
  EXPECT_NE(check_seeding(example.points, found, n_seeds, trials, 8, key), "");
  EXPECT_NE(check_seeding(example.points, found, n_seeds, trials, 7, key + 1), "");
}

TEST(CheckSeeding, RejectsOneMovedLabel) {
  const SeedingExample example{9};
  const FoundSeeding right = example.find();
  for (std::size_t i = 0; i < right.labels.size(); ++i) {
    FoundSeeding wrong = right;
    wrong.labels[i] = (wrong.labels[i] + 1) % n_seeds;
    EXPECT_NE(example.check(wrong), "") << "spike " << i;
  }
}

TEST(CheckSeeding, RejectsTooFewSeedsAndTooMany) {
  const SeedingExample example{10};
  EXPECT_NE(example.check(FloatSeeding(example.points, 10, {}).run(n_seeds - 1, trials)), "");
  EXPECT_NE(example.check(FloatSeeding(example.points, 10, {}).run(n_seeds + 1, trials)), "");
}

TEST(CheckSeeding, FewerSeedsAreRightWhereNothingIsLeft) {
  Points points;
  for (int i = 0; i < 30; ++i) points.push_back({1.0 + i % 3, 0.1f});
  const FoundSeeding found = FloatSeeding(points, 11, {}).run(n_seeds, trials);
  EXPECT_EQ(found.seeds.size(), 3u);
  EXPECT_EQ(check_seeding(points, found, n_seeds, trials, 11, key), "");
}

TEST(CheckSeeding, OfCopiesTheFirstDrawnIsTheSeed) {
  const Points points(2, {1.5, -0.3f});
  std::vector<FoundSeeding> both = {{{0}, {0, 0}}, {{1}, {0, 0}}};
  for_random_seeds([&](std::uint64_t seed) {
    const std::size_t first = random_unit(seed, key, 0, 0) < 0.5 ? 0 : 1;
    EXPECT_EQ(check_seeding(points, both[first], 1, 20, seed, key), "");
    EXPECT_NE(check_seeding(points, both[1 - first], 1, 20, seed, key), "");
  });
}

TEST(CheckSeeding, OfEquallyNearSeedsTheEarliestGivesTheLabel) {
  const Points points = {{10.0}, {20.0}, {15.0}};
  int examples = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const FoundSeeds right = DirectSeeding(points, seed, key).run(2, 1);
    if (right.seeds[0] == 2 || right.seeds[1] == 2) continue;
    ++examples;
    EXPECT_EQ(check_seeding(points, {right.seeds, right.labels}, 2, 1, seed, key), "");
    FoundSeeding wrong{right.seeds, right.labels};
    wrong.labels[2] = 1;
    EXPECT_NE(check_seeding(points, wrong, 2, 1, seed, key), "");
  }
  EXPECT_GT(examples, 10);
}

TEST(CheckSeeding, RejectsWhatIsOutOfRange) {
  const SeedingExample example{12};
  FoundSeeding wrong = example.find();
  wrong.seeds[4] = 250;
  EXPECT_NE(example.check(wrong), "");
  wrong = example.find();
  wrong.labels[4] = n_seeds;
  EXPECT_NE(example.check(wrong), "");
  wrong = example.find();
  wrong.labels.pop_back();
  EXPECT_NE(example.check(wrong), "");
}

}  // namespace
}  // namespace kokkosort::test
