#include "report/autocorrelogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace kokkosort::test {
namespace {

using Counts = std::vector<std::uint64_t>;

/// All pairs against all edges, in whole numbers.
Counts reference(const std::vector<std::int64_t>& samples, std::int64_t rate_hz, std::int64_t bins) {
  Counts counts(static_cast<std::size_t>(bins), 0);
  for (std::size_t i = 0; i < samples.size(); ++i)
    for (std::size_t j = i + 1; j < samples.size(); ++j)
      for (std::int64_t b = 0; b < bins; ++b) {
        const std::int64_t apart = 1000 * (samples[j] - samples[i]);
        if (b * rate_hz <= apart && apart < (b + 1) * rate_hz) ++counts[static_cast<std::size_t>(b)];
      }
  return counts;
}

TEST(Autocorrelogram, is_that_of_all_pairs) {
  constexpr std::uint64_t seed = 7;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (const std::int64_t rate_hz : {30000, 15000, 24414, 2048, 700})
    for (const std::int64_t range : {300, 20000, 2000000}) {
      std::vector<std::int64_t> samples(400);
      for (std::int64_t& sample : samples)
        sample = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(range));
      std::sort(samples.begin(), samples.end());
      EXPECT_EQ(autocorrelogram(samples, static_cast<double>(rate_hz), 50), reference(samples, rate_hz, 50))
          << rate_hz << " Hz, " << range << " samples";
    }
}

TEST(Autocorrelogram, bins_have_their_starts_and_not_their_ends) {
  EXPECT_EQ(autocorrelogram({0, 30}, 30000.0, 3), (Counts{0, 1, 0}));
  EXPECT_EQ(autocorrelogram({0, 29}, 30000.0, 3), (Counts{1, 0, 0}));
  EXPECT_EQ(autocorrelogram({0, 90}, 30000.0, 3), (Counts{0, 0, 0}));
  EXPECT_EQ(autocorrelogram({5, 5}, 30000.0, 3), (Counts{1, 0, 0}));
}

TEST(Autocorrelogram, of_one_spike_or_none_is_empty) {
  EXPECT_EQ(autocorrelogram({}, 30000.0, 2), (Counts{0, 0}));
  EXPECT_EQ(autocorrelogram({1234567890123}, 30000.0, 2), (Counts{0, 0}));
}

}  // namespace
}  // namespace kokkosort::test
