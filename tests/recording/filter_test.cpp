// The device's filter against a loop over the whole recording in f64.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "host_copies.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"
#include "recording/filter_reference.hpp"
#include "recording/high_pass.hpp"
#include "recording/load_traces.hpp"

namespace kokkosort::test {
namespace {

/// Noise of 10 counts on slow waves of 1000, far from zero.
std::vector<double> slow_recording(std::mt19937_64& random, std::size_t n_samples, std::size_t n_channels,
                                   double sampling_rate_hz, double offset) {
  std::normal_distribution<double> noise(0.0, 10.0);
  std::uniform_real_distribution<double> phase(0.0, 6.28);
  std::vector<double> samples(n_samples * n_channels);
  for (std::size_t c = 0; c < n_channels; ++c) {
    const double start = phase(random);
    for (std::size_t t = 0; t < n_samples; ++t) {
      const double seconds = static_cast<double>(t) / sampling_rate_hz;
      samples[t * n_channels + c] =
          std::round(offset + 700.0 * std::sin(6.28 * 3.0 * seconds + start) +
                     300.0 * std::sin(6.28 * 12.0 * seconds + 2.0 * start) + noise(random));
    }
  }
  return samples;
}

template <class T>
std::vector<T> stored_as(const std::vector<double>& samples) {
  std::vector<T> stored;
  for (const double sample : samples) stored.push_back(static_cast<T>(sample));
  return stored;
}

/// Largest difference of traces [channels, samples] from the reference, in noise's standard deviations.
double largest_error(const HostMatrix<float>& traces, const std::vector<double>& samples,
                     const DirectFilter& filter) {
  const std::size_t n_channels = traces.extent(0);
  double largest = 0.0;
  for (std::size_t c = 0; c < n_channels; ++c) {
    std::vector<double> channel;
    for (std::size_t i = c; i < samples.size(); i += n_channels) channel.push_back(samples[i]);
    const std::vector<double> expected = filter.both_ways(channel);
    EXPECT_EQ(traces.extent(1), expected.size());
    for (std::size_t t = 0; t < expected.size(); ++t) {
      const double error = std::abs(traces(c, t) - expected[t]) / 10.0;
      if (!(error <= largest)) largest = std::isnan(error) ? 1e9 : error;
    }
  }
  return largest;
}

template <class Exec>
class FilterTest : public testing::Test {
 protected:
  FilterTest() { RecordProperty("seed", std::to_string(seed)); }

  template <class T>
  static HostMatrix<float> filter(const std::vector<double>& samples, std::size_t n_channels, double rate,
                                  double cutoff = 300.0, std::int64_t window = 1 << 20) {
    MemoryRecording recording(stored_as<T>(samples), n_channels);
    return load_all(Exec(), recording, filtered_only(n_channels, rate, cutoff), window);
  }

  static constexpr std::uint64_t seed = 601;
  std::mt19937_64 random{seed};
};
TYPED_TEST_SUITE(FilterTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(FilterTest, AnyLengthEqualsTheWholeRecordingInDoublePrecision) {
  double largest = 0.0;
  for (const double rate : {15000.0, 30000.0}) {
    const HighPass design = design_high_pass(rate, 300.0);
    const DirectFilter reference(rate, 300.0);
    const auto block = static_cast<std::size_t>(design.block);
    const auto warm_up = static_cast<std::size_t>(design.warm_up);
    for (const std::size_t n :
         {std::size_t{1}, std::size_t{2}, std::size_t{9}, warm_up - 1, warm_up + 1, block - 1, block,
          block + 1, block + warm_up, 3 * block + 77, std::size_t{30011}}) {
      SCOPED_TRACE(std::to_string(n) + " samples at " + std::to_string(rate) + " Hz");
      const auto samples = slow_recording(this->random, n, 3, rate, 2056.0);
      const double error =
          largest_error(this->template filter<std::int16_t>(samples, 3, rate), samples, reference);
      EXPECT_LT(error, 1e-3);
      largest = std::max(largest, error);
    }
  }
  std::cout << TypeParam::name() << ": largest error " << largest << " sigma\n";
}

TYPED_TEST(FilterTest, AllTypesAndOffsets) {
  const DirectFilter reference(30000.0, 300.0);
  const auto near = slow_recording(this->random, 5000, 2, 30000.0, 0.0);
  const auto expect_near = [&](double offset, auto zero) {
    std::vector<double> samples = near;
    for (double& sample : samples) sample += offset;
    const auto traces = this->template filter<decltype(zero)>(samples, 2, 30000.0);
    EXPECT_LT(largest_error(traces, samples, reference), 1e-3) << offset;
  };
  expect_near(-30000.0, std::int16_t{});
  expect_near(32768.0, std::uint16_t{});
  expect_near(60000.0, std::uint16_t{});
  expect_near(2e9, std::int32_t{});
  expect_near(-8000.0, float{});
}

TYPED_TEST(FilterTest, ManyChannelsAndOtherCutoffs) {
  for (const double cutoff : {20.0, 500.0, 6000.0})
    for (const std::size_t n_channels : {1u, 15u, 16u, 17u, 40u}) {
      SCOPED_TRACE(std::to_string(n_channels) + " channels, " + std::to_string(cutoff) + " Hz");
      const auto samples = slow_recording(this->random, 4000, n_channels, 30000.0, 100.0);
      const auto traces = this->template filter<std::int16_t>(samples, n_channels, 30000.0, cutoff);
      EXPECT_LT(largest_error(traces, samples, DirectFilter(30000.0, cutoff)), 1e-3);
    }
}

/// What becomes of a sample does not depend on the window it is in.
TYPED_TEST(FilterTest, WindowsDoNotMatter) {
  const auto samples = slow_recording(this->random, 7001, 18, 30000.0, 500.0);
  const auto whole = this->template filter<std::int16_t>(samples, 18, 30000.0);
  for (const std::int64_t window : {333, 1024, 4096, 7000}) {
    SCOPED_TRACE("windows of " + std::to_string(window));
    const auto parts = this->template filter<std::int16_t>(samples, 18, 30000.0, 300.0, window);
    EXPECT_EQ(to_host(parts), to_host(whole));
  }
}

/// Far from zero, under slow waves: what is left of the noise has the noise's own size.
TYPED_TEST(FilterTest, SlowWavesAreGone) {
  const auto samples = slow_recording(this->random, 30000, 1, 30000.0, 2000.0);
  const auto traces = this->template filter<std::int16_t>(samples, 1, 30000.0);
  double square = 0.0;
  for (std::size_t t = 0; t < 30000; ++t) square += double{traces(0, t)} * traces(0, t);
  EXPECT_NEAR(std::sqrt(square / 30000.0), 10.0, 0.5);
}

TEST(HighPassDesign, CutoffsThatCannotBeAreErrors) {
  EXPECT_THROW(design_high_pass(30000.0, 15000.0), InputError);
  EXPECT_THROW(design_high_pass(1000.0, 700.0), InputError);
  const std::string message = message_of<InputError>([] { design_high_pass(1000.0, 700.0); });
  EXPECT_NE(message.find("preprocessing.highpass_hz = 700"), std::string::npos) << message;
}

}  // namespace
}  // namespace kokkosort::test
