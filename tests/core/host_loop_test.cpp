#include "core/host_loop.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace kokkosort::test {
namespace {

TEST(HostLoop, CallsEachBodyOnce) {
  for (const std::size_t n : {0u, 1u, 1000u}) {
    std::vector<int> calls(n, 0);
    host_loop("test::calls", n, [&](const std::size_t i) { ++calls[i]; });
    EXPECT_EQ(calls, std::vector<int>(n, 1));
  }
}

TEST(HostLoop, ThrowsTheFirstFailureWhenAllAreDone) {
  std::vector<int> calls(100, 0);
  try {
    host_loop("test::failures", calls.size(), [&](const std::size_t i) {
      ++calls[i];
      if (i % 7 == 5) throw std::runtime_error(std::to_string(i));
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "5");
  }
  EXPECT_EQ(calls, std::vector<int>(100, 1));
}

TEST(HostLoop, BlocksAndCopiesReachEveryElement) {
  for (const std::size_t n : {0u, 1u, 2048u, 2049u, 200000u}) {
    std::vector<int> from(n);
    std::iota(from.begin(), from.end(), 1);
    std::vector<int> to(n, 0);
    host_copy("test::copy", from.data(), n, to.data());
    EXPECT_EQ(from, to) << n;
    std::vector<int> calls(n, 0);
    host_blocks("test::blocks", n, [&](const std::size_t first, const std::size_t last) {
      for (std::size_t i = first; i < last; ++i) ++calls[i];
    });
    EXPECT_EQ(calls, std::vector<int>(n, 1)) << n;
  }
}

}  // namespace
}  // namespace kokkosort::test
