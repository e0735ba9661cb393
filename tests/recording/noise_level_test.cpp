#include "kokkosort/recording/noise_level.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kokkosort/recording/memory_recording.hpp"

namespace kokkosort::test {
namespace {

TEST(NoiseLevelTest, IsTheNoisesDeviationWhateverTheSpikes) {
  constexpr std::uint64_t seed = 21;
  RecordProperty("seed", std::to_string(seed));
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0.0, 200.0);
  std::vector<std::int16_t> samples(5000 * 4);
  for (std::int16_t& sample : samples) sample = static_cast<std::int16_t>(std::lround(noise(random)));
  for (std::size_t i = 0; i < samples.size(); i += 40) samples[i] = 30000;
  MemoryRecording recording(samples, 4);
  EXPECT_NEAR(noise_level(recording), 200.0, 10.0);
}

TEST(NoiseLevelTest, OfSilenceIsZero) {
  MemoryRecording recording(std::vector<float>(7 * 3, 0.0f), 3);
  EXPECT_EQ(noise_level(recording), 0.0);
}

}  // namespace
}  // namespace kokkosort::test
