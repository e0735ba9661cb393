#include "driver/common_checks.hpp"

#include <gtest/gtest.h>

#include "kokkosort/types.hpp"

namespace kokkosort::test {
namespace {

constexpr bool is_host = runs_on_host<Kokkos::DefaultExecutionSpace>;
constexpr std::size_t gigabyte = std::size_t{1} << 30;

/// On a device of 80 GB.
std::size_t settled(std::size_t limit, std::size_t free) {
  settle_device_limit(limit, {"a device", 80 * gigabyte, free});
  return limit;
}

TEST(DeviceLimit, IsHalfOfWhatIsFreeUnlessGiven) {
  EXPECT_EQ(settled(0, 6 * gigabyte), 3 * gigabyte);
  EXPECT_EQ(settled(0, 70 * gigabyte), is_host ? 4 * gigabyte : 35 * gigabyte);
  EXPECT_EQ(settled(5 * gigabyte, 6 * gigabyte), 5 * gigabyte);
  EXPECT_EQ(settled(5 * gigabyte, 80 * gigabyte), 5 * gigabyte);
}

}  // namespace
}  // namespace kokkosort::test
