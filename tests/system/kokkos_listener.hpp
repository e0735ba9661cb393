#pragma once

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "kokkosort/types.hpp"

namespace kokkosort::test {

/// Writes down what Kokkos tells a tool while it lives. One at a time.
class KokkosListener {
 public:
  struct Kernel {
    std::string name;
    std::uint32_t device;  // Kokkos::Tools::Experimental::device_id of its instance
  };
  struct Allocation {
    std::string space;
    std::string label;
  };
  struct Copy {
    std::string to_space;
    std::string to;
    std::string from_space;
    std::string from;
    std::uint64_t bytes;
  };

  KokkosListener() {
    namespace Tools = Kokkos::Tools::Experimental;
    current() = this;
    Tools::set_begin_parallel_for_callback(take_kernel);
    Tools::set_begin_parallel_reduce_callback(take_kernel);
    Tools::set_begin_parallel_scan_callback(take_kernel);
    Tools::set_push_region_callback(take_region);
    Tools::set_allocate_data_callback(take_allocation);
    Tools::set_begin_deep_copy_callback(take_copy);
  }
  ~KokkosListener() {
    Kokkos::Tools::Experimental::set_callbacks(before_);
    current() = nullptr;
  }
  KokkosListener(const KokkosListener&) = delete;
  KokkosListener& operator=(const KokkosListener&) = delete;

  const std::vector<Kernel>& kernels() const { return kernels_; }
  const std::vector<std::string>& regions() const { return regions_; }
  const std::vector<Allocation>& allocations() const { return allocations_; }
  const std::vector<Copy>& copies() const { return copies_; }

 private:
  using Space = Kokkos::Tools::SpaceHandle;

  static KokkosListener*& current() {
    static KokkosListener* listener = nullptr;
    return listener;
  }
  // The host BLAS is called from several threads, and Kokkos tells of it from each.
  template <class List, class Entry>
  static void take(List KokkosListener::*list, Entry entry) {
    const std::lock_guard<std::mutex> lock(current()->mutex_);
    (current()->*list).push_back(std::move(entry));
  }
  static void take_kernel(const char* name, std::uint32_t device, std::uint64_t* id) {
    *id = 0;
    take(&KokkosListener::kernels_, Kernel{name, device});
  }
  static void take_region(const char* name) { take(&KokkosListener::regions_, std::string(name)); }
  static void take_allocation(const Space space, const char* label, const void*, std::uint64_t) {
    take(&KokkosListener::allocations_, Allocation{space.name, label});
  }
  static void take_copy(Space to_space, const char* to, const void*, Space from_space, const char* from,
                        const void*, std::uint64_t bytes) {
    take(&KokkosListener::copies_, Copy{to_space.name, to, from_space.name, from, bytes});
  }

  Kokkos::Tools::Experimental::EventSet before_ = Kokkos::Tools::Experimental::get_callbacks();
  std::mutex mutex_;
  std::vector<Kernel> kernels_;
  std::vector<std::string> regions_;
  std::vector<Allocation> allocations_;
  std::vector<Copy> copies_;
};

/// Whether a View is the host's own, not a device's. Where the device is the host, its label tells.
template <class Exec>
bool is_host_view(const KokkosListener::Allocation& allocation) {
  if (!runs_on_host<Exec>) return allocation.space != Exec::memory_space::name();
  static const std::vector<std::string> host_labels = {
      "clustering::templates",     "clustering::section_edges", "templates::pc_products",
      "templates::shape_products", "templates::merging",        "templates::learned",
      "templates::pair_features",  "templates::pair_samples",   "templates::pair_centres",
      "templates::side_labels",    "matching::placed_rows",     "matching::centre_channels",
  };
  const std::string& label = allocation.label;
  return label.ends_with("_on_host") || label.find("::packed_") != std::string::npos ||
         std::any_of(host_labels.begin(), host_labels.end(),
                     [&label](const std::string& what) { return label == "kokkosort::" + what; });
}

}  // namespace kokkosort::test
