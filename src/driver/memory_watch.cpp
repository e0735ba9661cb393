#include "driver/memory_watch.hpp"

#include <sys/resource.h>

namespace kokkosort {

MemoryWatch::MemoryWatch() {
  if (Kokkos::Tools::Experimental::get_callbacks().allocate_data == nullptr)
    counter_ = std::make_unique<AllocationCounter>();
}

std::map<std::string, std::uint64_t> MemoryWatch::high_water() const {
  std::map<std::string, std::uint64_t> memory;
  if (counter_) memory = counter_->high_water();
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0)
    memory["process"] = static_cast<std::uint64_t>(usage.ru_maxrss) << 10;  // kilobytes
  return memory;
}

}  // namespace kokkosort
