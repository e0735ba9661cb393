#include "driver/profile_table.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "driver/run_profile.hpp"

namespace kokkosort::test {
namespace {

Ceilings easy_ceilings() {
  Ceilings ceilings;
  ceilings.copy_bandwidth = 1e9;
  ceilings.chain_rate = 1e12;
  ceilings.link_up = 1 << 20;
  ceilings.link_down = 1 << 21;
  return ceilings;
}

/// Two stages of a run of 10 seconds.
std::vector<ProfileRow> easy_rows() {
  StageTimes times;
  times.add("first", 4.0, {5e8, 1e12});
  times.add("second", 3.0);
  const std::map<std::string, DeviceUse> uses = {{"first", {12, 2.5, 0.5, 1 << 20, 1 << 20}},
                                                 {"", {3, 0.25, 0.0, 0, 0}}};
  return profile_rows(times, uses, 10.0, easy_ceilings());
}

std::vector<std::string> words_of(const std::string& table, const std::string& row) {
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (!words.empty() && words[0] == row) return words;
  }
  return {};
}

TEST(ProfileTable, RowsByHand) {
  const std::vector<ProfileRow> rows = easy_rows();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].stage, "first");
  EXPECT_EQ(rows[0].host(), 1.0);
  EXPECT_EQ(rows[0].floor, 1.0 + 1.0 + 0.5);  // operations, up, down
  EXPECT_EQ(rows[1].host(), 3.0);
  EXPECT_EQ(rows[1].floor, 0.0);
  EXPECT_EQ(rows[2].stage, "other");
  EXPECT_EQ(rows[2].wall, 3.0);
  EXPECT_EQ(rows[2].host(), 2.75);
}

TEST(ProfileTable, PrintsRowsAndTheirTotal) {
  using Words = std::vector<std::string>;
  const std::string table = profile_table(easy_rows());
  EXPECT_EQ(words_of(table, "first"),
            (Words{"first", "4.000", "2.500", "0.500", "1.000", "12", "1.0", "1.0", "2.5000", "62.5", "%"}));
  EXPECT_EQ(words_of(table, "second"),
            (Words{"second", "3.000", "0.000", "0.000", "3.000", "0", "-", "-", "-", "-"}));
  EXPECT_EQ(words_of(table, "other"),
            (Words{"other", "3.000", "0.250", "0.000", "2.750", "3", "-", "-", "-", "-"}));
  EXPECT_EQ(words_of(table, "total"),
            (Words{"total", "10.000", "2.750", "0.500", "6.750", "15", "1.0", "1.0", "2.5000", "25.0", "%"}));
}

TEST(RunProfile, WithoutReportNothingIsWatched) {
  const RunProfile profile(false);
  EXPECT_FALSE(StageProfiler::is_place_taken());
}

TEST(RunProfile, EndsAsItTells) {
  RunProfile profile(true);
  EXPECT_TRUE(StageProfiler::is_place_taken());
  const std::string told = profile.finish({}, 1.0);
  EXPECT_FALSE(StageProfiler::is_place_taken());
  EXPECT_NE(told.find("slower"), std::string::npos);
}

TEST(RunProfile, LeavesToolsTheirPlace) {
  const StageProfiler tool;
  RunProfile profile(true);
  EXPECT_NE(profile.finish({}, 1.0).find("A tool that Kokkos has loaded"), std::string::npos);
  EXPECT_TRUE(StageProfiler::is_place_taken());
}

}  // namespace
}  // namespace kokkosort::test
