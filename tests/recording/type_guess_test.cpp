#include "recording/type_guess.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "kokkosort/recording/memory_recording.hpp"

namespace kokkosort::test {
namespace {

constexpr std::size_t n_samples = 6000;

/// A recording before it is stored: [samples, channels], in steps of the converter.
struct Traces {
  std::string name;
  std::size_t n_channels;
  std::vector<double> values;

  double& at(std::size_t t, std::size_t c) { return values[t * n_channels + c]; }
};

/// Noise of each channel on slow waves, with spikes.
Traces recorded(const std::string& name, std::size_t n_channels, double noise, double waves,
                double offset = 0.0) {
  std::mt19937_64 random(20 + n_channels);
  std::normal_distribution<double> normal;
  Traces traces{name, n_channels, std::vector<double>(n_samples * n_channels)};
  for (std::size_t t = 0; t < n_samples; ++t)
    for (std::size_t c = 0; c < n_channels; ++c) {
      const double slow = waves * std::sin(6e-3 * static_cast<double>(t) + 0.1 * static_cast<double>(c));
      const double spike = (t + 97 * c) % 3000 < 20 ? -10.0 * noise : 0.0;
      traces.at(t, c) = std::round(offset + slow + spike + noise * normal(random));
    }
  return traces;
}

template <class Change>
Traces changed(Traces traces, const std::string& name, const Change& change) {
  traces.name = name;
  for (std::size_t t = 0; t < n_samples; ++t)
    for (std::size_t c = 0; c < traces.n_channels; ++c) change(traces.at(t, c), t, c);
  return traces;
}

template <class T>
std::vector<unsigned char> stored(const Traces& traces, double scale = 1.0, double offset = 0.0) {
  std::vector<unsigned char> bytes(traces.values.size() * sizeof(T));
  for (std::size_t i = 0; i < traces.values.size(); ++i) {
    double value = scale * traces.values[i] + offset;
    if constexpr (std::is_integral_v<T>)
      value = std::clamp(value, static_cast<double>(std::numeric_limits<T>::min()),
                         static_cast<double>(std::numeric_limits<T>::max()));
    const T sample = static_cast<T>(value);
    std::memcpy(&bytes[i * sizeof(T)], &sample, sizeof(T));
  }
  return bytes;
}

template <class T>
StoredStretches stretches_of(const std::vector<unsigned char>& bytes, std::size_t n_channels) {
  std::vector<T> samples(bytes.size() / (n_channels * sizeof(T)) * n_channels);
  std::memcpy(samples.data(), bytes.data(), samples.size() * sizeof(T));
  MemoryRecording recording(samples, n_channels);
  return read_stretches(recording);
}

/// What samples are likelier of than of the type that they are said to be of; empty: of none.
std::string likelier(const std::vector<unsigned char>& bytes, std::size_t n_channels, SampleType said) {
  std::vector<std::int32_t> columns(n_channels);
  std::iota(columns.begin(), columns.end(), 0);
  const StoredStretches stretches = bytes_of(said) == 2 ? stretches_of<std::int16_t>(bytes, n_channels)
                                                        : stretches_of<std::int32_t>(bytes, n_channels);
  const auto type = find_likelier_type(stretches, said, columns);
  return type ? type->type : "";
}

/// As amplifiers of many kinds write them.
std::vector<Traces> usual_recordings() {
  std::vector<Traces> all;
  for (const std::size_t n_channels : {1u, 2u, 3u, 16u})
    for (const double noise : {2.0, 15.0, 300.0})
      for (const double waves : {0.0, 100.0, 3000.0})
        all.push_back(recorded("noise " + std::to_string(noise) + ", waves " + std::to_string(waves),
                               n_channels, noise, waves));
  return all;
}

TEST(LikelierType, IsFoundForEveryPairOfTypes) {
  for (const Traces& traces : usual_recordings()) {
    const std::size_t n = traces.n_channels;
    SCOPED_TRACE(traces.name + ", channels: " + std::to_string(n));
    const auto shorts = stored<std::int16_t>(traces);
    const auto unsigneds = stored<std::uint16_t>(traces, 1.0, 32768.0);
    const auto longs = stored<std::int32_t>(traces);
    const auto floats = stored<float>(traces, 0.195);
    const auto counts = stored<float>(traces);
    const auto volts = stored<float>(traces, 1.95e-7);
    EXPECT_EQ(likelier(unsigneds, n, SampleType::int16), "uint16");
    EXPECT_EQ(likelier(shorts, n, SampleType::uint16), "int16");
    for (const SampleType said : {SampleType::int16, SampleType::uint16}) {
      EXPECT_EQ(likelier(longs, n, said), "int32");
      for (const auto& some : {floats, counts, volts}) EXPECT_EQ(likelier(some, n, said), "float32");
    }
    for (const auto& some : {floats, counts, volts})
      EXPECT_EQ(likelier(some, n, SampleType::int32), "float32");
    EXPECT_EQ(likelier(longs, n, SampleType::float32), "int32");
    for (const auto& some : {shorts, unsigneds}) {
      EXPECT_EQ(likelier(some, n, SampleType::float32), "int16 or uint16");
      EXPECT_EQ(likelier(some, n, SampleType::int32), "int16 or uint16");
    }
  }
}

/// Recordings that look odd, but are what they are said to be.
std::vector<Traces> odd_recordings() {
  std::vector<Traces> all = usual_recordings();
  const double rail = 32767.0;
  for (const std::size_t n : {1u, 2u, 4u, 16u}) {
    const Traces plain = recorded("", n, 12.0, 80.0);
    const Traces loud = recorded("", n, 3000.0, 12000.0);
    all.push_back(changed(plain, "zeros", [](double& v, auto, auto) { v = 0.0; }));
    all.push_back(
        changed(plain, "one bit of noise", [](double& v, auto, auto) { v = v > 0.0 ? 0.0 : -1.0; }));
    all.push_back(
        changed(plain, "three values", [](double& v, auto, auto) { v = std::clamp(v, -1.0, 1.0); }));
    all.push_back(changed(plain, "all but one dead", [](double& v, auto, auto c) { v = c == 1 ? v : 0.0; }));
    all.push_back(changed(plain, "odd ones dead", [](double& v, auto, auto c) { v = c % 2 == 1 ? 0.0 : v; }));
    all.push_back(changed(plain, "odd ones dead, others positive",
                          [](double& v, auto, auto c) { v = c % 2 == 1 ? 0.0 : std::abs(v) + 1.0; }));
    all.push_back(
        changed(plain, "even ones dead at -1", [](double& v, auto, auto c) { v = c % 2 == 0 ? -1.0 : v; }));
    all.push_back(changed(plain, "clipped", [](double& v, auto, auto) { v = std::clamp(v, -40.0, 40.0); }));
    all.push_back(changed(loud, "at the rails",
                          [=](double& v, auto, auto) { v = std::clamp(20.0 * v, -rail - 1.0, rail); }));
    all.push_back(changed(plain, "one from rail to rail", [=](double& v, auto t, auto c) {
      if (c == 0) v = t % 2 == 0 ? rail : -rail - 1.0;
    }));
    all.push_back(changed(plain, "stuck at the upper rail",
                          [=](double& v, auto, auto c) { v = c % 2 == 0 ? rail : v; }));
    all.push_back(changed(plain, "one counts samples", [](double& v, auto t, auto c) {
      if (c == 0) v = static_cast<double>(t % 65536) - 32768.0;
    }));
    all.push_back(changed(loud, "one noise of full range", [](double& v, auto t, auto c) {
      if (c == 0) v = static_cast<double>((t * 40503u) % 65536) - 32768.0;
    }));
    for (const double offset : {-20000.0, -500.0, 500.0, 16256.0, 16400.0, 20000.0, 28000.0}) {
      all.push_back(recorded("offset " + std::to_string(offset), n, 12.0, 80.0, offset));
      all.push_back(recorded("loud, offset " + std::to_string(offset), n, 1000.0, 2000.0, offset));
    }
    all.push_back(changed(plain, "offsets by channel",
                          [](double& v, auto, auto c) { v += c % 2 == 0 ? 16400.0 : -300.0; }));
    all.push_back(changed(plain, "silent but for a second",
                          [](double& v, auto t, auto) { v = t > 2000 && t < 4000 ? v : 0.0; }));
    all.push_back(changed(plain, "stimulated", [=](double& v, auto t, auto) {
      if (t % 3000 < 30) v = t % 2 == 0 ? rail : -rail;
    }));
  }
  return all;
}

TEST(LikelierType, IsNotFoundWhereTheTypeIsRight) {
  for (const Traces& traces : odd_recordings()) {
    const std::size_t n = traces.n_channels;
    SCOPED_TRACE(traces.name + ", channels: " + std::to_string(n));
    EXPECT_EQ(likelier(stored<std::int16_t>(traces), n, SampleType::int16), "");
    EXPECT_EQ(likelier(stored<std::uint16_t>(traces, 1.0, 32768.0), n, SampleType::uint16), "");
    EXPECT_EQ(likelier(stored<std::uint16_t>(traces, 0.02, 2048.0), n, SampleType::uint16),
              "");                                            // of 12 bits
    for (const double scale : {1.0, 256.0, 5000.0, 65536.0})  // of 16, and of 24 bits and more
      EXPECT_EQ(likelier(stored<std::int32_t>(traces, scale), n, SampleType::int32), "") << scale;
    for (const double scale : {1.0, 0.195, 1.95e-7, 1e-10})
      EXPECT_EQ(likelier(stored<float>(traces, scale), n, SampleType::float32), "") << scale;
  }
}

/// What a filter leaves of a silent channel, and what programs write where they have no number.
TEST(LikelierType, IsNotFoundForFloatsThatFadeOrAreNone) {
  const Traces plain = recorded("", 4, 12.0, 80.0);
  auto fading = changed(plain, "", [](double& v, auto, auto c) { v = c == 0 ? v : 1e-41; });
  EXPECT_EQ(likelier(stored<float>(fading), 4, SampleType::float32), "");
  auto none = changed(plain, "", [](double& v, auto t, auto) { v = t < 4000 ? std::nan("") : v; });
  EXPECT_EQ(likelier(stored<float>(none), 4, SampleType::float32), "");
}

TEST(LikelierType, IsNotFoundInTooFewSamples) {
  const std::vector<unsigned char> few(400, 0x41);
  for (const SampleType said :
       {SampleType::int16, SampleType::uint16, SampleType::int32, SampleType::float32})
    EXPECT_EQ(likelier(few, 1, said), "");
}

TEST(ConstantChannels, AreThoseOfTheProbeAlone) {
  Traces traces = recorded("", 3, 0.0, 0.0);
  std::fill(traces.values.begin(), traces.values.end(), 5.0);
  EXPECT_TRUE(are_constant(stretches_of<std::int16_t>(stored<std::int16_t>(traces), 3), {0, 1, 2}));
  traces.at(n_samples / 2, 2) = 6.0;
  traces.at(n_samples - 9, 1) = 6.0;
  const StoredStretches stretches = stretches_of<std::int16_t>(stored<std::int16_t>(traces), 3);
  EXPECT_TRUE(are_constant(stretches, {0}));
  EXPECT_FALSE(are_constant(stretches, {0, 1}));
}

TEST(Stretches, ReachFromTheFirstSampleToTheLast) {
  std::vector<std::int16_t> samples(1000001);
  std::iota(samples.begin(), samples.end(), 0);
  MemoryRecording recording(samples, 1);
  const StoredStretches stretches = read_stretches(recording);
  ASSERT_FALSE(stretches.bytes.empty());
  std::int16_t last = 0;
  std::memcpy(&last, &*(stretches.bytes.back().end() - 2), 2);
  EXPECT_GE(static_cast<std::int16_t>(last + 1), samples.back());
  MemoryRecording one(std::vector<std::int16_t>{7, 8}, 2);
  EXPECT_EQ(read_stretches(one).bytes.size(), 1u);
}

}  // namespace
}  // namespace kokkosort::test
