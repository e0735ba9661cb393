#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "system/kokkos_listener.hpp"

namespace kokkosort::test {

inline const std::string our_prefix = "kokkosort::";

/// Kernels and regions of libraries: KokkosBlas' gemm, and Kokkos' own copies and fills.
inline const std::vector<std::string> library_prefixes = {
    "KokkosBlas::gemm",
    "Kokkos::ViewFill-",
    "Kokkos::ViewCopy-",
    "Kokkos::Impl::host_space_deepcopy",
};

/// How Kokkos names the kernel that fills a new View; the View's label follows.
inline const std::string fill_prefix = "Kokkos::View::initialization [";

/// Allocations that Kokkos makes for itself, once, the first time an instance needs them.
inline const std::vector<std::string> kokkos_allocations = {
    "Kokkos::Serial::scratch_mem",  "Kokkos::OpenMP::scratch_mem",    "Kokkos::InternalScratchSpace",
    "Kokkos::InternalScratchFlags", "Kokkos::InternalScratchUnified", "Kokkos::InternalScratchLocks",
    "Kokkos::CudaSpace::TeamScratchMemory",
};

inline bool starts_with_any(const std::string& name, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& prefix) { return name.starts_with(prefix); });
}

inline bool is_ours(const std::string& name) {
  return name.starts_with(our_prefix) || name.starts_with(fill_prefix + our_prefix);
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

/// What Kokkos told while something ran.
template <class Exec>
struct Annotations {
  std::vector<KokkosListener::Kernel> kernels;
  std::vector<std::string> regions;
  std::vector<KokkosListener::Allocation> allocations;

  Annotations() = default;
  explicit Annotations(const KokkosListener& listener)
      : kernels(listener.kernels()), regions(listener.regions()), allocations(listener.allocations()) {}

  std::set<std::string> our_kernels() const {
    std::set<std::string> ours;
    for (const auto& kernel : kernels)
      if (kernel.name.starts_with(our_prefix)) ours.insert(kernel.name);
    return ours;
  }

  /// Kernels that are neither ours nor a library's.
  std::set<std::string> strange_kernels() const {
    std::set<std::string> others;
    for (const auto& kernel : kernels)
      if (!is_ours(kernel.name) && !starts_with_any(kernel.name, library_prefixes))
        others.insert(kernel.name);
    return others;
  }

  std::set<std::string> regions_but_of_blas() const {
    std::set<std::string> all;
    for (const std::string& region : regions)
      if (!region.starts_with("KokkosBlas::gemm")) all.insert(region);
    return all;
  }

  std::size_t our_views() const {
    return static_cast<std::size_t>(std::count_if(allocations.begin(), allocations.end(),
                                                  [](const auto& view) { return is_ours(view.label); }));
  }

  std::set<std::string> strange_views() const {
    std::set<std::string> others;
    for (const auto& allocation : allocations)
      if (!is_ours(allocation.label) && !starts_with_any(allocation.label, kokkos_allocations))
        others.insert("\"" + allocation.label + "\" in " + allocation.space);
    return others;
  }

  std::size_t kernels_on(std::uint32_t device) const {
    return static_cast<std::size_t>(std::count_if(
        kernels.begin(), kernels.end(), [device](const auto& kernel) { return kernel.device == device; }));
  }

  /// Kernels on other instances. Exceptions: the host BLAS, which is called through Serial, the host's own loops,
  /// and new Views of the host, which Kokkos fills where it likes.
  std::set<std::string> kernels_elsewhere(std::uint32_t device) const {
    std::set<std::string> elsewhere;
    for (const auto& kernel : kernels)
      if (kernel.device != device && !kernel.name.starts_with("KokkosBlas::gemm") &&
          !kernel.name.starts_with("kokkosort::on_host::") && !fills_host_view(kernel.name))
        elsewhere.insert(kernel.name);
    return elsewhere;
  }

 private:
  bool fills_host_view(const std::string& kernel) const {
    if (!kernel.starts_with(fill_prefix)) return false;
    const std::string label = kernel.substr(fill_prefix.size(), kernel.find(']') - fill_prefix.size());
    return std::any_of(allocations.begin(), allocations.end(),
                       [&](const KokkosListener::Allocation& allocation) {
                         return allocation.label == label && is_host_view<Exec>(allocation);
                       });
  }
};

}  // namespace kokkosort::test
