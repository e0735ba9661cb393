#include "core/fixed_point.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace kokkosort::test {
namespace {

TEST(FixedPoint, IsTheScaledValueRoundedDown) {
  std::mt19937_64 random(71);
  std::uniform_real_distribution<double> exponent(-40.0, 0.0);
  const FixedPoint fixed(1.0f, 1000);
  EXPECT_EQ(fixed.scale, 0x1p20f);
  for (int i = 0; i < 10000; ++i) {
    const auto value = static_cast<float>(std::exp2(exponent(random)));
    EXPECT_EQ(fixed(value), static_cast<std::int64_t>(std::floor(std::ldexp(static_cast<double>(value), 51)))) << value;
  }
}

TEST(FixedPoint, SumsFitAndAreAsFineAsTheyCanBe) {
  for (const float largest : {1e-26f, 1e-9f, 1.0f, 1e30f, std::numeric_limits<float>::max()})
    for (const std::uint32_t n : {1u, 1416u, 25'000'000u}) {
      const FixedPoint fixed(largest, n);
      const double sum = static_cast<double>(fixed(largest)) * n;
      EXPECT_LE(sum, 0x1p62) << largest << " " << n;
      EXPECT_GE(sum, 0x1p59) << largest << " " << n;
    }
}

TEST(FixedPoint, ZerosNeedNoScale) {
  const FixedPoint fixed(0.0f, 10);
  EXPECT_EQ(fixed.scale, 1.0f);
  EXPECT_EQ(fixed(0.0f), 0);
}

TEST(FixedPoint, TheSmallestFloatIsNotLost) {
  const float smallest = std::numeric_limits<float>::denorm_min();
  EXPECT_GT(FixedPoint(smallest, 1000)(smallest), 0);
}

}  // namespace
}  // namespace kokkosort::test
