#include <gtest/gtest.h>

#include "core/allocation_counter.hpp"
#include "core/kernel_counter.hpp"
#include "driver/memory_watch.hpp"

namespace kokkosort::test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
namespace Tools = Kokkos::Tools::Experimental;

void launch_three_kernels() {
  for (int i = 0; i < 3; ++i)
    Kokkos::parallel_for("kokkosort::test::kernel", Kokkos::RangePolicy<Exec>(0, 8),
                         KOKKOS_LAMBDA(const int){});
}

/// Counts the fences while it lives.
class FenceCounter {
 public:
  FenceCounter() : before_(Tools::get_callbacks()) {
    count_ = 0;
    Tools::set_begin_fence_callback([](const char*, std::uint32_t, std::uint64_t*) { ++count_; });
  }
  ~FenceCounter() { Tools::set_callbacks(before_); }
  static int count() { return count_; }

 private:
  static inline int count_ = 0;
  Tools::EventSet before_;
};

TEST(KernelCounter, CountsLaunches) {
  KernelCounter counter;
  launch_three_kernels();
  EXPECT_EQ(counter.launches(), 3u);
}

TEST(AllocationCounter, CountsMemory) {
  AllocationCounter counter;
  const Kokkos::View<double*, Space> kept("kokkosort::test::kept", 10);
  {
    const Kokkos::View<double*, Space> first("kokkosort::test::first", 1000);
    { const Kokkos::View<double*, Space> second("kokkosort::test::second", 500); }
    const Kokkos::View<double*, Space> third("kokkosort::test::third", 100);
  }
  const std::uint64_t most = counter.high_water().at(Space::name());
  EXPECT_GE(most, 1500 * sizeof(double));
  EXPECT_LT(most, 1600 * sizeof(double) + 1024);
  counter.restart_high_water();
  EXPECT_GE(counter.high_water().at(Space::name()), 10 * sizeof(double));
  EXPECT_LT(counter.high_water().at(Space::name()), 100 * sizeof(double) + 1024);
}

TEST(MemoryWatch, SeesMemoryAndDelaysNoLaunch) {
  const MemoryWatch watch;
  const FenceCounter fences;
  const Kokkos::View<double*, Space> numbers(
      Kokkos::view_alloc("kokkosort::test::numbers", Kokkos::WithoutInitializing), 1000);
  const int before = fences.count();
  Kokkos::Profiling::pushRegion("kokkosort::test");
  launch_three_kernels();
  Kokkos::Profiling::popRegion();
  EXPECT_EQ(fences.count(), before);
  EXPECT_GE(watch.high_water().at(Space::name()), 1000 * sizeof(double));
  const KernelCounter counter;
  launch_three_kernels();
  EXPECT_GT(fences.count(), before);  // the test sees such fences
}

TEST(MemoryWatch, LeavesToolsTheirPlace) {
  const AllocationCounter tool;
  const MemoryWatch watch;
  EXPECT_EQ(watch.high_water().size(), 1u);
}

}  // namespace
}  // namespace kokkosort::test
