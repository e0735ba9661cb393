#pragma once

#include <Kokkos_Core.hpp>

#include <atomic>
#include <cstdint>

namespace kokkosort {

/// Counts what Kokkos launches while it lives. One at a time; a tool that Kokkos has loaded sees no launches
/// meanwhile. Each launch waits for all before it: Kokkos fences the device before it tells of one.
class KernelCounter {
 public:
  KernelCounter();
  ~KernelCounter();
  KernelCounter(const KernelCounter&) = delete;
  KernelCounter& operator=(const KernelCounter&) = delete;

  std::uint64_t launches() const { return launches_; }

 private:
  static void count_launch(const char*, std::uint32_t, std::uint64_t* id);

  static KernelCounter* current_;
  Kokkos::Tools::Experimental::EventSet before_;
  std::atomic<std::uint64_t> launches_ = 0;
};

}  // namespace kokkosort
