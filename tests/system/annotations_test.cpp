// Every kernel, View and region carries our label, and every kernel runs on the instance that was given.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "kokkosort/clustering/cluster.hpp"
#include "system/kokkos_listener.hpp"
#include "system/recording.hpp"

namespace kokkosort::test {
namespace {

const std::string our_prefix = "kokkosort::";

/// Kernels and regions of libraries: KokkosBlas' gemm, and Kokkos' own copies and fills.
const std::vector<std::string> library_prefixes = {
    "KokkosBlas::gemm",
    "Kokkos::ViewFill-",
    "Kokkos::ViewCopy-",
    "Kokkos::Impl::host_space_deepcopy",
};

/// How Kokkos names the kernel that fills a new View; the View's label follows.
const std::string fill_prefix = "Kokkos::View::initialization [";

/// Allocations that Kokkos makes for itself, once, the first time an instance needs them.
const std::vector<std::string> kokkos_allocations = {
    "Kokkos::Serial::scratch_mem",  "Kokkos::OpenMP::scratch_mem",    "Kokkos::InternalScratchSpace",
    "Kokkos::InternalScratchFlags", "Kokkos::InternalScratchUnified", "Kokkos::InternalScratchLocks",
};

bool starts_with_any(const std::string& name, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& prefix) { return name.starts_with(prefix); });
}

bool is_ours(const std::string& name) {
  return name.starts_with(our_prefix) || name.starts_with(fill_prefix + our_prefix);
}

/// Small and large sections, in several batches and chunks, all tests of the splits switched on.
Recording mixed_recording(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  SpikeFeatures layout = column_layout(8, 4);
  std::vector<PlantedSpike> spikes;
  const int counts[] = {1, 7, 300, 1500};
  for (std::int32_t s = 0; s < 4; ++s)
    for (std::int32_t half = 0; half < (s == 0 ? 1 : 2); ++half)
      add_unit(random, layout, 2 * s + half, {2 * s, 2 * s + 1},
               draw_neuron(random, layout.probe, static_cast<std::size_t>(2 * s), 3, 15.0), 3,
               spike_train(random, counts[s], 60.0), spikes);
  return record(std::move(layout), 3, std::move(spikes));
}

/// Not the default one where instances differ.
template <class Exec>
Exec own_instance() {
  using namespace Kokkos::Experimental;  // where partition_space is in Kokkos 4
  using namespace Kokkos;
  if constexpr (runs_on_host<Exec>)
    return Exec();
  else
    return partition_space(Exec(), 1, 1)[0];
}

template <class Exec>
class AnnotationsTest : public testing::Test {
 protected:
  AnnotationsTest() {
    RecordProperty("seed", std::to_string(seed));
    const Recording recording = mixed_recording(seed);
    ClusteringOptions options;
    options.neighbours.max_chunk_dots = 20000;
    TransferLedger ledger;
    const KokkosListener listener;
    cluster_spikes(exec, recording.spikes, options, ledger);
    kernels = listener.kernels();
    regions = listener.regions();
    allocations = listener.allocations();
  }

  bool fills_host_view(const std::string& kernel) const {
    if (!kernel.starts_with(fill_prefix)) return false;
    const std::string label = kernel.substr(fill_prefix.size(), kernel.find(']') - fill_prefix.size());
    return std::any_of(allocations.begin(), allocations.end(),
                       [&](const KokkosListener::Allocation& allocation) {
                         return allocation.label == label && is_host_view<Exec>(allocation);
                       });
  }

  static constexpr std::uint64_t seed = 11;
  Exec exec = own_instance<Exec>();
  std::vector<KokkosListener::Kernel> kernels;
  std::vector<std::string> regions;
  std::vector<KokkosListener::Allocation> allocations;
};
TYPED_TEST_SUITE(AnnotationsTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(AnnotationsTest, EveryKernelIsOurs) {
  std::set<std::string> ours;
  std::set<std::string> others;
  for (const auto& kernel : this->kernels) {
    if (kernel.name.starts_with(our_prefix)) ours.insert(kernel.name);
    if (!is_ours(kernel.name) && !starts_with_any(kernel.name, library_prefixes)) others.insert(kernel.name);
  }
  EXPECT_EQ(others, std::set<std::string>());
  EXPECT_GE(ours.size(), 20u) << "the run did not come through all stages";
}

TYPED_TEST(AnnotationsTest, EveryRegionIsOurs) {
  std::set<std::string> all;
  for (const std::string& region : this->regions)
    if (!region.starts_with("KokkosBlas::gemm")) all.insert(region);
  const std::string stage = our_prefix + "clustering::";
  EXPECT_EQ(all, (std::set<std::string>{stage + "upload", stage + "neighbours", stage + "seeding",
                                        stage + "assignment", stage + "tree", stage + "splits"}));
}

TYPED_TEST(AnnotationsTest, EveryViewIsOurs) {
  std::size_t ours = 0;
  std::set<std::string> others;
  for (const auto& allocation : this->allocations) {
    ours += is_ours(allocation.label) ? 1 : 0;
    if (!is_ours(allocation.label) && !starts_with_any(allocation.label, kokkos_allocations))
      others.insert("\"" + allocation.label + "\" in " + allocation.space);
  }
  EXPECT_EQ(others, std::set<std::string>());
  EXPECT_GE(ours, 40u);
}

/// Exceptions: the host BLAS, which is called through Serial, and new Views of the host, which Kokkos fills
/// where it likes.
TYPED_TEST(AnnotationsTest, EveryKernelRunsOnTheInstanceGiven) {
  const std::uint32_t given = Kokkos::Tools::Experimental::device_id(this->exec);
  std::size_t on_given = 0;
  std::set<std::string> elsewhere;
  for (const auto& kernel : this->kernels) {
    if (kernel.device == given)
      ++on_given;
    else if (!kernel.name.starts_with("KokkosBlas::gemm") && !this->fills_host_view(kernel.name))
      elsewhere.insert(kernel.name);
  }
  EXPECT_EQ(elsewhere, std::set<std::string>());
  EXPECT_GE(on_given, 30u);
}

}  // namespace
}  // namespace kokkosort::test
