#include "curation/remove_spikes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "curation/curation_problem.hpp"

namespace kokkosort::test {
namespace {

class RemoveSpikesTest : public CurationTest<Kokkos::Serial> {
 protected:
  /// One unit's spikes after duplicates went, given the strengths of its spikes in time order.
  Train after(const Train& train, const std::vector<float>& strength, std::size_t removed) {
    const auto problem = problem_of({{neuron(5), train}});
    const CurationInput input = problem.input();
    WorkingUnits units = make_units(input);
    EXPECT_EQ(remove_duplicates(input, options, strength, units), removed);
    EXPECT_EQ(units.spikes[0].size(), units.trains[0].size());
    return units.trains[0];
  }

  /// Units left of two, and the spikes that went.
  std::size_t left(const std::vector<TestCluster>& clusters, std::size_t removed_spikes) {
    const auto problem = problem_of(clusters);
    const CurationInput input = problem.input();
    WorkingUnits units = make_units(input);
    const RemovedGhosts removed = remove_coincident_units(input, options, units);
    EXPECT_EQ(removed.spikes, removed_spikes);
    const std::size_t n_left = units.visible().size();
    EXPECT_EQ(removed.units, clusters.size() - n_left);
    return n_left;
  }

  /// A share of a train's spikes late by a lag, with jitter, and as many at random as complete the count.
  Train follow(const Train& train, std::size_t count, double share, std::int64_t lag) {
    std::vector<std::int64_t> chosen = train;
    std::shuffle(chosen.begin(), chosen.end(), random);
    std::uniform_int_distribution<std::int64_t> anywhere(0, n_samples - 1);
    std::uniform_int_distribution<std::int64_t> jitter(-3, 3);
    Train result;
    for (std::size_t i = 0; i < count; ++i)
      result.push_back(static_cast<double>(i) < share * static_cast<double>(count)
                           ? chosen[i] + lag + jitter(random)
                           : anywhere(random));
    std::sort(result.begin(), result.end());
    return result;
  }
};

TEST_F(RemoveSpikesTest, TheWeakerOfTwoGoes) {
  EXPECT_EQ(after({100, 105}, {1.0f, 2.0f}, 1), (Train{105}));
  EXPECT_EQ(after({100, 105}, {2.0f, 1.0f}, 1), (Train{100}));
  EXPECT_EQ(after({100, 105}, {1.0f, 1.0f}, 1), (Train{100}));
  EXPECT_EQ(after({100, 107}, {1.0f, 1.0f}, 1), (Train{100}));  // 0.233 ms
  EXPECT_EQ(after({100, 108}, {1.0f, 1.0f}, 0), (Train{100, 108}));
  EXPECT_EQ(after({100, 105, 110}, {3.0f, 1.0f, 2.0f}, 1), (Train{100, 110}));
  EXPECT_EQ(after({100, 105, 110}, {1.0f, 3.0f, 2.0f}, 2), (Train{105}));
  EXPECT_EQ(after({100, 100, 100}, {1.0f, 1.0f, 1.0f}, 2), (Train{100}));
  EXPECT_EQ(after({}, {}, 0), Train());
}

/// One pair after another, from the left, until there is none.
TEST_F(RemoveSpikesTest, AsRepeatedRemovalOfTheFirstPair) {
  std::uniform_int_distribution<std::int64_t> step(0, 20);
  std::uniform_int_distribution<int> strength(1, 5);
  struct Spike {
    std::int64_t sample;
    int strength;
  };
  std::vector<Spike> spikes;
  Train train;
  std::vector<float> strengths;
  for (std::int64_t t = 0; spikes.size() < 1000; t += step(random)) {
    spikes.push_back({t, strength(random)});
    train.push_back(t);
    strengths.push_back(static_cast<float>(spikes.back().strength));
  }
  const auto window_ms = [](const Spike& a, const Spike& b) {
    return static_cast<double>(b.sample - a.sample) * 1000.0 / test_rate_hz;
  };
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i + 1 < spikes.size() && !again; ++i) {
      if (window_ms(spikes[i], spikes[i + 1]) > 0.25) continue;
      const bool later_is_stronger = spikes[i + 1].strength > spikes[i].strength;
      spikes.erase(spikes.begin() + static_cast<std::ptrdiff_t>(later_is_stronger ? i : i + 1));
      again = true;
    }
  }
  Train expected;
  for (const Spike& spike : spikes) expected.push_back(spike.sample);
  EXPECT_LT(expected.size(), 700u);
  EXPECT_EQ(after(train, strengths, train.size() - expected.size()), expected);
}

TEST_F(RemoveSpikesTest, AGhostGoes) {
  const auto a = neuron(5);
  const Train train = fire(20.0);
  for (const std::int64_t lag : {0, 12, -25}) {
    SCOPED_TRACE("lag " + std::to_string(lag));
    EXPECT_EQ(left({{neuron(6, 12.0), follow(train, 500, 0.9, lag)}, {a, train}}, 500), 1u);
  }
}

TEST_F(RemoveSpikesTest, WhatIsNoGhostStays) {
  const auto a = neuron(5);
  const Train train = fire(20.0);
  const Train ghost = follow(train, 500, 0.95, 10);
  const auto small = neuron(6, 12.0);
  ASSERT_EQ(left({{small, ghost}, {a, train}}, 500), 1u);
  EXPECT_EQ(left({{small, follow(train, 500, 0.6, 10)}, {a, train}}, 0), 2u);   // too few go with it
  EXPECT_EQ(left({{small, follow(train, 500, 0.95, 45)}, {a, train}}, 0), 2u);  // too late
  EXPECT_EQ(left({{neuron(6, 60.0), ghost}, {a, train}}, 0), 2u);               // the larger of the two
  EXPECT_EQ(left({{small, follow(train, 10, 1.0, 10)}, {a, train}}, 0), 2u);    // too few to tell
  EXPECT_EQ(left({{small, fire(20.0)}, {a, train}}, 0), 2u);                    // another neuron
  options.min_ghost_share = 1.0;
  EXPECT_EQ(left({{small, ghost}, {a, train}}, 0), 2u);  // not asked for
}

TEST_F(RemoveSpikesTest, ANeuronFarAwayHasNoGhostHere) {
  probe = linear_probe(n_channels);
  const Train train = fire(20.0);
  const auto reaching = [&](int rows) {
    const auto problem =
        make_problem(random, probe, pcs,
                     {{neuron(10, 12.0), follow(train, 500, 0.95, 0)}, {neuron(1), train}}, n_samples, rows);
    WorkingUnits units = make_units(problem.input());
    remove_coincident_units(problem.input(), options, units);
    return units.visible().size();
  };
  EXPECT_EQ(reaching(12), 1u);
  EXPECT_EQ(reaching(4), 2u);
}

/// The larger neuron fires so often that most of anyone's spikes fall beside one of its own.
TEST_F(RemoveSpikesTest, ChanceDoesNotCount) {
  n_samples = 20 * 30000;
  const Train busy = fire(2000.0, 0.0);
  const auto a = neuron(5);
  const auto small = neuron(6, 12.0);
  const Train half = follow(busy, 500, 0.6, 0);
  std::size_t hits = 0;
  for (const std::int64_t t : half)
    hits += std::any_of(busy.begin(), busy.end(), [t](std::int64_t u) { return std::abs(t - u) <= 7; });
  ASSERT_GT(hits, 400u);  // more than 0.8 of them
  EXPECT_EQ(left({{small, half}, {a, busy}}, 0), 2u);
  EXPECT_EQ(left({{small, follow(busy, 500, 0.97, 0)}, {a, busy}}, 500), 1u);
}

/// Of equal units the first cluster stays.
TEST_F(RemoveSpikesTest, OneOfTwoCopiesStays) {
  const Train train = fire(10.0);
  auto problem = problem_of({{neuron(5), train}, {neuron(5), train}});
  std::copy_n(&problem.means(0, 0, 0), n_channels * 6, &problem.means(1, 0, 0));
  const CurationInput input = problem.input();
  WorkingUnits units = make_units(input);
  EXPECT_EQ(remove_coincident_units(input, options, units).units, 1u);
  EXPECT_EQ(units.visible(), (std::vector<std::size_t>{0}));
}

}  // namespace
}  // namespace kokkosort::test
