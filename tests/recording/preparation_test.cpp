#include "kokkosort/recording/preparation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "host_copies.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/recording/open_recording.hpp"
#include "kokkosort/recording/whitened_copy.hpp"
#include "recording/correlated_noise.hpp"
#include "recording/load_traces.hpp"

namespace kokkosort::test {
namespace {

template <class Exec>
class PreparationTest : public testing::Test {
 protected:
  PreparationTest() { RecordProperty("seed", std::to_string(seed)); }

  Preparation prepare(Recording& recording, const Probe& probe, const PreprocessingOptions& options = {},
                      double offset = 0.0) {
    return prepare_recording(Exec(), recording, probe, all_columns(probe.x_um.size()), rate, offset, options,
                             ledger);
  }

  static constexpr double rate = 30000.0;
  static constexpr std::uint64_t seed = 641;
  std::mt19937_64 random{seed};
  TransferLedger ledger;
};
TYPED_TEST_SUITE(PreparationTest, ExecutionSpaces, ExecutionSpaceName);

/// Largest difference of traces' covariance from the identity, among channels less than `nearer_um` apart.
double largest_correlation(const HostMatrix<float>& traces, const Probe& probe, double nearer_um) {
  double largest = 0.0;
  for (std::size_t i = 0; i < traces.extent(0); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      if (std::hypot(probe.x_um[i] - probe.x_um[j], probe.y_um[i] - probe.y_um[j]) >= nearer_um) continue;
      double sum = 0.0;
      for (std::size_t t = 0; t < traces.extent(1); ++t) sum += double{traces(i, t)} * traces(j, t);
      sum /= static_cast<double>(traces.extent(1));
      largest = std::max(largest, std::abs(sum - (i == j ? 1.0 : 0.0)));
    }
  return largest;
}

TYPED_TEST(PreparationTest, CorrelatedNoiseBecomesWhite) {
  const Probe probe = shanks_probe(2, 16);
  MemoryRecording recording(correlated_noise(this->random, probe, 60000, 2000.0), 32);
  PreprocessingOptions options;
  options.window_samples = 10000;
  const Preparation whole = this->prepare(recording, probe, options);
  const auto before = load_all(TypeParam(), recording, filtered_only(32, 30000.0, 300.0), 20000);
  for (std::size_t c = 0; c < 32; ++c) EXPECT_GT(std::abs(before(c, 100)), 0.0f);
  EXPECT_TRUE(whole.traces.common_reference);
  const auto traces = load_all(TypeParam(), recording, whole.traces, 20000);
  EXPECT_LT(largest_correlation(traces, probe, 1e9), 5.0 / std::sqrt(60000.0));

  // Fewer neighbours leave something between channels far apart, but each channel has unit variance.
  options.whitening_channels = 8;
  const Preparation local = this->prepare(recording, probe, options);
  ASSERT_EQ(local.traces.weights.extent(1), 8u);
  const auto locally = load_all(TypeParam(), recording, local.traces, 20000);
  EXPECT_LT(largest_correlation(locally, probe, 1.0), 5.0 / std::sqrt(60000.0));
  EXPECT_LT(largest_correlation(locally, probe, 30.0), 0.1);
  for (const ChannelReport& channel : local.channels) {
    EXPECT_GT(channel.noise, 5.0);
    EXPECT_LT(channel.noise, 200.0);
    EXPECT_FALSE(channel.is_dead);
    EXPECT_FALSE(channel.is_saturated);
    EXPECT_EQ(channel.saturated, 0.0);
  }
  for (std::size_t c = 0; c < 32; ++c)
    for (std::size_t k = 0; k < 8; ++k)
      EXPECT_EQ(local.traces.weights(c, k), static_cast<float>(local.whitening(
                                                c, static_cast<std::size_t>(local.traces.neighbours(c, k)))));
}

TYPED_TEST(PreparationTest, DeadAndSaturatedChannels) {
  const Probe probe = shanks_probe(1, 12);
  constexpr std::size_t n = 30000;
  auto samples = correlated_noise(this->random, probe, n, 0.0);
  std::bernoulli_distribution toss(0.5);
  for (std::size_t t = 0; t < n; ++t) {
    std::int16_t* const row = &samples[t * 12];
    row[2] = 17;  // dead
    row[5] =
        static_cast<std::int16_t>(toss(this->random));  // one step of noise: nearly dead, and not saturated
    row[7] = std::clamp<std::int16_t>(row[7], -30, 30000);  // cut off where the amplifier ends
    if (t % 100 < 10) row[9] = 32767;                       // at the end of its range for 10 of 100 samples
    row[11] = -32768;                                       // for ever
  }
  MemoryRecording recording(samples, 12);
  PreprocessingOptions options;
  options.min_variance = 1e-3;
  const Preparation preparation = this->prepare(recording, probe, options);
  for (std::size_t c = 0; c < 12; ++c) {
    const ChannelReport& channel = preparation.channels[c];
    const bool dead = c == 2 || c == 5 || c == 11;
    EXPECT_EQ(channel.is_dead, dead) << c;
    EXPECT_EQ(channel.is_saturated, c == 7 || c == 9 || c == 11) << c << " " << channel.saturated;
    for (std::size_t k = 0; k < preparation.traces.weights.extent(1); ++k) {
      const std::int32_t neighbour = preparation.traces.neighbours(c, k);
      EXPECT_EQ(preparation.traces.weights(c, k) == 0.0f, dead);
      EXPECT_TRUE(dead || (neighbour != 2 && neighbour != 5 && neighbour != 11)) << c;
    }
    EXPECT_EQ(channel.noise == 0.0, dead) << c;
  }
  EXPECT_NEAR(preparation.channels[9].saturated, 0.09, 0.01);
  EXPECT_EQ(preparation.channels[11].saturated, 1.0);
  const auto traces = load_all(TypeParam(), recording, preparation.traces, n);
  for (std::size_t t = 0; t < n; ++t) ASSERT_EQ(traces(2, t), 0.0f);

  // A dead channel changes nothing for others.
  for (std::size_t t = 0; t < n; ++t) samples[t * 12 + 2] = static_cast<std::int16_t>(-9);
  MemoryRecording other(samples, 12);
  EXPECT_EQ(to_host(load_all(TypeParam(), other, this->prepare(other, probe, options).traces, n)),
            to_host(traces));
}

TYPED_TEST(PreparationTest, OneSecondOneChannelAndFew) {
  for (const std::size_t n_channels : {1u, 4u}) {
    SCOPED_TRACE(std::to_string(n_channels) + " channels");
    const Probe probe = shanks_probe(1, n_channels);
    MemoryRecording recording(correlated_noise(this->random, probe, 15000, 2056.0), n_channels);
    const Preparation preparation = this->prepare(recording, probe);
    EXPECT_FALSE(preparation.traces.common_reference);
    const auto traces = load_all(TypeParam(), recording, preparation.traces, 4000);
    EXPECT_LT(largest_correlation(traces, probe, 1e9), 0.05);
  }
}

/// As unsigned integers, and as floats with a gain, the whitened traces are the same.
TYPED_TEST(PreparationTest, TypesAndGainsDoNotMatter) {
  const Probe probe = shanks_probe(1, 9);
  const auto samples = correlated_noise(this->random, probe, 12000, 0.0);
  const auto whitened = [&](Recording& recording) {
    return load_all(TypeParam(), recording, this->prepare(recording, probe).traces, 12000);
  };
  MemoryRecording as_int16(samples, 9);
  const auto expected = to_host(whitened(as_int16));
  std::vector<std::uint16_t> unsigned_samples;
  std::vector<float> floats;
  for (const std::int16_t sample : samples) {
    unsigned_samples.push_back(static_cast<std::uint16_t>(sample + 32768));
    floats.push_back(0.25f * static_cast<float>(sample));
  }
  MemoryRecording as_uint16(unsigned_samples, 9);
  EXPECT_EQ(to_host(whitened(as_uint16)), expected);
  MemoryRecording as_float(floats, 9);
  const auto scaled = to_host(whitened(as_float));
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(scaled[i], expected[i], 1e-4);
}

/// Covariance from some windows, evenly spread; two runs, the same bytes.
TYPED_TEST(PreparationTest, SomeWindowsAreLookedAt) {
  const Probe probe = shanks_probe(1, 10);
  MemoryRecording recording(correlated_noise(this->random, probe, 100000, 0.0), 10);
  PreprocessingOptions options;
  options.window_samples = 2000;
  const Preparation first = this->prepare(recording, probe, options);
  const auto window = this->ledger.entries().at({"recording", "window", Direction::up});
  EXPECT_EQ(window.copies, 2u * 5u);  // 2 of 50 windows by the stride, but 5 at least; twice
  this->ledger = TransferLedger();
  const Preparation second = this->prepare(recording, probe, options);
  EXPECT_EQ(to_host(first.whitening), to_host(second.whitening));
  options.whitening_stride = 5;
  this->ledger = TransferLedger();
  this->prepare(recording, probe, options);
  EXPECT_EQ(this->ledger.entries().at({"recording", "window", Direction::up}).copies, 2u * 10u);
}

TYPED_TEST(PreparationTest, ErrorsGiveNumbers) {
  const Probe probe = shanks_probe(1, 32);
  const auto message = [&](std::size_t n_samples, const PreprocessingOptions& options, bool silent) {
    MemoryRecording recording(silent ? std::vector<std::int16_t>(32 * n_samples, 5)
                                     : correlated_noise(this->random, probe, n_samples, 0.0),
                              32);
    return message_of<InputError>([&] { this->prepare(recording, probe, options); });
  };
  const std::string too_short = message(100, {}, false);
  EXPECT_NE(too_short.find("has 100 samples"), std::string::npos) << too_short;
  EXPECT_NE(too_short.find("at least 320"), std::string::npos) << too_short;
  const std::string silent = message(1000, {}, true);
  EXPECT_NE(silent.find("all 32 are constant"), std::string::npos) << silent;
  PreprocessingOptions options;
  options.device_limit_bytes = 1000;
  const std::string memory = message(1000, options, false);
  EXPECT_NE(memory.find("memory.device_limit_mb"), std::string::npos) << memory;
}

/// What is written can be matched: read again with its scale, it equals the traces to half a step.
TYPED_TEST(PreparationTest, WhitenedCopy) {
  const Probe probe = shanks_probe(1, 10);
  MemoryRecording recording(correlated_noise(this->random, probe, 12345, 0.0), 10);
  const Preparation preparation = this->prepare(recording, probe);
  const auto traces = load_all(TypeParam(), recording, preparation.traces, 12345);
  const TemporaryFolder folder;
  StageTimes times;
  write_whitened(TypeParam(), {recording, preparation.traces}, folder / "white.bin", 5000, this->ledger,
                 times);
  const auto copy = open_flat_recording({folder / "white.bin"}, 10, SampleType::int16);
  ASSERT_EQ(copy->n_samples(), 12345);
  const auto read = load_all(TypeParam(), *copy, whitened_already(10, whitened_copy_scale), 12345);
  for (std::size_t c = 0; c < 10; ++c)
    for (std::size_t t = 0; t < 12345; ++t)
      ASSERT_NEAR(read(c, t), traces(c, t), 0.5 * whitened_copy_scale + 1e-5);
  EXPECT_THROW(write_whitened(TypeParam(), {recording, preparation.traces}, folder / "none" / "white.bin",
                              5000, this->ledger, times),
               std::runtime_error);
}

}  // namespace
}  // namespace kokkosort::test
