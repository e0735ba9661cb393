#include "core/groups.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace kokkosort::test {
namespace {

std::vector<std::size_t> members(const Groups& groups, std::size_t group) {
  return {groups.of(group).begin(), groups.of(group).end()};
}

TEST(Groups, HoldTheirMembersInOrder) {
  const std::vector<std::int32_t> group_of{2, 0, 2, 3, 0, 2};
  const Groups groups(group_of.data(), group_of.size(), 5);
  EXPECT_EQ(groups.size(), 5u);
  EXPECT_EQ(members(groups, 0), (std::vector<std::size_t>{1, 4}));
  EXPECT_EQ(members(groups, 2), (std::vector<std::size_t>{0, 2, 5}));
  EXPECT_EQ(members(groups, 3), (std::vector<std::size_t>{3}));
  for (const std::size_t empty : {std::size_t{1}, std::size_t{4}})
    EXPECT_TRUE(members(groups, empty).empty());
}

TEST(Groups, OfNothing) {
  EXPECT_EQ(Groups(nullptr, 0, 0).size(), 0u);
  EXPECT_TRUE(members(Groups(nullptr, 0, 2), 1).empty());
}

}  // namespace
}  // namespace kokkosort::test
