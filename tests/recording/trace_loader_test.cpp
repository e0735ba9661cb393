// What a window's traces are, and that they do not depend on the windows.
#include "kokkosort/recording/trace_loader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "host_copies.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"
#include "recording/filter_reference.hpp"
#include "recording/load_traces.hpp"

namespace kokkosort::test {
namespace {

/// Weights of random neighbours; channel `dead` has none, and is nobody's neighbour.
TracePreparation random_preparation(std::mt19937_64& random, std::size_t n_channels, std::size_t k,
                                    std::int32_t dead) {
  TracePreparation preparation = whitened_already(n_channels, 1.0);
  preparation.sampling_rate_hz = 30000.0;
  preparation.neighbours = HostMatrix<std::int32_t>("kokkosort::test::neighbours", n_channels, k);
  preparation.weights = HostMatrix<float>("kokkosort::test::weights", n_channels, k);
  std::normal_distribution<float> normal;
  for (std::size_t c = 0; c < n_channels; ++c) {
    std::vector<std::int32_t> others;
    for (std::int32_t other = 0; other < static_cast<std::int32_t>(n_channels); ++other)
      if (other != dead) others.push_back(other);
    std::shuffle(others.begin(), others.end(), random);
    for (std::size_t i = 0; i < k; ++i) {
      const bool is_dead = static_cast<std::int32_t>(c) == dead;
      preparation.neighbours(c, i) = is_dead ? dead : others[i];
      preparation.weights(c, i) = is_dead ? 0.0f : normal(random);
    }
  }
  return preparation;
}

/// What the traces should be, in f64 by plain loops over the whole recording. [channels][samples]
std::vector<std::vector<double>> direct_traces(const std::vector<std::int16_t>& samples,
                                               std::size_t n_columns, const TracePreparation& preparation,
                                               std::int32_t dead) {
  const std::size_t n_channels = preparation.n_channels();
  const std::size_t n_samples = samples.size() / n_columns;
  std::vector<std::vector<double>> x(n_channels, std::vector<double>(n_samples));
  for (std::size_t c = 0; c < n_channels; ++c)
    for (std::size_t t = 0; t < n_samples; ++t)
      x[c][t] = samples[t * n_columns + static_cast<std::size_t>(preparation.column[c])] - preparation.offset;
  if (preparation.highpass_hz > 0.0)
    for (auto& channel : x)
      channel = DirectFilter(preparation.sampling_rate_hz, preparation.highpass_hz).both_ways(channel);
  if (preparation.common_reference)
    for (std::size_t t = 0; t < n_samples; ++t) {
      std::vector<double> sorted;
      for (std::size_t c = 0; c < n_channels; ++c)
        if (static_cast<std::int32_t>(c) != dead) sorted.push_back(x[c][t]);
      std::sort(sorted.begin(), sorted.end());
      for (auto& channel : x) channel[t] -= sorted[(sorted.size() - 1) / 2];
    }
  std::vector<std::vector<double>> traces(n_channels, std::vector<double>(n_samples, 0.0));
  for (std::size_t c = 0; c < n_channels; ++c)
    for (std::size_t k = 0; k < preparation.weights.extent(1); ++k)
      for (std::size_t t = 0; t < n_samples; ++t)
        traces[c][t] +=
            double{preparation.weights(c, k)} * x[static_cast<std::size_t>(preparation.neighbours(c, k))][t];
  return traces;
}

template <class Exec>
class TraceLoaderTest : public testing::Test {
 protected:
  TraceLoaderTest() { RecordProperty("seed", std::to_string(seed)); }

  std::vector<std::int16_t> noise(std::size_t n) {
    std::normal_distribution<double> normal(40.0, 30.0);
    std::vector<std::int16_t> samples(n);
    for (auto& sample : samples) sample = static_cast<std::int16_t>(std::lround(normal(random)));
    return samples;
  }

  static constexpr std::uint64_t seed = 621;
  std::mt19937_64 random{seed};
};
TYPED_TEST_SUITE(TraceLoaderTest, ExecutionSpaces, ExecutionSpaceName);

/// All combinations of filter, reference and whitening, with columns in any order, one unused.
TYPED_TEST(TraceLoaderTest, EqualsPlainLoops) {
  constexpr std::size_t n_channels = 21;
  constexpr std::int32_t dead = 4;
  const auto samples = this->noise((n_channels + 1) * 3000);
  MemoryRecording recording(samples, n_channels + 1);
  std::vector<std::int32_t> order(n_channels);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), this->random);
  for (const std::size_t k : {1u, 5u})
    for (const bool reference : {false, true})
      for (const double cutoff : {0.0, 300.0}) {
        SCOPED_TRACE(std::to_string(k) + " neighbours, " + std::to_string(cutoff) + " Hz" +
                     (reference ? ", referenced" : ""));
        TracePreparation preparation = random_preparation(this->random, n_channels, k, dead);
        std::iota(preparation.column.begin(), preparation.column.end(), 1);
        std::shuffle(preparation.column.begin(), preparation.column.end(), this->random);
        preparation.highpass_hz = cutoff;
        preparation.common_reference = reference;
        preparation.offset = 40.5;
        const auto expected = direct_traces(samples, n_channels + 1, preparation, dead);
        const auto traces = load_all(TypeParam(), recording, preparation, 700, order);
        double largest = 0.0;
        for (std::size_t row = 0; row < n_channels; ++row)
          for (std::size_t t = 0; t < 3000; ++t)
            largest = std::max(largest,
                               std::abs(traces(row, t) - expected[static_cast<std::size_t>(order[row])][t]));
        EXPECT_LT(largest, 1e-3 * 30.0);
        EXPECT_TRUE(std::all_of(&traces(0, 0), &traces(0, 0) + traces.size(),
                                [](float x) { return std::isfinite(x); }));
      }
}

TYPED_TEST(TraceLoaderTest, WindowsDoNotMatter) {
  constexpr std::size_t n_channels = 19;
  MemoryRecording recording(this->noise(n_channels * 5003), n_channels);
  TracePreparation preparation = random_preparation(this->random, n_channels, 7, -1);
  preparation.highpass_hz = 300.0;
  preparation.common_reference = true;
  const auto whole = to_host(load_all(TypeParam(), recording, preparation, 5003));
  for (const std::int64_t window : {257, 1000, 1025, 5002}) {
    SCOPED_TRACE("windows of " + std::to_string(window));
    EXPECT_EQ(to_host(load_all(TypeParam(), recording, preparation, window)), whole);
  }
}

/// So many samples and channels that a CPU prepares a window in several parts.
TYPED_TEST(TraceLoaderTest, PartsOfAWindowDoNotMatter) {
  constexpr std::size_t n_channels = 200;
  constexpr std::int64_t n = 10000;
  MemoryRecording recording(this->noise(n_channels * n), n_channels);
  TracePreparation preparation = random_preparation(this->random, n_channels, 3, 17);
  preparation.common_reference = true;
  for (const double cutoff : {0.0, 300.0}) {
    SCOPED_TRACE(std::to_string(cutoff) + " Hz");
    preparation.highpass_hz = cutoff;
    const auto whole = to_host(load_all(TypeParam(), recording, preparation, n));
    for (const std::int64_t window : {900, 7001})
      EXPECT_EQ(to_host(load_all(TypeParam(), recording, preparation, window)), whole) << window;
  }
}

/// Windows may overlap, leave samples out, and lie partly or wholly outside the recording.
TYPED_TEST(TraceLoaderTest, ZeroOutsideTheRecordingAndBeyondTheWindow) {
  constexpr std::size_t n_channels = 3;
  constexpr std::int64_t n = 1500;
  MemoryRecording recording(this->noise(n_channels * n), n_channels);
  const std::vector<SampleRange> windows = {{-700, -600}, {-30, 400},   {300, 600},
                                            {900, 1800},  {1500, 1700}, {1600, 2000}};
  for (const std::size_t k : {1u, 3u})
    for (const double cutoff : {0.0, 300.0}) {
      TracePreparation preparation = random_preparation(this->random, n_channels, k, -1);
      preparation.highpass_hz = cutoff;
      const auto whole = load_all(TypeParam(), recording, preparation, n);
      const Matrix<float, TypeParam> traces("kokkosort::test::traces", n_channels, 1000);
      TransferLedger ledger;
      StageTimes times;
      TraceLoader<TypeParam> loader(TypeParam(), {recording, preparation}, windows, {}, "test", ledger,
                                    times);
      for (const SampleRange& window : windows) {
        SCOPED_TRACE("samples from " + std::to_string(window.first));
        Kokkos::deep_copy(traces, 1e9f);
        loader.next(traces);
        const auto loaded = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), traces);
        for (std::size_t c = 0; c < n_channels; ++c)
          for (std::size_t i = 0; i < 1000; ++i) {
            const std::int64_t t = window.first + static_cast<std::int64_t>(i);
            const bool inside = t >= 0 && t < n && t < window.last;
            ASSERT_EQ(loaded(c, i), inside ? whole(c, static_cast<std::size_t>(t)) : 0.0f) << c << " " << t;
          }
      }
      EXPECT_THROW(loader.next(traces), std::out_of_range);
    }
}

TYPED_TEST(TraceLoaderTest, OneChannelOneSampleAndNone) {
  for (const std::size_t n : {0u, 1u, 2u}) {
    MemoryRecording recording(this->noise(n), 1);
    TracePreparation preparation = filtered_only(1, 30000.0, 300.0);
    preparation.common_reference = true;
    const Matrix<float, TypeParam> traces("kokkosort::test::traces", 1, 10);
    TransferLedger ledger;
    StageTimes times;
    TraceLoader<TypeParam> loader(TypeParam(), {recording, preparation}, {{-3, 7}}, {}, "test", ledger,
                                  times);
    loader.next(traces);
    EXPECT_EQ(to_host(traces), std::vector<float>(10, 0.0f));
  }
}

/// Samples cross as they are stored, each window's once with what its filter needs.
TYPED_TEST(TraceLoaderTest, CrossesAsStored) {
  constexpr std::size_t n_channels = 4;
  MemoryRecording recording(this->noise(n_channels * 20000), n_channels);
  TransferLedger ledger;
  StageTimes times;
  const Matrix<float, TypeParam> traces("kokkosort::test::traces", n_channels, 5000);
  const TracePreparation preparation = filtered_only(n_channels, 30000.0, 300.0);
  TraceLoader<TypeParam> loader(TypeParam(), {recording, preparation}, {{0, 5000}, {5000, 10000}}, {}, "test",
                                ledger, times);
  loader.next(traces);
  loader.next(traces);
  const auto& window = ledger.entries().at({"test", "window", Direction::up});
  EXPECT_EQ(window.copies, 2u);
  EXPECT_GE(window.bytes, 10000 * n_channels * sizeof(std::int16_t));
  EXPECT_LE(window.bytes, (10000 + 6 * 1024) * n_channels * sizeof(std::int16_t));
  for (const auto& [key, entry] : ledger.entries()) EXPECT_EQ(key.direction, Direction::up) << key.what;
}

}  // namespace
}  // namespace kokkosort::test
