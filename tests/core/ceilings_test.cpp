#include "core/ceilings.hpp"

#include <gtest/gtest.h>

#include "core/kernel_counter.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort::test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

void launch_a_kernel() {
  Kokkos::parallel_for("kokkosort::test::kernel", Kokkos::RangePolicy<Exec>(0, 8),
                       KOKKOS_LAMBDA(const int){});
}

TEST(Ceilings, AreMeasured) {
  const Ceilings ceilings = measure_ceilings();
  // What any machine of this century reaches, though it be busy and sanitizers look at every access, and none.
  for (const double bandwidth : {ceilings.copy_bandwidth, ceilings.triad_bandwidth}) {
    EXPECT_GT(bandwidth, 1e6);
    EXPECT_LT(bandwidth, 1e14);
  }
  for (const double rate : {ceilings.chain_rate, ceilings.product_rate}) {
    EXPECT_GT(rate, 1e6);
    EXPECT_LT(rate, 1e16);
  }
  for (const double seconds : {ceilings.launch_seconds, ceilings.queued_launch_seconds}) {
    EXPECT_GT(seconds, 0.0);
    EXPECT_LT(seconds, 0.1);
  }
  EXPECT_EQ(ceilings.link_up > 1e8, !runs_on_host<Exec>);
  EXPECT_EQ(ceilings.link_down > 1e8, !runs_on_host<Exec>);
  EXPECT_GE(ceilings.bandwidth(), ceilings.copy_bandwidth);
  EXPECT_GE(ceilings.operation_rate(), ceilings.chain_rate);
}

TEST(Ceilings, ToolsDoNotSeeTheMeasuring) {
  const KernelCounter tool;
  measure_ceilings();
  EXPECT_EQ(tool.launches(), 0u);
  launch_a_kernel();
  EXPECT_EQ(tool.launches(), 1u);
}

TEST(Ceilings, FloorByHand) {
  Ceilings ceilings;
  ceilings.copy_bandwidth = 100.0;
  ceilings.triad_bandwidth = 90.0;
  ceilings.chain_rate = 900.0;
  ceilings.product_rate = 1000.0;
  EXPECT_EQ(floor_seconds(ceilings, {200.0, 1000.0}, 0.0, 0.0), 2.0);
  EXPECT_EQ(floor_seconds(ceilings, {200.0, 3000.0}, 0.0, 0.0), 3.0);
  EXPECT_EQ(floor_seconds(ceilings, {200.0, 3000.0}, 10.0, 10.0), 3.0);  // no link
  ceilings.link_up = 20.0;
  ceilings.link_down = 10.0;
  EXPECT_EQ(floor_seconds(ceilings, {200.0, 3000.0}, 10.0, 10.0), 4.5);
  EXPECT_EQ(floor_seconds(ceilings, {}, 0.0, 0.0), 0.0);
}

}  // namespace
}  // namespace kokkosort::test
