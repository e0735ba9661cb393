#include "driver/memory_watch.hpp"

#include <sys/resource.h>

#include <fstream>
#include <sstream>

namespace kokkosort {
namespace {

/// Bytes that the program held at the most; 0 if the system does not tell. Linux' own count comes first: that
/// of getrusage holds what the program that started this one had.
std::uint64_t process_high_water() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t kilobytes = 0;
    if (words >> name >> kilobytes && name == "VmHWM:") return kilobytes << 10;
  }
  rusage usage{};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) << 10 : 0;
}

}  // namespace

MemoryWatch::MemoryWatch() {
  if (Kokkos::Tools::Experimental::get_callbacks().allocate_data == nullptr)
    counter_ = std::make_unique<AllocationCounter>();
}

std::map<std::string, std::uint64_t> MemoryWatch::high_water() const {
  std::map<std::string, std::uint64_t> memory;
  if (counter_) memory = counter_->high_water();
  if (const std::uint64_t bytes = process_high_water()) memory["process"] = bytes;
  return memory;
}

}  // namespace kokkosort
