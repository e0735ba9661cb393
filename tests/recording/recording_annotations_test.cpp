// What Kokkos tells a tool while a recording is prepared, loaded and copied.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

#include "execution_spaces.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/recording/whitened_copy.hpp"
#include "recording/correlated_noise.hpp"
#include "recording/load_traces.hpp"
#include "system/annotations.hpp"

namespace kokkosort::test {
namespace {

template <class Exec>
class RecordingAnnotationsTest : public testing::Test {
 protected:
  RecordingAnnotationsTest() {
    RecordProperty("seed", std::to_string(seed));
    std::mt19937_64 random(seed);
    const Probe probe = shanks_probe(1, 12);
    MemoryRecording recording(correlated_noise(random, probe, 4000, 0.0), 12);
    const TemporaryFolder folder;
    const KokkosListener listener;
    TransferLedger ledger;
    const Preparation preparation =
        prepare_recording(exec, recording, probe, all_columns(12), 30000.0, 0.0, {}, ledger);
    StageTimes times;
    write_whitened(exec, {recording, preparation.traces}, folder / "white.bin", 1000, ledger, times);
    TracePreparation unfiltered = preparation.traces;
    unfiltered.highpass_hz = 0.0;
    write_whitened(exec, {recording, unfiltered}, folder / "unfiltered.bin", 1000, ledger, times);
    told = Annotations<Exec>(listener);
  }

  static constexpr std::uint64_t seed = 651;
  Exec exec = own_instance<Exec>();
  Annotations<Exec> told;
};
TYPED_TEST_SUITE(RecordingAnnotationsTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(RecordingAnnotationsTest, EveryKernelIsOurs) {
  EXPECT_EQ(this->told.strange_kernels(), std::set<std::string>());
  const auto ours = this->told.our_kernels();
  for (const std::string kernel :
       {"filter_forward", "filter_backward", "convert", "subtract_median", "transpose", "whiten", "quantise",
        "update_extremes", "count_saturated", "add_products"})
    EXPECT_TRUE(ours.contains(our_prefix + "recording::" + kernel)) << kernel;
}

TYPED_TEST(RecordingAnnotationsTest, EveryRegionIsOurs) {
  const auto regions = this->told.regions_but_of_blas();
  for (const std::string& region : regions) EXPECT_TRUE(region.starts_with(our_prefix)) << region;
  for (const std::string stage : {"covariance", "whitening", "wait for reading", "traces", "write"})
    EXPECT_TRUE(regions.contains(our_prefix + "recording::" + stage)) << stage;
}

TYPED_TEST(RecordingAnnotationsTest, EveryViewIsOurs) {
  EXPECT_EQ(this->told.strange_views(), std::set<std::string>());
  EXPECT_GE(this->told.our_views(), 30u);
}

TYPED_TEST(RecordingAnnotationsTest, EveryKernelRunsOnTheInstanceGiven) {
  const std::uint32_t given = Kokkos::Tools::Experimental::device_id(this->exec);
  EXPECT_EQ(this->told.kernels_elsewhere(given), std::set<std::string>());
  EXPECT_GE(this->told.kernels_on(given), 30u);
}

}  // namespace
}  // namespace kokkosort::test
