#include "sweep/run_sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace kokkosort::test {
namespace {

/// What fake kernels did.
struct Log {
  std::vector<std::int64_t> run;  // values of `size`, in order
};

/// Launches `size` kernels on `size` numbers; the answer is wrong from size `wrong` on.
class FakeKernel : public SweepKernel {
 public:
  FakeKernel(Log& log, std::int64_t size, std::int64_t wrong) : log_(log), size_(size), wrong_(wrong) {}

  void run() override {
    log_.run.push_back(size_);
    const Kokkos::View<double*, SweepExec> numbers("kokkosort::test::numbers", static_cast<std::size_t>(size_));
    for (std::int64_t i = 0; i < size_; ++i) Kokkos::deep_copy(SweepExec(), numbers, 1.0);
  }
  std::string check() const override { return size_ < wrong_ ? "" : "too large"; }
  Work work() const override { return {2.0 * static_cast<double>(size_), 0.0}; }

 private:
  Log& log_;
  std::int64_t size_;
  std::int64_t wrong_;
};

SweepKernelInfo fake_kernel(Log& log, std::int64_t wrong) {
  return {"fake", "for this test", {{"size", "", 1, 100, 1}, {"other", "", 0, 9, 7}},
          [&log, wrong](const SweepProblem&, const TunableValues& values) {
            return std::make_unique<FakeKernel>(log, values.at("size"), wrong);
          }};
}

SweepPlan plan_of(const SweepKernelInfo& kernel) {
  return {&kernel, {"size"}, {{1, 4, 9}}, {{"size", 1}, {"other", 7}}, 5, 2};
}

void say_nothing(const std::string&) {}

TEST(RunSweep, MeasuresEveryCombination) {
  Log log;
  const SweepKernelInfo kernel = fake_kernel(log, 100);
  const std::vector<SweepPoint> points = run_sweep(plan_of(kernel), {}, say_nothing);
  ASSERT_EQ(points.size(), 3u);
  for (const SweepPoint& point : points) {
    const std::int64_t size = point.tunables.at("size");
    EXPECT_EQ(point.tunables.at("other"), 7);
    EXPECT_EQ(point.seconds.size(), 5u);
    EXPECT_EQ(point.work.flops, 2.0 * static_cast<double>(size));
    EXPECT_EQ(std::count(log.run.begin(), log.run.end(), size), 1 + 1 + 2 + 5);  // checked, counted, warm, timed
    const auto bytes = point.high_water.find(SweepExec::memory_space::name());
    ASSERT_NE(bytes, point.high_water.end());
    EXPECT_GE(bytes->second, sizeof(double) * static_cast<std::uint64_t>(size));
  }
  EXPECT_EQ((std::vector<std::int64_t>(log.run.begin(), log.run.begin() + 3)), (std::vector<std::int64_t>{1, 4, 9}));
}

TEST(RunSweep, OneWrongAnswerAndNothingIsTimed) {
  Log log;
  const SweepKernelInfo kernel = fake_kernel(log, 9);
  try {
    run_sweep(plan_of(kernel), {}, say_nothing);
    FAIL() << "the wrong answer was taken";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "fake with size = 9: wrong answer: too large");
  }
  EXPECT_EQ(log.run, (std::vector<std::int64_t>{1, 4, 9}));
}

TEST(RunSweep, GridVariesTheLastParameterFastest) {
  const SweepPlan plan{nullptr, {"a", "b"}, {{1, 2}, {10, 20, 30}}, {{"a", 0}, {"b", 0}, {"c", 5}}, 1, 0};
  const std::vector<TunableValues> grid = sweep_grid(plan);
  ASSERT_EQ(grid.size(), 6u);
  EXPECT_EQ(grid[0], (TunableValues{{"a", 1}, {"b", 10}, {"c", 5}}));
  EXPECT_EQ(grid[1], (TunableValues{{"a", 1}, {"b", 20}, {"c", 5}}));
  EXPECT_EQ(grid[5], (TunableValues{{"a", 2}, {"b", 30}, {"c", 5}}));
}

TEST(RunSweep, QuantilesByHand) {
  EXPECT_EQ(quantile({3.0, 1.0, 2.0}, 0.5), 2.0);
  EXPECT_EQ(quantile({4.0, 1.0, 2.0, 3.0}, 0.5), 2.5);
  EXPECT_EQ(quantile({5.0, 1.0, 2.0, 4.0, 3.0}, 0.25), 2.0);
  EXPECT_EQ(quantile({5.0, 1.0}, 0.0), 1.0);
  EXPECT_EQ(quantile({5.0, 1.0}, 1.0), 5.0);
  EXPECT_EQ(quantile({7.0}, 0.75), 7.0);
}

}  // namespace
}  // namespace kokkosort::test
