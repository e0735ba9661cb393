#include "core/allocation_counter.hpp"

#include <algorithm>

namespace kokkosort {

AllocationCounter* AllocationCounter::current_ = nullptr;

AllocationCounter::AllocationCounter() : before_(Kokkos::Tools::Experimental::get_callbacks()) {
  current_ = this;
  Kokkos::Tools::Experimental::set_allocate_data_callback(count_allocation);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(count_release);
}

AllocationCounter::~AllocationCounter() {
  Kokkos::Tools::Experimental::set_allocate_data_callback(before_.allocate_data);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(before_.deallocate_data);
  current_ = nullptr;
}

std::map<std::string, std::uint64_t> AllocationCounter::high_water() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::map<std::string, std::uint64_t> most;
  for (const auto& [space, memory] : memory_) most[space] = static_cast<std::uint64_t>(memory.most);
  return most;
}

void AllocationCounter::restart_high_water() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto& [space, memory] : memory_) memory.most = memory.now;
}

void AllocationCounter::count_allocation(Kokkos::Tools::SpaceHandle space, const char*, const void*,
                                         std::uint64_t bytes) {
  current_->change(space.name, static_cast<std::int64_t>(bytes));
}

void AllocationCounter::count_release(Kokkos::Tools::SpaceHandle space, const char*, const void*,
                                      std::uint64_t bytes) {
  current_->change(space.name, -static_cast<std::int64_t>(bytes));
}

void AllocationCounter::change(const std::string& space, std::int64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Memory& memory = memory_[space];
  memory.now += bytes;
  memory.most = std::max(memory.most, memory.now);
}

}  // namespace kokkosort
