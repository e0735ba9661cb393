#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "curation/curation_problem.hpp"
#include "kokkosort/templates/pc_products.hpp"

namespace kokkosort::test {
namespace {

template <class Exec>
class MergesTest : public CurationTest<Exec> {
 protected:
  /// A neuron that differs from another by so many sigma.
  std::vector<float> unlike(std::vector<float> other, double distance) {
    std::vector<float> change(other.size());
    draw_template(this->random, this->probe, 5, 6, 50.0, distance, change.data());
    for (std::size_t i = 0; i < other.size(); ++i) other[i] += change[i];
    return other;
  }
  /// Whatever the features say.
  void look_at_times_alone() {
    this->options.min_bimodality = 1.1;
    this->options.twin_similarity = 2.0;
  }
};
TYPED_TEST_SUITE(MergesTest, ExecutionSpaces, ExecutionSpaceName);

/// The mean is weighted by spikes.
TYPED_TEST(MergesTest, HalvesOfANeuronMerge) {
  const auto a = this->neuron(5);
  const Train all = this->fire(20.0);
  const auto halves = this->split(all, {0.7, 0.3});
  const auto problem = this->problem_of({{a, halves[1]}, {this->neuron(1), this->fire(8.0)}, {a, halves[0]}});
  const Sorting sorting = this->sort(problem);
  ASSERT_EQ(sorting.n_units(), 2u);
  EXPECT_EQ(this->report.clusters, 3u);
  EXPECT_EQ(this->report.merges, 1u);
  EXPECT_EQ(this->report.duplicates, 0u);
  EXPECT_EQ(train_of(sorting, 1), all);  // on channel 5, after channel 1
  EXPECT_TRUE(sorting.units[1].is_refractory);
  const double n[] = {static_cast<double>(halves[1].size()), static_cast<double>(halves[0].size())};
  for (std::size_t c = 0; c < this->n_channels; ++c)
    for (std::size_t p = 0; p < 6; ++p)
      ASSERT_NEAR(sorting.templates(1, c, p),
                  (n[0] * problem.means(0, c, p) + n[1] * problem.means(2, c, p)) / (n[0] + n[1]), 1e-5);
}

TYPED_TEST(MergesTest, FiveParts) {
  const auto a = this->neuron(5);
  const Train all = this->fire(40.0);
  std::vector<TestCluster> clusters;
  for (const Train& part : this->split(all, {0.3, 0.25, 0.2, 0.15, 0.1})) clusters.push_back({a, part});
  const Sorting sorting = this->sort(clusters);
  EXPECT_EQ(sorting.n_units(), 1u);
  EXPECT_EQ(this->report.merges, 4u);
  EXPECT_EQ(train_of(sorting, 0), all);
}

/// One neuron found twice at some of its spikes, once by each of two units: it is one unit, each spike once.
TYPED_TEST(MergesTest, CopiesOfSpikesInTwoUnitsGo) {
  const auto a = this->neuron(5);
  const Train all = this->fire(20.0);
  auto halves = this->split(all, {0.6, 0.4});
  Train copies;
  for (std::size_t i = 0; i < halves[0].size(); i += 20) copies.push_back(halves[0][i] + 3);
  Train both = halves[1];
  both.insert(both.end(), copies.begin(), copies.end());
  std::sort(both.begin(), both.end());
  const Sorting sorting = this->sort({{a, halves[0]}, {a, both, 0.98f}});
  ASSERT_EQ(sorting.n_units(), 1u);
  EXPECT_EQ(this->report.duplicates, copies.size());
  EXPECT_EQ(train_of(sorting, 0), all);
}

/// A waveform that is late in its window was found early: merged, its spikes are where the others are.
TYPED_TEST(MergesTest, ShiftedCopiesMergeAndTheirTimesMove) {
  const auto a = this->neuron(5);
  for (const int late : {3, -2}) {
    SCOPED_TRACE("later by " + std::to_string(late));
    const Train all = this->fire(20.0);
    const auto halves = this->split(all, {0.6, 0.4});
    const auto b = moved_later(this->pcs, a, late);
    const auto problem = this->problem_of({{a, halves[0]}, {b, moved(halves[1], -late)}});
    const Sorting sorting = this->sort(problem);
    ASSERT_EQ(sorting.n_units(), 1u);
    EXPECT_EQ(train_of(sorting, 0), all);

    // Features move likewise, as far as the components hold them.
    const HostMatrix<float> products = pc_products(this->pcs.wPCA);
    std::vector<float> back(6);
    for (std::size_t i = 0; i < sorting.n_spikes(); ++i) {
      if (sorting.matched[i] != 1) continue;
      std::size_t spike = 0;
      while (problem.labels[spike] != 1 || problem.spikes.sample(spike) != sorting.sample[i] - late) ++spike;
      for (std::size_t row = 0; row < 10; ++row) {
        const std::int32_t channel = problem.spikes.centres.channels(1, row);
        std::size_t to = 0;
        while (to < 10 && sorting.unit_channels(0, to) != channel) ++to;
        if (to == 10) continue;
        shift_coefficients(products, -late, 6, &problem.spikes.features(spike, row, 0), back.data());
        for (std::size_t p = 0; p < 6; ++p) ASSERT_EQ(sorting.features(i, to, p), back[p]);
      }
    }
  }
}

/// Times follow the unit with more spikes, through two merges.
TYPED_TEST(MergesTest, ShiftsAddUp) {
  const auto a = this->neuron(5);
  const Train all = this->fire(30.0);
  const auto parts = this->split(all, {0.5, 0.3, 0.2});
  const Sorting sorting = this->sort({{moved_later(this->pcs, a, -2), moved(parts[2], 2)},
                                      {moved_later(this->pcs, a, 1), moved(parts[1], -1)},
                                      {a, parts[0]}});
  ASSERT_EQ(sorting.n_units(), 1u);
  EXPECT_EQ(train_of(sorting, 0), all);
}

/// A move beyond the recording stops at its end.
TYPED_TEST(MergesTest, TimesStayInTheRecording) {
  const auto a = this->neuron(5);
  for (const int late : {3, -2}) {
    Train all = this->fire(20.0);
    auto halves = this->split(all, {0.6, 0.4});
    auto found = moved(halves[1], -late);
    found.erase(std::remove_if(found.begin(), found.end(),
                               [this](std::int64_t t) { return t < 200 || t >= this->n_samples - 200; }),
                found.end());
    found.insert(found.begin(), 0);
    found.push_back(this->n_samples - 1);
    const Sorting sorting = this->sort({{a, halves[0]}, {moved_later(this->pcs, a, late), found}});
    ASSERT_EQ(sorting.n_units(), 1u);
    const Train train = train_of(sorting, 0);
    EXPECT_EQ(std::count(train.begin(), train.end(), late > 0 ? 3 : 0), 1);
    EXPECT_EQ(std::count(train.begin(), train.end(), this->n_samples - (late > 0 ? 1 : 3)), 1);
  }
}

TYPED_TEST(MergesTest, IndependentNeuronsOfOneShapeStay) {
  const auto a = this->neuron(5);
  this->look_at_times_alone();
  const Sorting sorting = this->sort({{a, this->fire(15.0)}, {a, this->fire(12.0)}});
  EXPECT_EQ(sorting.n_units(), 2u);
  EXPECT_TRUE(sorting.units[0].is_refractory && sorting.units[1].is_refractory);
  EXPECT_GT(sorting.similarity(0, 1), 0.95f);
}

TYPED_TEST(MergesTest, ATroughKeepsUnitsApart) {
  const auto a = this->neuron(5, 15.0);
  const auto halves = this->split(this->fire(20.0), {0.6, 0.4});
  const auto problem = this->problem_of({{a, halves[0]}, {this->unlike(a, 9.0), halves[1]}});
  EXPECT_EQ(this->sort(problem).n_units(), 2u);
  this->look_at_times_alone();
  EXPECT_EQ(this->sort(problem).n_units(), 1u);
}

/// Two heaps, but hardly two neurons.
TYPED_TEST(MergesTest, ATroughHasNoSayBetweenEquals) {
  const auto a = this->neuron(5, 90.0);
  const Train all = this->fire(20.0);
  const auto halves = this->split(all, {0.6, 0.4});
  const auto problem = this->problem_of({{a, halves[0]}, {this->unlike(a, 9.0), halves[1]}});
  EXPECT_EQ(this->sort(problem).n_units(), 1u);
  this->options.certain_similarity = 2.0;
  EXPECT_EQ(this->sort(problem).n_units(), 2u);
  this->options.certain_similarity = 0.95;
  const auto others = this->problem_of({{a, halves[0]}, {this->unlike(a, 9.0), this->fire(10.0)}});
  EXPECT_EQ(this->sort(others).n_units(), 2u);  // trains do not avoid each other
}

TYPED_TEST(MergesTest, NormsNeedNotMatch) {
  const auto a = this->neuron(5);
  const auto halves = this->split(this->fire(20.0), {0.6, 0.4});
  this->look_at_times_alone();
  EXPECT_EQ(this->sort({{a, halves[0]}, {a, halves[1], 0.5f}}).n_units(), 1u);
}

TYPED_TEST(MergesTest, SimilarityDecidesWhoIsTested) {
  const auto a = this->neuron(5);
  const auto halves = this->split(this->fire(20.0), {0.6, 0.4});
  this->look_at_times_alone();
  const auto problem = this->problem_of({{a, halves[0]}, {this->unlike(a, 22.0), halves[1]}});
  this->options.merge = false;
  const double similarity = this->sort(problem).similarity(0, 1);
  ASSERT_GT(similarity, 0.5);
  ASSERT_LT(similarity, 0.95);
  this->options.merge = true;
  this->options.min_similarity = similarity + 1e-4;
  EXPECT_EQ(this->sort(problem).n_units(), 2u);
  this->options.min_similarity = similarity - 1e-4;
  EXPECT_EQ(this->sort(problem).n_units(), 1u);
}

TYPED_TEST(MergesTest, TooFewPairsAreNoEvidence) {
  const auto a = this->neuron(5);
  const Train all = this->fire(15.0, 12.0);
  std::vector<Train> parts(2);
  for (std::size_t i = 0; i < all.size(); ++i) parts[i % 65 == 64 ? 1 : 0].push_back(all[i]);
  this->look_at_times_alone();
  const auto problem = this->problem_of({{a, parts[0]}, {a, parts[1]}});
  EXPECT_EQ(this->sort(problem).n_units(), 2u);
  this->options.min_expected_pairs = 0.0;
  EXPECT_EQ(this->sort(problem).n_units(), 1u);
}

/// Two rare neurons that look alike, but not the same: no pair of their spikes speaks for one neuron.
TYPED_TEST(MergesTest, RarePairsStay) {
  const auto a = this->neuron(5, 40.0);
  const auto b = this->unlike(a, 20.0);
  for (const double rate_hz : {0.1, 0.5}) {
    const auto problem = this->problem_of({{a, this->fire(rate_hz)}, {b, this->fire(rate_hz)}});
    this->options.merge = false;
    const double similarity = this->sort(problem).similarity(0, 1);
    EXPECT_GT(similarity, this->options.min_similarity);
    EXPECT_LT(similarity, this->options.twin_similarity);
    this->options.merge = true;
    EXPECT_EQ(this->sort(problem).n_units(), 2u) << rate_hz << " Hz, similarity " << similarity;
  }
}

/// Two halves of a neuron that fires so little that their times cannot tell.
TYPED_TEST(MergesTest, TwinsMergeUnlessTheirTimesSpeakAgainstIt) {
  const auto a = this->neuron(5, 60.0);
  const auto halves = this->split(this->fire(1.5), {0.6, 0.4});
  EXPECT_EQ(this->sort({{a, halves[0]}, {a, halves[1]}}).n_units(), 1u);

  Train coincident = halves[1];
  for (std::size_t i = 0; i < 5; ++i) coincident.push_back(halves[0][7 * i] + 45);  // 1.5 ms later
  std::sort(coincident.begin(), coincident.end());
  EXPECT_EQ(this->sort({{a, halves[0]}, {a, coincident}}).n_units(), 2u);

  std::vector<float> larger = a;
  for (float& value : larger) value *= 1.3f;
  EXPECT_EQ(this->sort({{a, halves[0]}, {larger, halves[1]}}).n_units(), 2u);

  this->options.twin_similarity = 2.0;
  EXPECT_EQ(this->sort({{a, halves[0]}, {a, halves[1]}}).n_units(), 2u);
}

/// The larger unit has spikes in its refractory time.
TYPED_TEST(MergesTest, OnlyARefractoryUnitTakesOthers) {
  const auto a = this->neuron(5);
  const Train few = this->fire(5.0);
  Train many = this->fire(20.0, 0.0);
  std::erase_if(many, [&few](std::int64_t t) {
    return std::any_of(few.begin(), few.end(), [t](std::int64_t u) { return std::abs(t - u) < 200; });
  });
  this->look_at_times_alone();
  const auto problem = this->problem_of({{a, many}, {a, few}});
  EXPECT_EQ(this->sort(problem).n_units(), 2u);
  this->options.max_refractory_ratio = 10.0;
  this->options.max_refractory_probability = 10.0;
  EXPECT_EQ(this->sort(problem).n_units(), 1u);
}

/// A neuron between two shanks, nearer now to one and now to the other: alike and cross-refractory.
TYPED_TEST(MergesTest, NeverAcrossShanks) {
  const auto halves = this->split(this->fire(20.0), {0.6, 0.4});
  std::vector<std::vector<float>> neurons(2, std::vector<float>(this->n_channels * 6));
  const auto shape = this->neuron(5);
  for (std::size_t k = 0; k < 2; ++k)
    for (const std::size_t c : {std::size_t{4}, std::size_t{5}})
      for (std::size_t p = 0; p < 6; ++p)
        neurons[k][c * 6 + p] = shape[5 * 6 + p] * (c % 2 == k ? 1.0f : 0.9f);
  this->look_at_times_alone();
  const std::vector<TestCluster> clusters{{neurons[0], halves[0]}, {neurons[1], halves[1]}};
  EXPECT_EQ(this->sort(clusters).n_units(), 1u);
  this->probe = two_shank_probe(this->n_channels);
  const Sorting sorting = this->sort(clusters);
  EXPECT_EQ(sorting.n_units(), 2u);
  EXPECT_GT(sorting.similarity(0, 1), 0.9f);
}

TYPED_TEST(MergesTest, LeavesAllWhenAskedTo) {
  const auto a = this->neuron(5);
  const auto halves = this->split(this->fire(20.0), {0.6, 0.4});
  this->options.merge = false;
  EXPECT_EQ(this->sort({{a, halves[0]}, {a, halves[1]}}).n_units(), 2u);
  EXPECT_EQ(this->report.merges, 0u);
}

}  // namespace
}  // namespace kokkosort::test
