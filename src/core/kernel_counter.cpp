#include "core/kernel_counter.hpp"

#include <algorithm>

namespace kokkosort {

KernelCounter* KernelCounter::current_ = nullptr;

KernelCounter::KernelCounter() : before_(Kokkos::Tools::Experimental::get_callbacks()) {
  namespace Tools = Kokkos::Tools::Experimental;
  current_ = this;
  Tools::set_begin_parallel_for_callback(count_launch);
  Tools::set_begin_parallel_reduce_callback(count_launch);
  Tools::set_begin_parallel_scan_callback(count_launch);
  Tools::set_allocate_data_callback(count_allocation);
  Tools::set_deallocate_data_callback(count_release);
}

KernelCounter::~KernelCounter() {
  Kokkos::Tools::Experimental::set_callbacks(before_);
  current_ = nullptr;
}

std::map<std::string, std::uint64_t> KernelCounter::high_water() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::map<std::string, std::uint64_t> most;
  for (const auto& [space, memory] : memory_) most[space] = static_cast<std::uint64_t>(memory.most);
  return most;
}

void KernelCounter::restart_high_water() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto& [space, memory] : memory_) memory.most = memory.now;
}

void KernelCounter::count_launch(const char*, std::uint32_t, std::uint64_t* id) {
  *id = 0;
  const std::lock_guard<std::mutex> lock(current_->mutex_);
  ++current_->launches_;
}

void KernelCounter::count_allocation(Kokkos::Tools::SpaceHandle space, const char*, const void*, std::uint64_t bytes) {
  current_->change(space.name, static_cast<std::int64_t>(bytes));
}

void KernelCounter::count_release(Kokkos::Tools::SpaceHandle space, const char*, const void*, std::uint64_t bytes) {
  current_->change(space.name, -static_cast<std::int64_t>(bytes));
}

void KernelCounter::change(const std::string& space, std::int64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Memory& memory = memory_[space];
  memory.now += bytes;
  memory.most = std::max(memory.most, memory.now);
}

}  // namespace kokkosort
