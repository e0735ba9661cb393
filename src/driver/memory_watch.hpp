#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "core/allocation_counter.hpp"

namespace kokkosort {

/// Watches memory for the record of a run, and delays no launch. A tool that Kokkos has loaded keeps its
/// place: then only the process is seen.
class MemoryWatch {
 public:
  MemoryWatch();

  /// Bytes, per memory space of Kokkos and of the process.
  std::map<std::string, std::uint64_t> high_water() const;

 private:
  std::unique_ptr<AllocationCounter> counter_;
};

}  // namespace kokkosort
