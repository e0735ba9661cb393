// Checkpoints in files: what was saved comes back to the last bit, or not at all.
#include "io/checkpoint_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "io/checkpoint_file.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort::test {
namespace {

namespace fs = std::filesystem;

class CheckpointFolderTest : public testing::Test {
 protected:
  CheckpointFolderTest() { RecordProperty("seed", std::to_string(seed)); }

  CheckpointOptions options(const std::string& fingerprint = "a: 1\nb: 2\n") {
    CheckpointOptions options;
    options.fingerprints = {{"stage", fingerprint}, {"stage_two", fingerprint + "c: 3\n"}};
    options.tell = [this](const std::string& text) { told.push_back(text); };
    return options;
  }
  static ArraysToSave some_arrays(const std::vector<double>& values) {
    ArraysToSave arrays;
    arrays.add("values", values);
    arrays.add("few", std::vector<std::int32_t>{1, 2, 3});
    arrays.add_number("number", 0.1);
    return arrays;
  }
  fs::path path() const { return folder_ / "c/stage.checkpoint"; }

  static constexpr std::uint64_t seed = 811;
  std::mt19937_64 random{seed};
  TemporaryFolder folder_;
  std::vector<std::string> told;
};

TEST_F(CheckpointFolderTest, WhatWasSavedComesBack) {
  std::vector<float> many((std::size_t{9} << 20) / 4 + 7);  // more than two blocks of the file
  std::generate(many.begin(), many.end(), [&] { return std::uniform_real_distribution<float>()(random); });
  const std::vector<std::int64_t> times = {-5, 1ll << 60};
  const HostTensor3<float> tensor("kokkosort::test::tensor", 2, 3, 4);
  tensor(1, 2, 3) = 7.0f;
  {
    CheckpointFolder checkpoints(folder_ / "c", options());
    ArraysToSave arrays;
    arrays.add<float>("pieces", {many.size()},
                      {{many.data(), 5}, {many.data() + 5, 0}, {many.data() + 5, many.size() - 5}});
    arrays.add("times", times);
    arrays.add("tensor", tensor);
    arrays.add("none", std::vector<std::int32_t>());
    arrays.add("no_tensor", HostTensor3<float>());
    arrays.add_number("number", 0.1);
    checkpoints.save("stage", std::move(arrays));
    checkpoints.save("stage_two-0000", some_arrays({1.5}));
  }
  CheckpointFolder checkpoints(folder_ / "c", options());
  auto saved = checkpoints.load("stage");
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->vector<float>("pieces"), many);
  EXPECT_EQ(saved->vector<std::int64_t>("times"), times);
  EXPECT_EQ(saved->tensor<float>("tensor")(1, 2, 3), 7.0f);
  EXPECT_EQ(saved->tensor<float>("tensor").extent(1), 3u);
  EXPECT_TRUE(saved->vector<std::int32_t>("none").empty());
  EXPECT_EQ(saved->number("number"), 0.1);
  EXPECT_TRUE(checkpoints.load("stage_two-0000"));
  EXPECT_FALSE(checkpoints.load("stage_two-0001"));
  EXPECT_TRUE(told.empty());
}

TEST_F(CheckpointFolderTest, WhatDependsOnSomethingElseIsNotUsed) {
  { CheckpointFolder(folder_ / "c", options()).save("stage", some_arrays({1.0})); }
  CheckpointFolder checkpoints(folder_ / "c", options("a: 1\nb: 3\n"));
  EXPECT_FALSE(checkpoints.load("stage"));
  EXPECT_FALSE(checkpoints.load("stage"));
  ASSERT_EQ(told.size(), 1u);  // once
  EXPECT_NE(told[0].find("stage.checkpoint: is not used: 'b: 2' has become 'b: 3'"), std::string::npos)
      << told[0];
  checkpoints.save("stage", some_arrays({2.0}));
  checkpoints.finish();
  EXPECT_EQ(checkpoints.load("stage")->vector<double>("values"), std::vector<double>{2.0});
}

/// Each bit, and each length, of a small file; some of a larger one.
TEST_F(CheckpointFolderTest, DamageIsSeen) {
  for (const std::size_t n : {std::size_t{3}, std::size_t{50000}}) {
    { CheckpointFolder(folder_ / "c", options()).save("stage", some_arrays(std::vector<double>(n, 0.5))); }
    const std::string good = read_text(path());
    const std::size_t step = n == 3 ? 1 : good.size() / 97;
    for (std::size_t at = 0; at < good.size(); at += step) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
      write_text(path(), bad);
      CheckpointFolder checkpoints(folder_ / "c", options());
      EXPECT_FALSE(checkpoints.load("stage")) << "byte " << at;
      write_text(path(), good.substr(0, at));
      EXPECT_FALSE(checkpoints.load("stage")) << "cut at " << at;
    }
    write_text(path(), good + "x");
    EXPECT_FALSE(read_checkpoint(path()));
    write_text(path(), good);
    EXPECT_TRUE(read_checkpoint(path()));
  }
}

/// Headers that claim what the file does not hold.
TEST_F(CheckpointFolderTest, ClaimsAreNotBelieved) {
  for (const std::string text :
       {"KokkoSort checkpoint 1\n99999999999 0\n", "KokkoSort checkpoint 1\n18446744073709551615 5\nabcde",
        "KokkoSort checkpoint 1\n0 27\nf4 2 4294967296 4294967297 a\n12345678",
        "KokkoSort checkpoint 1\n0 24\nf4 1 18446744073709551615 12345678", "KokkoSort checkpoint 1\n0 0\n",
        "", "x"}) {
    write_text(folder_ / "bad", text);
    EXPECT_FALSE(read_checkpoint(folder_ / "bad")) << text;
  }
  EXPECT_FALSE(read_checkpoint(folder_ / "none"));
  EXPECT_FALSE(read_checkpoint(folder_.path()));
}

TEST_F(CheckpointFolderTest, OneThatCannotBeSavedIsToldAndNoMore) {
  CheckpointFolder checkpoints(folder_ / "c", options());
  fs::remove_all(folder_ / "c");
  checkpoints.save("stage", some_arrays({1.0}));
  EXPECT_FALSE(checkpoints.finish());
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find("this checkpoint is not kept, the run goes on"), std::string::npos);
  EXPECT_NE(
      message_of<InputError>([&] { CheckpointFolder("/proc/none/c", options()); }).find("set output.folder"),
      std::string::npos);
}

TEST_F(CheckpointFolderTest, AreRemovedByTheBeginningOfTheirNames) {
  CheckpointFolder checkpoints(folder_ / "c", options());
  for (const std::string name : {"stage-0000", "stage-0001", "stage_two-0000"})
    checkpoints.save(name, some_arrays({}));
  checkpoints.remove("stage-");
  EXPECT_FALSE(checkpoints.load("stage-0000") || checkpoints.load("stage-0001"));
  EXPECT_TRUE(checkpoints.load("stage_two-0000"));
}

TEST_F(CheckpointFolderTest, AreDueAfterSomeTime) {
  CheckpointOptions now = options();
  now.seconds = 0.0;
  EXPECT_TRUE(CheckpointFolder(folder_ / "c", now).is_due());
  EXPECT_TRUE(CheckpointFolder(folder_ / "c", now).is_worth(std::size_t{1} << 40));
  now.seconds = 1e6;
  EXPECT_FALSE(CheckpointFolder(folder_ / "c", now).is_due());
  EXPECT_TRUE(CheckpointFolder(folder_ / "c", now).is_worth(0));
  EXPECT_FALSE(CheckpointFolder(folder_ / "c", now).is_worth(std::size_t{1} << 40));  // six hours of writing
  EXPECT_FALSE(fs::exists(folder_ / "c"));                                            // empty folders go
}

}  // namespace
}  // namespace kokkosort::test
