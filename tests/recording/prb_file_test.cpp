#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "recording/probe_inputs.hpp"
#include "recording/probe_samples.hpp"

namespace kokkosort::test {
namespace {

TEST(PrbFile, IsRead) {
  expect_probe(read_probe_text(prb), {4, 5, 6, 0, 2}, {0, 0, 10, 200, 200}, {0, 20.5, -40, 0.5, 20},
               {1, 1, 1, 3, 3});
}

/// The columns of a group whose channels are this text, with as many positions as asked for.
std::vector<std::int32_t> columns(const std::string& channels, int n) {
  std::string text = "channel_groups = {0: {'channels': " + channels + ", 'geometry': [";
  for (int i = 0; i < n; ++i) text += "(" + std::to_string(i) + ", 0),";
  return read_probe_text(text + "]}}").column;
}

TEST(PrbFile, ListsAreSpelledInManyWays) {
  using Columns = std::vector<std::int32_t>;
  EXPECT_EQ(columns("[0, 1, 2]", 3), (Columns{0, 1, 2}));
  EXPECT_EQ(columns("(0, 1, 2,)", 3), (Columns{0, 1, 2}));
  EXPECT_EQ(columns("range(3)", 3), (Columns{0, 1, 2}));
  EXPECT_EQ(columns("list ( range ( 2 , 4 ) )", 2), (Columns{2, 3}));
  EXPECT_EQ(columns("list((7, 5))", 2), (Columns{7, 5}));
  EXPECT_EQ(columns("(8,)", 1), (Columns{8}));
  EXPECT_EQ(columns("[(8), (9)]", 2), (Columns{8, 9}));
  EXPECT_EQ(columns("[0, # one\n 1,\r\n\\\n 2]", 3), (Columns{0, 1, 2}));
}

TEST(PrbFile, NumbersMayBeNumpys) {
  EXPECT_EQ(columns("[np.int64(5), np.int32( 7 ), np.float64(+2.0), np.float32(1)]", 4),
            (std::vector<std::int32_t>{5, 7, 2, 1}));
}

TEST(PrbFile, TheLastAssignmentHolds) {
  EXPECT_EQ(read_probe_text(std::string("channel_groups = None\n") + prb).column.size(), 5u);
  const std::string group = "{0: {'channels': [1], 'channels': [2], 'geometry': {2: (0, 0), 2: (5, 6)}}}";
  expect_probe(read_probe_text("channel_groups = " + group), {2}, {5}, {6}, {0});
}

TEST(PrbFile, GroupsWithoutNumbersAreNumbered) {
  EXPECT_EQ(read_probe_text(with(with(prb, "1: {", "'a': {"), "3: {", "'b': {")).probe.shank,
            (std::vector<std::int32_t>{0, 0, 0, 1, 1}));
  EXPECT_EQ(read_probe_text(with(prb, "3: {", "-3: {")).probe.shank,
            (std::vector<std::int32_t>{0, 0, 0, 1, 1}));
}

TEST(PrbFile, MistakesAreNamed) {
  const auto error = [](const std::string& what, const std::string& instead) {
    return probe_error(with(prb, what, instead));
  };
  EXPECT_TRUE(begins(error("'channels'", "'channel'"), "channel_groups[1]: has no 'channels'; give it"));
  EXPECT_TRUE(begins(error("'geometry'", "'where'"), "channel_groups[1]: has no 'geometry'; give it"));
  EXPECT_TRUE(begins(error("list(range(4, 7))", "4"), "channel_groups[1]['channels']: is no list"));
  EXPECT_TRUE(
      begins(error("list(range(4, 7))", "[4, '5']"), "channel_groups[1]['channels'][1]: is no number"));
  EXPECT_TRUE(begins(error("list(range(4, 7))", "range(4, 8)"),
                     "channel_groups[1]['geometry']: has no channel 7; give its (x, y)"));
  EXPECT_TRUE(begins(error("[(200., .5), (200, 20)]", "[(200., .5)]"),
                     "channel_groups[3]['geometry']: has 1 position, but 'channels' has 2; they must agree"));
  EXPECT_TRUE(begins(error("[(200., .5), (200, 20)]", "5"),
                     "channel_groups[3]['geometry']: is no dict {channel: (x,"));
  EXPECT_TRUE(begins(error("(200, 20)", "(200, 20, 1)"),
                     "channel_groups[3]['geometry'][1]: has 3 coordinates; it must be (x, y)"));
  EXPECT_TRUE(begins(error("(1e1, -40)", "None"), "channel_groups[1]['geometry'][6]: is no list"));
  EXPECT_TRUE(begins(error("(1e1, -40)", "('a', 1)"), "channel_groups[1]['geometry'][6][0]: is no number"));
  EXPECT_TRUE(begins(error("(1e1, -40)", "(1e8, 1)"), "geometry: the channel of column 6 is at 100000000"));
  EXPECT_TRUE(
      begins(error("(1e1, -40)", "(0, 0)"), "geometry: the channels of columns 4 and 6 are both at (0, 0)"));
  EXPECT_TRUE(begins(error("(0, 2)", "(0, 4)"), "channels: holds column 4 twice"));
  EXPECT_TRUE(
      begins(error("(0, 2)", "(0, -2)"), "channels: holds -2; it must be a column of the recording, from 0"));
  EXPECT_TRUE(begins(error("3: {", "1: {"), "channel_groups: has two groups 1; give each its own name"));
  EXPECT_TRUE(
      begins(error("3: {", "(3, 4): {"), "channel_groups: the name of a group must be a number or text"));
  EXPECT_TRUE(
      begins(probe_error("channel_groups = {1: []}"), "channel_groups[1]: is no dict with 'channels' and"));
  EXPECT_TRUE(
      begins(probe_error("channel_groups = []"), "channel_groups: is no dict of groups, e.g. {0: {'chan"));
  EXPECT_TRUE(begins(probe_error("channel_groups = {}"), "channels: has no channels"));
  EXPECT_TRUE(begins(probe_error("# channel_groups = {}"), "does not set channel_groups"));
}

TEST(PrbFile, WhatIsNoPlainDataIsNamedWithItsLine) {
  const std::string remedy =
      " is no plain data; write NAME = VALUE with numbers, strings, lists, tuples, dicts";
  const auto error = [](const std::string& lines) { return probe_error(lines + "\n" + prb); };
  EXPECT_TRUE(begins(error("import numpy as np"), "line 1: 'import numpy as np'" + remedy));
  EXPECT_TRUE(
      begins(error("a = 1\nchannel_groups[0]['x'] = 2"), "line 2: 'channel_groups[0]['x'] = 2'" + remedy));
  EXPECT_TRUE(begins(error("\n\na = np.arange(3)"), "line 3: 'np.arange(3)'" + remedy));
  EXPECT_TRUE(begins(error("a == 1"), "line 1: 'a == 1'" + remedy));
  EXPECT_TRUE(begins(error("a = 1 + 1"), "line 1: '+ 1'" + remedy));
  EXPECT_TRUE(begins(error("a = 'b' 'c'"), "line 1: ''c''" + remedy));
  for (const std::string bad : {"0x10",
                                "1_000",
                                "1j",
                                "-inf",
                                "- 1",
                                "1e999",
                                "1.2.3",
                                "range()",
                                "range(1, 2, 3)",
                                "range(0.5)",
                                "range('a')",
                                "list(3)",
                                "list()",
                                "dict()",
                                "{1, 2}",
                                "[i for i in x]",
                                "range(1e10)",
                                "np.int64('1')",
                                "np.int64()",
                                "np.int64",
                                "np.int8(1)",
                                "np.",
                                "nan",
                                "range",
                                "f'x'",
                                "[1 2]",
                                "]",
                                "lambda: 0",
                                "=",
                                "$"})
    EXPECT_TRUE(begins(error("a = " + bad), "line 1: '")) << bad;
  EXPECT_TRUE(begins(error("for i in range(3):"), "line 1: 'for i in range(3):'" + remedy));
  EXPECT_TRUE(begins(error("a = 'open"), "line 1: a string does not end on its line"));
  EXPECT_TRUE(
      begins(error("a = '''open"), "line 1: a string that begins here does not end; is the file complete?"));
  EXPECT_TRUE(
      begins(probe_error("channel_groups = {0: [1, 2"), "line 1: the text ends within a value; is the file"));
  EXPECT_TRUE(begins(probe_error("channel_groups ="), "line 1: the text ends within a value"));
  EXPECT_TRUE(begins(probe_error("channel_groups = '\\"), "line 1: a string that begins here does not end"));
}

TEST(PrbFile, SizeAndDepthAreBounded) {
  for (const std::string open : {"[", "(", "{", "{0:", "list(", "range("}) {
    std::string deep;
    for (int i = 0; i < 200000; ++i) deep += open;
    EXPECT_TRUE(begins(probe_error("channel_groups = " + deep), "line 1: is nested too deeply for a probe"))
        << open;
  }
  EXPECT_TRUE(
      begins(probe_error("channel_groups = range(1000000000)"), "line 1: the file holds too many values"));
  EXPECT_TRUE(begins(probe_error("a = [range(600000), range(600000)]; channel_groups = 0"),
                     "line 1: the file holds too many values"));
}

}  // namespace
}  // namespace kokkosort::test
