#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "curation/curation_problem.hpp"
#include "host_copies.hpp"
#include "system/annotations.hpp"

namespace kokkosort::test {
namespace {

template <class View>
void expect_same_values(const View& a, const View& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_TRUE(std::equal(a.data(), a.data() + a.size(), b.data()));
}

void expect_same(const Sorting& a, const Sorting& b) {
  EXPECT_EQ(a.sample, b.sample);
  EXPECT_EQ(a.unit, b.unit);
  EXPECT_EQ(a.matched, b.matched);
  EXPECT_EQ(a.amplitude, b.amplitude);
  EXPECT_EQ(a.x_um, b.x_um);
  EXPECT_EQ(a.y_um, b.y_um);
  expect_same_values(a.unit_channels, b.unit_channels);
  expect_same_values(a.features, b.features);
  expect_same_values(a.templates, b.templates);
  expect_same_values(a.similarity, b.similarity);
  ASSERT_EQ(a.n_units(), b.n_units());
  for (std::size_t k = 0; k < a.n_units(); ++k) {
    EXPECT_EQ(a.units[k].contamination, b.units[k].contamination);
    EXPECT_EQ(a.units[k].amplitude, b.units[k].amplitude);
  }
}

template <class Exec>
class CurateTest : public CurationTest<Exec> {
 protected:
  /// Something of everything: parts of neurons, shifted ones, a ghost, duplicates.
  CurationProblem crowded() {
    std::vector<TestCluster> clusters;
    for (const std::size_t place : {2, 6, 10}) {
      const auto a = this->neuron(place);
      const auto parts = this->split(this->fire(25.0), {0.5, 0.3, 0.2});
      clusters.push_back({a, parts[0]});
      clusters.push_back({moved_later(this->pcs, a, 2), moved(parts[1], -2)});
      clusters.push_back({a, parts[2]});
      clusters.push_back({this->neuron(place, 18.0), this->fire(10.0)});
    }
    Train ghost(clusters[0].train.begin(), clusters[0].train.begin() + 400);
    clusters.push_back({this->neuron(3, 12.0), moved(ghost, 9)});
    for (std::size_t i = 0; i < 30; ++i) clusters[4].train.push_back(clusters[4].train[10 * i] + 5);
    std::sort(clusters[4].train.begin(), clusters[4].train.end());
    return this->problem_of(clusters);
  }
};
TYPED_TEST_SUITE(CurateTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(CurateTest, ReportsWhatItDid) {
  const auto problem = this->crowded();
  const Sorting sorting = this->sort(problem);
  EXPECT_EQ(sorting.n_units(), 6u);
  EXPECT_EQ(this->report.clusters, 13u);
  EXPECT_EQ(this->report.merges, 6u);
  EXPECT_EQ(this->report.duplicates, 30u);
  EXPECT_EQ(sorting.removed_duplicates, 30u);
  EXPECT_EQ(this->report.ghosts, 1u);
  EXPECT_EQ(this->report.ghost_spikes, 400u);
  EXPECT_EQ(sorting.n_spikes(), problem.labels.size() - 430);
  std::vector<std::string> stages;
  for (const StageTime& time : this->report.times.entries()) stages.push_back(time.stage);
  EXPECT_EQ(stages,
            (std::vector<std::string>{"curation::merges", "curation::duplicates", "curation::measures"}));
}

TYPED_TEST(CurateTest, TwoRunsAndAnotherInstanceGiveTheSameBytes) {
  const auto problem = this->crowded();
  const Sorting once = this->sort(problem);
  expect_same(once, this->sort(problem));
  using namespace Kokkos::Experimental;  // where partition_space is in Kokkos 4
  using namespace Kokkos;
  if (runs_on_host<TypeParam> && TypeParam().concurrency() < 2) return;
  expect_same(once, curate(partition_space(TypeParam(), 1, 1)[0], problem.input(), this->options,
                           this->ledger, this->report));
}

TYPED_TEST(CurateTest, EverythingIsLabelledAndOnTheInstanceGiven) {
  const auto problem = this->crowded();
  const TypeParam exec = own_instance<TypeParam>();
  Annotations<TypeParam> told;
  {
    const KokkosListener listener;
    curate(exec, problem.input(), this->options, this->ledger, this->report);
    told = Annotations<TypeParam>(listener);
  }
  EXPECT_EQ(told.strange_kernels(), std::set<std::string>());
  EXPECT_EQ(told.strange_views(), std::set<std::string>());
  EXPECT_EQ(told.kernels_elsewhere(Kokkos::Tools::Experimental::device_id(exec)), std::set<std::string>());
  EXPECT_TRUE(told.our_kernels().contains("kokkosort::curation::walk_trains"));
  for (const std::string& region : told.regions_but_of_blas())
    EXPECT_TRUE(region.starts_with(our_prefix)) << region;
}

TYPED_TEST(CurateTest, NoSpikes) {
  for (const auto& clusters : {std::vector<TestCluster>{}, {{this->neuron(5), {}}, {this->neuron(2), {}}}}) {
    const Sorting sorting = this->sort(clusters);
    EXPECT_EQ(sorting.n_units(), 0u);
    EXPECT_EQ(sorting.n_spikes(), 0u);
    EXPECT_EQ(this->report.clusters, 0u);
  }
}

TYPED_TEST(CurateTest, AnEmptyRecording) {
  this->n_samples = 0;
  EXPECT_EQ(this->sort(std::vector<TestCluster>{}).n_units(), 0u);
}

TYPED_TEST(CurateTest, OneUnit) {
  const Train train = this->fire(10.0);
  const Sorting sorting = this->sort({{this->neuron(5), train}});
  ASSERT_EQ(sorting.n_units(), 1u);
  EXPECT_EQ(sorting.sample, train);
  EXPECT_EQ(sorting.units[0].channel, 5);
  EXPECT_TRUE(sorting.units[0].is_refractory);
}

/// Clusters without spikes leave no gap in the ids.
TYPED_TEST(CurateTest, UnitsOfOneSpikeAndOfNone) {
  const Sorting sorting = this->sort(
      {{this->neuron(5), {}}, {this->neuron(8), {77}}, {this->neuron(5), {}}, {this->neuron(2), {99}}});
  ASSERT_EQ(sorting.n_units(), 2u);
  EXPECT_EQ(sorting.sample, (Train{77, 99}));
  EXPECT_EQ(sorting.unit, (std::vector<std::int32_t>{1, 0}));
  EXPECT_EQ(sorting.units[0].contamination, 1.0);
  EXPECT_FALSE(sorting.units[0].is_refractory);
}

TYPED_TEST(CurateTest, AllSpikesAtOneTime) {
  const Sorting sorting =
      this->sort({{this->neuron(5), Train(50, 1234)}, {this->neuron(5), Train(20, 1234)}});
  EXPECT_EQ(sorting.n_units(), 2u);
  EXPECT_EQ(sorting.sample, (Train{1234, 1234}));
  EXPECT_EQ(this->report.duplicates, 68u);
}

TYPED_TEST(CurateTest, TwoTrainsOfOneSpikeAtTheSameTime) {
  const auto a = this->neuron(5);
  const Sorting sorting = this->sort({{a, {0}}, {a, {0}}});
  EXPECT_EQ(sorting.n_units(), 2u);
  EXPECT_EQ(sorting.sample, (Train{0, 0}));
}

TYPED_TEST(CurateTest, ARecordingOfOneSample) {
  this->n_samples = 1;
  const Sorting sorting = this->sort({{this->neuron(5), Train(30, 0)}, {this->neuron(5), Train(30, 0)}});
  EXPECT_EQ(sorting.sample, (Train{0, 0}));
}

/// A cluster whose mean is zero is like no other.
TYPED_TEST(CurateTest, AMeanOfZero) {
  auto problem = this->problem_of({{this->neuron(5), this->fire(5.0)}, {this->neuron(8), this->fire(5.0)}});
  std::fill_n(&problem.means(0, 0, 0), this->n_channels * 6, 0.0f);
  const Sorting sorting = this->sort(problem);
  ASSERT_EQ(sorting.n_units(), 2u);
  EXPECT_EQ(sorting.similarity(0, 1), 0.0f);
  EXPECT_EQ(sorting.units[0].channel, 0);
  EXPECT_EQ(sorting.units[0].amplitude, 0.0);
}

TYPED_TEST(CurateTest, OneChannel) {
  this->probe = linear_probe(1);
  std::vector<float> a(6);
  for (std::size_t p = 0; p < 6; ++p) a[p] = 12.0f / static_cast<float>(p + 1);
  const Train all = this->fire(20.0);
  const auto halves = this->split(all, {0.6, 0.4});
  const Sorting sorting = this->sort({{a, halves[0]}, {a, halves[1]}});
  ASSERT_EQ(sorting.n_units(), 1u);
  EXPECT_EQ(sorting.sample, all);
}

}  // namespace
}  // namespace kokkosort::test
