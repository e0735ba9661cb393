// The search of traces that are on the device already, against f64.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "detection/detection_problem.hpp"
#include "detection/detection_reference.hpp"
#include "execution_spaces.hpp"

namespace kokkosort::test {
namespace {

void expect_same_bytes(const WindowSpikes& a, const WindowSpikes& b) {
  EXPECT_EQ(a.sample, b.sample);
  EXPECT_EQ(a.centre, b.centre);
  ASSERT_EQ(a.features.size(), b.features.size());
  EXPECT_EQ(std::memcmp(a.features.data(), b.features.data(), a.features.size() * sizeof(float)), 0);
}

template <class Exec>
class SearchTest : public testing::Test {
 protected:
  SearchTest() { RecordProperty("seed", std::to_string(seed)); }

  /// Noise with spikes of random shapes.
  HostMatrix<float> busy_traces(const DetectionProblem& problem, std::size_t n_spikes,
                                std::size_t n_samples) {
    const HostMatrix<float> traces = noise_traces(random, problem.n_channels(), n_samples);
    add_shapes(problem, random_shapes(random, problem, n_spikes, static_cast<std::int64_t>(n_samples)),
               traces);
    return traces;
  }

  /// @return how many spikes there are
  static std::size_t expect_as_reference(const DetectionProblem& problem, const HostMatrix<float>& traces) {
    const WindowSpikes found = search_traces<Exec>(problem, traces);
    const DirectSpikes expected = DirectSearch(problem, traces).find();
    EXPECT_EQ(found.sample, expected.sample);
    EXPECT_EQ(found.centre, expected.centre);
    EXPECT_EQ(found.features.size(), expected.features.size());
    for (std::size_t i = 0; i < std::min(found.features.size(), expected.features.size()); ++i)
      EXPECT_NEAR(static_cast<double>(found.features[i]), expected.features[i], 2e-5) << i;
    return found.sample.size();
  }

  static constexpr std::uint64_t seed = 401;
  std::mt19937_64 random{seed};
};
TYPED_TEST_SUITE(SearchTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(SearchTest, AsTheReference) {
  const DetectionProblem problem(shuffle_channels(this->random, staggered_probe(14)));
  EXPECT_GT(this->expect_as_reference(problem, this->busy_traces(problem, 60, 3000)), 35u);
}

/// More shapes, scales and components than a thread sums at once, and a waveform of other length.
TYPED_TEST(SearchTest, OtherSizes) {
  DetectionOptions options;
  options.scales = 7;
  options.feature_channels = 7;
  options.nearest_centres = 23;
  DetectionProblem problem(staggered_probe(10), options);
  problem.pcs = random_pcs(this->random, 11, 40);
  EXPECT_GT(this->expect_as_reference(problem, this->busy_traces(problem, 30, 2000)), 25u);
  problem.pcs = random_pcs(this->random, 2, 9);
  EXPECT_GT(this->expect_as_reference(problem, this->busy_traces(problem, 30, 1000)), 15u);
}

/// All samples are scored in full where the bound is always reached, and few otherwise.
TYPED_TEST(SearchTest, ThresholdsLowAndHigh) {
  DetectionProblem problem(linear_probe(6));
  const HostMatrix<float> traces = this->busy_traces(problem, 20, 1500);
  problem.options.threshold = 1e-6;
  EXPECT_GT(this->expect_as_reference(problem, traces), 30u);
  problem.options.threshold = 18.0;
  EXPECT_GT(this->expect_as_reference(problem, traces), 3u);
  problem.options.threshold = 100.0;
  EXPECT_EQ(this->expect_as_reference(problem, traces), 0u);
}

/// Scores just above the threshold on one channel alone are bounded most tightly.
TYPED_TEST(SearchTest, NothingAboveTheThresholdIsSkipped) {
  DetectionOptions options;
  options.smallest_scale_um = 1.0;
  options.threshold = 16.0;
  DetectionProblem problem(linear_probe(3), options);
  const std::size_t n = 3000;
  const HostMatrix<float> traces("kokkosort::test::traces", 3, n);
  std::vector<PlantedShape> planted;
  for (std::size_t k = 0; k < 29; ++k)
    planted.push_back({static_cast<std::int64_t>(100 + 100 * k), 0.0, 20.0, 0, k % 6,
                       16.0 + 2e-5 * (static_cast<double>(k) - 14.5), 1.0});
  add_shapes(problem, planted, traces);
  const std::size_t found = this->expect_as_reference(problem, traces);
  EXPECT_GE(found, 12u);
  EXPECT_LE(found, 16u);
}

TYPED_TEST(SearchTest, OneChannel) {
  const DetectionProblem problem(linear_probe(1));
  EXPECT_EQ(problem.n_centres(), 1u);
  EXPECT_GT(this->expect_as_reference(problem, this->busy_traces(problem, 20, 2000)), 12u);
}

/// Spikes at once on both shanks are two, however near the shanks.
TYPED_TEST(SearchTest, TwoShanks) {
  Probe probe = two_shank_probe(24);
  for (double& x : probe.x_um) x /= 50.0;
  const DetectionProblem problem(probe);
  const HostMatrix<float> traces = noise_traces(this->random, 24, 1000);
  add_shapes(problem, {{500, 0.0, 100.0, 0, 0, 30.0, 25.0}, {500, 5.0, 100.0, 1, 0, 20.0, 25.0}}, traces);
  EXPECT_EQ(this->expect_as_reference(problem, traces), 2u);
  const WindowSpikes found = search_traces<TypeParam>(problem, traces);
  for (const std::int32_t centre : found.centre)
    for (std::size_t row = 0; row < 10; ++row) {
      const auto c = static_cast<std::size_t>(centre);
      EXPECT_EQ(probe.shank[static_cast<std::size_t>(problem.grid.centres.channels(c, row))],
                probe.shank[static_cast<std::size_t>(problem.grid.centres.channels(c, 0))]);
    }
}

/// Silence, and noise.
TYPED_TEST(SearchTest, NoSpikes) {
  const DetectionProblem problem(linear_probe(8));
  const HostMatrix<float> silence("kokkosort::test::traces", 8, 1000);
  EXPECT_EQ(this->expect_as_reference(problem, silence), 0u);
  EXPECT_EQ(this->expect_as_reference(problem, noise_traces(this->random, 8, 1000)), 0u);
}

/// Shorter than a waveform, than a cell, than its neighbourhood.
TYPED_TEST(SearchTest, AnyLength) {
  const DetectionProblem problem(linear_probe(5));
  std::size_t found = 0;
  for (const std::size_t n : {1u, 5u, 31u, 32u, 33u, 60u, 61u, 64u, 100u, 257u})
    found += this->expect_as_reference(problem, this->busy_traces(problem, 1 + n / 60, n));
  EXPECT_GE(found, 8u);
}

/// Wherever the reference finds them, and all whose peak is in the recording.
TYPED_TEST(SearchTest, SpikesAtBothEnds) {
  const DetectionProblem problem(linear_probe(5));
  constexpr std::int64_t n = 300;
  for (std::int64_t k = 0; k < 40; k += 3)
    for (const std::int64_t sample : {k, n - 1 - k}) {
      SCOPED_TRACE(sample);
      const HostMatrix<float> traces = noise_traces(this->random, 5, n);
      add_shapes(problem, {{sample, 0.0, 40.0, 0, 0, 40.0, 25.0}}, traces);
      const std::size_t found = this->expect_as_reference(problem, traces);
      if (sample - 30 + problem.pcs.peak_sample >= 0) {
        EXPECT_GE(found, 1u);
      }
    }
}

TYPED_TEST(SearchTest, PlantedSpikesAreFound) {
  const DetectionProblem problem(staggered_probe(32));
  const HostMatrix<float> traces = noise_traces(this->random, 32, 20000);
  std::vector<PlantedShape> planted = random_shapes(this->random, problem, 150, 100);
  for (std::size_t i = 0; i < planted.size(); ++i)
    planted[i].sample = static_cast<std::int64_t>(100 + 130 * i);
  add_shapes(problem, planted, traces);
  const WindowSpikes found = search_traces<TypeParam>(problem, traces);
  std::size_t hits = 0;
  for (const PlantedShape& spike : planted)
    for (std::size_t i = 0; i < found.sample.size(); ++i) {
      const auto c = static_cast<std::size_t>(found.centre[i]);
      if (std::abs(found.sample[i] - spike.sample) <= 2 &&
          std::hypot(problem.grid.centres.x_um[c] - spike.x_um, problem.grid.centres.y_um[c] - spike.y_um) <=
              30.0)
        ++hits;
    }
  EXPECT_GE(hits, 148u);
  EXPECT_LE(found.sample.size(), hits + 2);
}

/// A window far along a recording: the same spikes, later.
TYPED_TEST(SearchTest, WindowsBeyondTwoToTheThirtyOneSamples) {
  const DetectionProblem problem(linear_probe(6));
  constexpr std::int64_t n = 3000;
  constexpr std::int64_t later = 5 * (std::int64_t{1} << 31) + 7;
  const HostMatrix<float> traces = noise_traces(this->random, 6, n);
  std::vector<PlantedShape> planted = random_shapes(this->random, problem, 20, n);
  for (std::size_t i = 0; i < planted.size(); ++i)
    planted[i].sample = static_cast<std::int64_t>(100 + 140 * i);
  add_shapes(problem, planted, traces);
  const WindowSpikes early = search_traces<TypeParam>(problem, traces);
  WindowSpikes late = search_traces<TypeParam>(problem, traces, TypeParam(), later);
  EXPECT_GE(late.sample.size(), 18u);
  for (std::int64_t& sample : late.sample) sample -= later;
  expect_same_bytes(early, late);
}

/// The answer depends neither on windows, nor on what is on the device at once.
TYPED_TEST(SearchTest, WindowsAndChunksGiveTheSameBytes) {
  DetectionProblem problem(staggered_probe(16));
  const HostMatrix<float> traces = this->busy_traces(problem, 300, 10000);
  const WindowSpikes once = search_traces<TypeParam>(problem, traces);
  EXPECT_GT(once.sample.size(), 150u);
  for (const int length : {9999, 5000, 1777, 320, 61, 17}) {
    SCOPED_TRACE("windows of " + std::to_string(length));
    problem.options.window_samples = length;
    expect_same_bytes(search_traces<TypeParam>(problem, traces), once);
  }
  problem.options.window_samples = 10000;
  for (const int chunk : {1, 33, 1000}) {
    SCOPED_TRACE("chunks of " + std::to_string(chunk));
    problem.options.chunk_samples = chunk;
    expect_same_bytes(search_traces<TypeParam>(problem, traces), once);
  }
  problem.options.chunk_samples = 0;
  for (const int spikes : {1, 7}) {
    SCOPED_TRACE(std::to_string(spikes) + " spikes at once");
    problem.options.spikes_at_once = spikes;
    expect_same_bytes(search_traces<TypeParam>(problem, traces), once);
  }
}

/// An instance of fewer threads, or another stream.
TYPED_TEST(SearchTest, InstancesGiveTheSameBytes) {
  using namespace Kokkos::Experimental;  // where partition_space is in Kokkos 4
  using namespace Kokkos;
  const DetectionProblem problem(staggered_probe(16));
  const HostMatrix<float> traces = this->busy_traces(problem, 100, 5000);
  const WindowSpikes once = search_traces<TypeParam>(problem, traces);
  EXPECT_GT(once.sample.size(), 50u);
  expect_same_bytes(search_traces<TypeParam>(problem, traces), once);
  if (runs_on_host<TypeParam> && TypeParam().concurrency() < 2)
    GTEST_SKIP() << TypeParam::name() << " has one thread: nothing to divide";
  for (const TypeParam& part : partition_space(TypeParam(), 1, 1))
    expect_same_bytes(search_traces<TypeParam>(problem, traces, part), once);
}

/// What the memory budget counts is what the Views take, and a CPU's scratch.
TYPED_TEST(SearchTest, BytesAreThoseOfTheViews) {
  const DetectionProblem problem(staggered_probe(64));
  const SearchSizes sizes = sizes_of_search(64, problem.grid, problem.pcs, 20000);
  TransferLedger ledger;
  const auto bytes = [](const auto& view) {
    return view.span() * sizeof(typename std::decay_t<decltype(view)>::value_type);
  };
  const auto tables = upload_tables(TypeParam(), problem.grid, problem.pcs, ledger);
  std::size_t last = ~std::size_t{0};
  for (const std::size_t limit : {1000u << 20, 14u << 20, 11u << 20}) {
    DetectionOptions options = problem.options;
    options.device_limit_bytes = limit;
    const auto work = make_search_workspace(TypeParam(), sizes, options, 0);
    const std::size_t scratch =
        runs_on_host<TypeParam>
            ? work.projections.extent(1) * sizeof(float) * static_cast<std::size_t>(TypeParam().concurrency())
            : bytes(work.projections);
    const std::size_t expected = bytes(tables.shapes) + bytes(tables.components) + bytes(tables.channels) +
                                 bytes(tables.weights) + bytes(tables.neighbours) + bytes(work.traces) +
                                 bytes(work.scores) + bytes(work.highest) + bytes(work.marks) +
                                 bytes(work.spikes.peaks) + bytes(work.spikes.total) + bytes(work.features) +
                                 scratch;
    EXPECT_EQ(search_bytes<TypeParam>(sizes, options, 0), expected);
    EXPECT_LE(expected, limit);
    EXPECT_LT(work.chunk_cells, last);
    EXPECT_LE(search_bytes<TypeParam>(sizes, options, limit), expected) << "others may have taken it all";
    last = work.chunk_cells;
  }
}

}  // namespace
}  // namespace kokkosort::test
