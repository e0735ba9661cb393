// Stages that run out of memory do with less, or say what they need.
#include "sort/memory_share.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"
#include "sort/sort_problem.hpp"

namespace kokkosort::test {
namespace {

/// Asks Kokkos for more memory than any machine has.
template <class Exec>
void allocate_too_much() {
  const Vector<char, Exec> vast(Kokkos::view_alloc("kokkosort::test::vast", Kokkos::WithoutInitializing),
                                std::size_t{1} << 55);
}

template <class Exec>
class MemoryShareTest : public testing::Test {
 protected:
  MemoryShareTest() { options.matching.device_limit_bytes = std::size_t{64} << 20; }

  MemoryRecording recording{std::vector<std::int16_t>(1000), 1};
  SortOptions options;
  HeardProgress progress;
};
TYPED_TEST_SUITE(MemoryShareTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(MemoryShareTest, AFailedAllocationHalvesTheLimits) {
  MemoryShare<TypeParam> memory(TypeParam(), this->recording, this->options, this->progress);
  std::vector<std::size_t> limits;
  const int answer = memory.run([&] {
    limits.push_back(memory.options().matching.device_limit_bytes >> 20);
    if (limits.size() < 4) allocate_too_much<TypeParam>();
    return 42;
  });
  EXPECT_EQ(answer, 42);
  EXPECT_EQ(limits.back(), limits.size() == 4 && !runs_on_host<TypeParam> ? 16u : 8u);
  ASSERT_FALSE(this->progress.notes.empty());
  EXPECT_NE(this->progress.notes.front().find("memory ran out"), std::string::npos);
  EXPECT_NE(this->progress.notes.front().find("failed to allocate"), std::string::npos)
      << this->progress.notes.front();
}

TYPED_TEST(MemoryShareTest, TheHostsMemoryToo) {
  MemoryShare<TypeParam> memory(TypeParam(), this->recording, this->options, this->progress);
  int runs = 0;
  memory.run([&] {
    if (++runs < 3) throw std::bad_alloc();
    return 0;
  });
  EXPECT_EQ(runs, 3);
  EXPECT_NE(this->progress.notes.back().find("the host has no more"), std::string::npos);
}

TYPED_TEST(MemoryShareTest, WhereNothingHelpsItEndsWithWords) {
  MemoryShare<TypeParam> memory(TypeParam(), this->recording, this->options, this->progress);
  int runs = 0;
  const auto stage = [&]() -> int {
    ++runs;
    throw std::bad_alloc();
  };
  EXPECT_NE(message_of<std::runtime_error>([&] { memory.run(stage); }).find("memory ran out"),
            std::string::npos);
  EXPECT_LT(runs, 20);
}

/// A stage that cannot do with less says what it needs.
TYPED_TEST(MemoryShareTest, TheNumbersThatAreNeeded) {
  MemoryShare<TypeParam> memory(TypeParam(), this->recording, this->options, this->progress);
  const auto stage = [&]() -> int {
    if (memory.options().matching.device_limit_bytes < (std::size_t{30} << 20))
      throw DeviceLimitError("memory.device_limit_mb = 16 is too small: needs 30");
    throw std::bad_alloc();
  };
  const std::string message = message_of<std::runtime_error>([&] { memory.run(stage); });
  EXPECT_NE(message.find("memory ran out"), std::string::npos) << message;
  EXPECT_NE(message.find("needs 30"), std::string::npos) << message;
}

/// Other errors, and a limit that was too small from the start, pass through as they are.
TYPED_TEST(MemoryShareTest, OtherErrorsAreNoneOfItsBusiness) {
  MemoryShare<TypeParam> memory(TypeParam(), this->recording, this->options, this->progress);
  int runs = 0;
  EXPECT_THROW(memory.run([&]() -> int {
    ++runs;
    throw DeviceLimitError("too small");
  }),
               DeviceLimitError);
  EXPECT_LE(runs, 2);  // once more without the recording on the device
  EXPECT_THROW(memory.run([]() -> int { throw InputError("bad"); }), InputError);
  EXPECT_THROW(memory.run([]() -> int { throw Stopped(); }), Stopped);
  EXPECT_TRUE(this->progress.notes.empty());
}

/// Fails as memory does, when samples are read for the n-th time.
class FailingRecording final : public Recording {
 public:
  FailingRecording(const SortProblem& problem, int fails_at)
      : samples_(problem.samples, problem.probe.x_um.size()), fails_at_(fails_at) {}

  std::int64_t n_samples() const override { return samples_.n_samples(); }
  std::size_t n_channels() const override { return samples_.n_channels(); }
  SampleType type() const override { return samples_.type(); }
  void read(std::int64_t first, std::size_t count, void* to) override {
    if (++n_reads_ == fails_at_) throw std::bad_alloc();
    samples_.read(first, count, to);
  }
  int n_reads() const { return n_reads_; }

 private:
  MemoryRecording samples_;
  int fails_at_;
  std::atomic<int> n_reads_{0};
};

TYPED_TEST(MemoryShareTest, ASortThatRunsOutOfMemoryFindsTheSame) {
  SortProblem problem;
  FailingRecording healthy(problem, 0);
  const SortResult undisturbed = problem.template sort<TypeParam>(healthy);
  ASSERT_GT(undisturbed.sorting.n_spikes(), 50u);
  for (const int share : {10, 40, 60, 90}) {
    SCOPED_TRACE(share);
    FailingRecording failing(problem, std::max(1, healthy.n_reads() * share / 100));
    expect_same_sorting(problem.template sort<TypeParam>(failing), undisturbed);
    EXPECT_GT(failing.n_reads(), healthy.n_reads() * share / 100);
    EXPECT_FALSE(problem.progress.notes.empty() && runs_on_host<TypeParam>);
  }
}

}  // namespace
}  // namespace kokkosort::test
