#include "core/stage_profiler.hpp"

#include <algorithm>

namespace kokkosort {
namespace {

using Device = Kokkos::DefaultExecutionSpace;
namespace Tools = Kokkos::Tools::Experimental;

constexpr std::string_view stage_prefix = "kokkosort::";
constexpr std::string_view host_prefix = "kokkosort::on_host::";
constexpr std::string_view library_prefix =
    "KokkosBlas::";  // a call of the device's BLAS is no kernel of Kokkos

bool is_device(std::uint32_t device) {
  return Tools::identifier_from_devid(device).type == Tools::DeviceTypeTraits<Device>::id;
}

bool is_device(const Kokkos::Tools::SpaceHandle& space) {
  return std::string_view(space.name) == Device::memory_space::name();
}

/// "" if none of the regions is a stage.
std::string stage_of(const std::vector<std::string>& regions) {
  const auto stage = std::find_if(regions.rbegin(), regions.rend(),
                                  [](const std::string& name) { return name.starts_with(stage_prefix); });
  return stage == regions.rend() ? "" : stage->substr(stage_prefix.size());
}

/// Callbacks of allocations may come and go meanwhile.
void set_launch_callbacks(const Tools::EventSet& set) {
  Tools::set_begin_parallel_for_callback(set.begin_parallel_for);
  Tools::set_begin_parallel_reduce_callback(set.begin_parallel_reduce);
  Tools::set_begin_parallel_scan_callback(set.begin_parallel_scan);
  Tools::set_end_parallel_for_callback(set.end_parallel_for);
  Tools::set_end_parallel_reduce_callback(set.end_parallel_reduce);
  Tools::set_end_parallel_scan_callback(set.end_parallel_scan);
  Tools::set_push_region_callback(set.push_region);
  Tools::set_pop_region_callback(set.pop_region);
  Tools::set_begin_deep_copy_callback(set.begin_deep_copy);
  Tools::set_end_deep_copy_callback(set.end_deep_copy);
}

}  // namespace

DeviceUse& DeviceUse::operator+=(const DeviceUse& more) {
  launches += more.launches;
  kernel_seconds += more.kernel_seconds;
  copy_seconds += more.copy_seconds;
  bytes_up += more.bytes_up;
  bytes_down += more.bytes_down;
  return *this;
}

StageProfiler* StageProfiler::current_ = nullptr;

StageProfiler::StageProfiler() : before_(Tools::get_callbacks()) {
  current_ = this;
  Tools::EventSet mine = before_;
  mine.begin_parallel_for = mine.begin_parallel_reduce = mine.begin_parallel_scan = begin_kernel;
  mine.end_parallel_for = mine.end_parallel_reduce = mine.end_parallel_scan = end_kernel;
  mine.push_region = push_region;
  mine.pop_region = pop_region;
  mine.begin_deep_copy = begin_copy;
  mine.end_deep_copy = end_copy;
  set_launch_callbacks(mine);
}

StageProfiler::~StageProfiler() {
  set_launch_callbacks(before_);
  current_ = nullptr;
}

bool StageProfiler::is_place_taken() {
  const Tools::EventSet set = Tools::get_callbacks();
  return set.begin_parallel_for != nullptr || set.begin_parallel_reduce != nullptr ||
         set.begin_parallel_scan != nullptr || set.push_region != nullptr || set.begin_deep_copy != nullptr;
}

std::map<std::string, DeviceUse> StageProfiler::uses() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return uses_;
}

void StageProfiler::begin_kernel(const char* name, std::uint32_t device, std::uint64_t* id) {
  *id = 0;
  const bool is_of_host = !is_device(device) || std::string_view(name).starts_with(host_prefix);
  current_->begin(is_of_host ? Kind::host_kernel : Kind::kernel, 0);
}

void StageProfiler::end_kernel(std::uint64_t) { current_->end(); }

void StageProfiler::push_region(const char* name) {
  {
    const std::lock_guard<std::mutex> lock(current_->mutex_);
    current_->threads_[std::this_thread::get_id()].regions.emplace_back(name);
  }
  if (std::string_view(name).starts_with(library_prefix)) current_->begin(Kind::library, 0);
}

void StageProfiler::pop_region() {
  std::string name;
  {
    const std::lock_guard<std::mutex> lock(current_->mutex_);
    std::vector<std::string>& regions = current_->threads_[std::this_thread::get_id()].regions;
    if (regions.empty()) return;  // it began before the profiler did
    name = std::move(regions.back());
    regions.pop_back();
  }
  if (name.starts_with(library_prefix)) current_->end();
}

void StageProfiler::begin_copy(Kokkos::Tools::SpaceHandle to, const char*, const void*,
                               Kokkos::Tools::SpaceHandle from, const char* label, const void*,
                               std::uint64_t bytes) {
  const Kind kind = kind_of_copy(is_device(to), is_device(from), label);
  if (kind != Kind::within_host) Kokkos::fence("kokkosort::profiler::before_copy");
  current_->begin(kind, bytes);
}

/// @param label  of what is copied
StageProfiler::Kind StageProfiler::kind_of_copy(bool to_device, bool from_device, std::string_view label) {
  const bool is_fill = label == "(none)" || label == "Scalar";  // Kokkos' words for a number
  if (to_device) return from_device || is_fill ? Kind::within_device : Kind::up;
  return from_device ? Kind::down : Kind::within_host;
}

void StageProfiler::end_copy() {
  Kokkos::fence("kokkosort::profiler::after_copy");
  current_->end();
}

void StageProfiler::begin(Kind kind, std::uint64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  threads_[std::this_thread::get_id()].events.push_back({kind, bytes, Clock::now()});
}

void StageProfiler::end() {
  const Clock::time_point now = Clock::now();
  const std::lock_guard<std::mutex> lock(mutex_);
  auto& [regions, events] = threads_[std::this_thread::get_id()];
  if (events.empty()) return;  // it began before the profiler did
  const Event event = events.back();
  events.pop_back();
  const double seconds = std::chrono::duration<double>(now - event.begin).count();
  count(event, seconds, uses_[stage_of(regions)]);
  if (!events.empty()) events.back().parts += seconds;
}

void StageProfiler::count(const Event& event, double seconds, DeviceUse& use) {
  const double own = seconds - event.parts;
  switch (event.kind) {
    case Kind::kernel:
      ++use.launches;
      use.kernel_seconds += own;
      break;
    case Kind::library:
      if (event.parts > 0.0) break;  // Kokkos Kernels took kernels in place of the BLAS
      ++use.launches;
      use.kernel_seconds += own;
      break;
    case Kind::within_device:
      if (event.parts == 0.0) use.kernel_seconds += own;  // else a kernel copied or filled
      break;
    case Kind::up:
      use.bytes_up += event.bytes;
      use.copy_seconds += own;
      break;
    case Kind::down:
      use.bytes_down += event.bytes;
      use.copy_seconds += own;
      break;
    case Kind::host_kernel:
    case Kind::within_host:
      break;
  }
}

}  // namespace kokkosort
