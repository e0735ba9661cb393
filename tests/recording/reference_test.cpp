#include "recording/reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "host_copies.hpp"

namespace kokkosort::test {
namespace {

template <class Exec>
class ReferenceTest : public testing::Test {
 protected:
  ReferenceTest() { RecordProperty("seed", std::to_string(seed)); }

  static std::vector<float> subtracted(const std::vector<float>& values, std::size_t n_channels,
                                       const std::vector<std::int32_t>& channels) {
    const std::size_t n_samples = values.size() / n_channels;
    const Matrix<float, Exec> rows = to_device<Exec>(values, n_samples, n_channels);
    const Exec exec;
    subtract_median<Exec>(exec, {rows, {0, static_cast<std::int64_t>(n_samples)}}, to_device<Exec>(channels));
    exec.fence("kokkosort::test::subtracted");
    return to_host(rows);
  }

  /// Sorts; the lower one of the two in the middle.
  static std::vector<float> expected(std::vector<float> values, std::size_t n_channels,
                                     const std::vector<std::int32_t>& channels) {
    for (std::size_t first = 0; first < values.size(); first += n_channels) {
      std::vector<float> sorted;
      for (const std::int32_t channel : channels)
        sorted.push_back(values[first + static_cast<std::size_t>(channel)]);
      std::sort(sorted.begin(), sorted.end());
      const float median = sorted[(sorted.size() - 1) / 2];
      for (std::size_t c = 0; c < n_channels; ++c) values[first + c] -= median;
    }
    return values;
  }

  static constexpr std::uint64_t seed = 611;
  std::mt19937_64 random{seed};
};
TYPED_TEST_SUITE(ReferenceTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(ReferenceTest, EqualsSorting) {
  std::normal_distribution<float> normal;
  for (const std::size_t n_channels : {1u, 2u, 3u, 8u, 31u, 32u, 33u, 100u, 385u})
    for (const bool coarse : {false, true}) {
      SCOPED_TRACE(std::to_string(n_channels) + (coarse ? " channels, with ties" : " channels"));
      std::vector<float> values(n_channels * 77);
      for (float& value : values)
        value = coarse ? std::round(normal(this->random)) : 1e4f * normal(this->random);
      std::vector<std::int32_t> all(n_channels);
      for (std::size_t c = 0; c < n_channels; ++c) all[c] = static_cast<std::int32_t>(c);
      EXPECT_EQ(this->subtracted(values, n_channels, all), this->expected(values, n_channels, all));
    }
}

TYPED_TEST(ReferenceTest, SomeChannelsAloneCount) {
  std::normal_distribution<float> normal;
  std::vector<float> values(20 * 50);
  for (float& value : values) value = normal(this->random);
  const std::vector<std::int32_t> some = {1, 2, 5, 9, 17, 19};
  EXPECT_EQ(this->subtracted(values, 20, some), this->expected(values, 20, some));
  EXPECT_EQ(this->subtracted(values, 20, {}), values);
}

TYPED_TEST(ReferenceTest, EqualAndExtremeValues) {
  const std::vector<float> same(9 * 3, -4.25f);
  const std::vector<std::int32_t> all = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(this->subtracted(same, 9, all), std::vector<float>(27, 0.0f));
  const std::vector<float> extreme = {-3e38f, 3e38f, 0.0f, -0.0f, 1e-42f, -1e-42f, 5.0f, -5.0f, 2.0f};
  EXPECT_EQ(this->subtracted(extreme, 9, all), this->expected(extreme, 9, all));
}

}  // namespace
}  // namespace kokkosort::test
