#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace kokkosort {

/// Counts what Kokkos allocates while it lives. One at a time; a tool that Kokkos has loaded sees no
/// allocations meanwhile. No launch waits for another: Kokkos fences the device before the callbacks of
/// kernels and regions, but not before those of allocations.
class AllocationCounter {
 public:
  AllocationCounter();
  ~AllocationCounter();
  AllocationCounter(const AllocationCounter&) = delete;
  AllocationCounter& operator=(const AllocationCounter&) = delete;

  /// Counts the high water anew from what is allocated now.
  void restart_high_water();
  /// Bytes that were allocated at once, at most, per memory space; what was there before the counter does not
  /// count.
  std::map<std::string, std::uint64_t> high_water() const;

 private:
  struct Memory {
    std::int64_t now = 0;
    std::int64_t most = 0;
  };

  static void count_allocation(Kokkos::Tools::SpaceHandle space, const char*, const void*,
                               std::uint64_t bytes);
  static void count_release(Kokkos::Tools::SpaceHandle space, const char*, const void*, std::uint64_t bytes);
  void change(const std::string& space, std::int64_t bytes);

  static AllocationCounter* current_;
  Kokkos::Tools::Experimental::EventSet before_;
  mutable std::mutex mutex_;
  std::map<std::string, Memory> memory_;
};

}  // namespace kokkosort
