#include "core/stage_profiler.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

#include "core/allocation_counter.hpp"
#include "core/host_loop.hpp"
#include "kokkosort/stage_times.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort::test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

void launch(int n) {
  for (int i = 0; i < n; ++i)
    Kokkos::parallel_for("kokkosort::test::kernel", Kokkos::RangePolicy<Exec>(0, 8),
                         KOKKOS_LAMBDA(const int){});
}

float sum_of(const Vector<float, Exec>& numbers) {
  float sum = 0.0f;
  Kokkos::parallel_reduce(
      "kokkosort::test::sum", Kokkos::RangePolicy<Exec>(0, numbers.size()),
      KOKKOS_LAMBDA(const std::size_t i, float& s) { s += numbers(i); }, sum);
  return sum;
}

void wait(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

TEST(StageProfiler, CountsLaunchesInTheInnermostStage) {
  const Exec exec;
  StageTimes times;
  const Vector<float, Exec> numbers("kokkosort::test::numbers", 8);
  const StageProfiler profiler;
  {
    const ScopedStage stage(exec, times, "outer");
    launch(2);
    {
      const ScopedStage inner(exec, times, "inner");
      Kokkos::Profiling::pushRegion("somebody else's");
      launch(3);
      Kokkos::Profiling::popRegion();
    }
    launch(1);
    sum_of(numbers);
  }
  launch(7);
  const auto uses = profiler.uses();
  EXPECT_EQ(uses.at("outer").launches, 4u);
  EXPECT_EQ(uses.at("inner").launches, 3u);
  EXPECT_EQ(uses.at("").launches, 7u);
  EXPECT_GT(uses.at("outer").kernel_seconds, 0.0);
  EXPECT_EQ(uses.size(), 3u);
}

TEST(StageProfiler, DeviceTimeIsThatOfKernelsAlone) {
  const Exec exec;
  StageTimes times;
  const StageProfiler profiler;
  {
    const ScopedStage stage(exec, times, "stage");
    launch(1);
    wait(50);
  }
  const DeviceUse use = profiler.uses().at("stage");
  EXPECT_GT(use.kernel_seconds, 0.0);
  EXPECT_LT(use.kernel_seconds, times.entries().front().seconds - 0.049);
}

TEST(StageProfiler, HostLoopsAreNoneOfTheDevices) {
  const Exec exec;
  StageTimes times;
  const StageProfiler profiler;
  {
    const ScopedStage stage(exec, times, "stage");
    host_loop("test::loop", 2, [](std::size_t) { wait(20); });
    launch(1);
  }
  const DeviceUse use = profiler.uses().at("stage");
  EXPECT_EQ(use.launches, 1u);
  EXPECT_LT(use.kernel_seconds, times.entries().front().seconds - 0.019);
}

TEST(StageProfiler, CallsOfTheBlasAreLaunches) {
  const StageProfiler profiler;
  Kokkos::Profiling::pushRegion("kokkosort::stage");
  Kokkos::Profiling::pushRegion("KokkosBlas::gemm[TPL_CUBLAS,float]");
  wait(10);
  Kokkos::Profiling::popRegion();
  Kokkos::Profiling::pushRegion("KokkosBlas::gemm[ETI]");  // its kernel counts already
  launch(1);
  wait(400);
  Kokkos::Profiling::popRegion();
  Kokkos::Profiling::popRegion();
  const DeviceUse use = profiler.uses().at("stage");
  EXPECT_EQ(use.launches, 2u);
  EXPECT_GE(use.kernel_seconds, 0.01);
  EXPECT_LT(use.kernel_seconds, 0.4);
}

/// Where the device is the host, nothing crosses.
TEST(StageProfiler, CountsBytesThatCross) {
  const Exec exec;
  StageTimes times;
  const Vector<float, Exec> numbers("kokkosort::test::numbers", 1000);
  const HostVector<float> all("kokkosort::test::all", 1000);
  const HostVector<float> some("kokkosort::test::some", 10);
  const StageProfiler profiler;
  {
    const ScopedStage stage(exec, times, "stage");
    Kokkos::deep_copy(exec, numbers, all);
    Kokkos::deep_copy(exec, some, Vector<float, Exec>(numbers.data(), 10));
    exec.fence("kokkosort::test");
    Kokkos::deep_copy(exec, numbers, 1.0f);  // a fill: nothing crosses
  }
  const DeviceUse use = profiler.uses().at("stage");
  EXPECT_EQ(use.bytes_up, runs_on_host<Exec> ? 0u : 1000 * sizeof(float));
  EXPECT_EQ(use.bytes_down, runs_on_host<Exec> ? 0u : 10 * sizeof(float));
  EXPECT_EQ(use.copy_seconds > 0.0, !runs_on_host<Exec>);
}

TEST(StageProfiler, AnotherThreadHasStagesOfItsOwn) {
  const StageProfiler profiler;
  Kokkos::Profiling::pushRegion("kokkosort::stage");
  std::thread([] {
    Kokkos::Profiling::pushRegion("kokkosort::reader");
    launch(2);
    Kokkos::Profiling::popRegion();
  }).join();
  launch(1);
  Kokkos::Profiling::popRegion();
  EXPECT_EQ(profiler.uses().at("reader").launches, 2u);
  EXPECT_EQ(profiler.uses().at("stage").launches, 1u);
}

TEST(StageProfiler, PutsCallbacksBackAndLeavesThoseOfAllocations) {
  EXPECT_FALSE(StageProfiler::is_place_taken());
  {
    auto profiler = std::make_unique<StageProfiler>();
    EXPECT_TRUE(StageProfiler::is_place_taken());
    const AllocationCounter memory;
    profiler.reset();
    const Vector<float, Exec> numbers("kokkosort::test::numbers", 1000);
    EXPECT_GE(memory.high_water().at(Exec::memory_space::name()), 1000 * sizeof(float));
  }
  EXPECT_FALSE(StageProfiler::is_place_taken());
}

}  // namespace
}  // namespace kokkosort::test
