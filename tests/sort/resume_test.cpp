// A sort that was stopped anywhere goes on from there, to the same sorting.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "execution_spaces.hpp"
#include "kokkosort/errors.hpp"
#include "memory_checkpoints.hpp"
#include "sort/sort_problem.hpp"

namespace kokkosort::test {
namespace {

template <class Exec>
class ResumeTest : public testing::Test {
 protected:
  ResumeTest() : undisturbed(problem.template sort<Exec>()) {}

  SortProblem problem;
  SortResult undisturbed;
};
TYPED_TEST_SUITE(ResumeTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(ResumeTest, CheckpointsChangeNothing) {
  EXPECT_GE(this->undisturbed.sorting.n_units(), 3u);
  EXPECT_EQ(this->undisturbed.resumed_at, "");
  for (const int due_after : {0, 1, 3}) {
    MemoryCheckpoints checkpoints;
    checkpoints.due_after = due_after;
    expect_same_sorting(this->problem.template sort<TypeParam>(&checkpoints), this->undisturbed);
    EXPECT_GT(checkpoints.n_saved, 8);
  }
}

/// Stops as soon as it may, every time, so that each run does one step: a window, or a stage without windows.
TYPED_TEST(ResumeTest, StepByStep) {
  MemoryCheckpoints checkpoints;
  int runs = 0;
  for (bool done = false; !done; ++runs) {
    ASSERT_LT(runs, 200);
    MemoryCheckpoints stopping = checkpoints;
    stopping.stop_at = 1;
    try {
      expect_same_sorting(this->problem.template sort<TypeParam>(&stopping), this->undisturbed);
      done = true;
    } catch (const Stopped&) {
      const int before = checkpoints.n_saved;
      checkpoints.saved = stopping.saved;
      checkpoints.n_saved = stopping.n_saved;
      if (checkpoints.n_saved == before) done = true;  // behind curation, which saves nothing
    }
  }
  EXPECT_GT(runs, 4 * 13 + 6);  // windows of four passes, and the stages without
  const SortResult last = this->problem.template sort<TypeParam>(&checkpoints);
  expect_same_sorting(last, this->undisturbed);
  EXPECT_EQ(last.resumed_at, "matching, pass 3");
}

TYPED_TEST(ResumeTest, SomeStepsAtATime) {
  for (const int steps : {5, 14, 25, 40}) {  // in detection, or in matching
    SCOPED_TRACE(steps);
    MemoryCheckpoints checkpoints;
    checkpoints.due_after = 2;
    checkpoints.stop_at = steps;
    EXPECT_THROW(this->problem.template sort<TypeParam>(&checkpoints), Stopped);
    const SortResult result = this->problem.template sort<TypeParam>(&checkpoints);
    expect_same_sorting(result, this->undisturbed);
    EXPECT_NE(result.resumed_at, "");
    ASSERT_FALSE(this->problem.progress.resumed.empty());
    EXPECT_GT(this->problem.progress.resumed.front(), 0);
  }
}

/// Blocks that do not follow each other, as two interrupted runs may leave them, are not put together.
TYPED_TEST(ResumeTest, BlocksWithAGapAreNotUsedBehindIt) {
  MemoryCheckpoints checkpoints;
  checkpoints.due_after = 1;
  this->problem.template sort<TypeParam>(&checkpoints);
  ASSERT_TRUE(checkpoints.saved.contains("detection-0005"));
  checkpoints.remove("clusters");
  checkpoints.remove("matching");
  checkpoints.saved["detection-0003"] = checkpoints.saved["detection-0005"];
  expect_same_sorting(this->problem.template sort<TypeParam>(&checkpoints), this->undisturbed);
  EXPECT_EQ(this->problem.progress.resumed.front(), 3 * 9000);
}

/// What could not be kept, as on a full disk, is kept with what is found next.
TYPED_TEST(ResumeTest, ADiskThatIsFullForAWhile) {
  class FullForAWhile final : public Checkpoints {
   public:
    std::optional<SavedArrays> load(const std::string& name) override { return kept.load(name); }
    void save(const std::string& name, ArraysToSave arrays) override {
      kept.is_full = ++n_tries > 4 && n_tries < 9;
      kept.save(name, std::move(arrays));
    }
    bool finish() override { return kept.finish(); }
    void remove(const std::string& beginning) override { kept.remove(beginning); }
    bool is_due() const override { return true; }
    bool is_worth(std::size_t) const override { return true; }
    bool should_stop() const override { return false; }

    MemoryCheckpoints kept;
    int n_tries = 0;
  } checkpoints;
  expect_same_sorting(this->problem.template sort<TypeParam>(&checkpoints), this->undisturbed);
  EXPECT_GT(checkpoints.n_tries, checkpoints.kept.n_saved);
  checkpoints.kept.remove("clusters");
  expect_same_sorting(this->problem.template sort<TypeParam>(&checkpoints.kept), this->undisturbed);
  ASSERT_FALSE(this->problem.progress.resumed.empty());
  EXPECT_EQ(this->problem.progress.resumed.front(), 4 * 30000);  // all
}

/// What the next pass does not need goes.
TYPED_TEST(ResumeTest, MatchedSpikesOfEarlierPassesAreNotKept) {
  MemoryCheckpoints checkpoints;
  this->problem.template sort<TypeParam>(&checkpoints);
  const auto has = [&](const std::string& name) { return checkpoints.saved.contains(name); };
  EXPECT_TRUE(has("detection-0000") && has("clusters_detected") && has("clusters_1") && has("clusters_2"));
  EXPECT_TRUE(has("matching_3-0000") && has("clusters_3"));
  EXPECT_FALSE(has("matching_1-0000") || has("matching_2-0000"));
}

}  // namespace
}  // namespace kokkosort::test
