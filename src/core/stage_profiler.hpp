#pragma once

#include <Kokkos_Core.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace kokkosort {

/// What a stage made the device do.
struct DeviceUse {
  std::uint64_t launches = 0;   // kernels, and calls of the device's BLAS
  double kernel_seconds = 0.0;  // of these and of copies within the device, each with what its launch takes
  double copy_seconds = 0.0;    // of copies between host and device
  std::uint64_t bytes_up = 0;   // to the device; none crosses where the device is the host
  std::uint64_t bytes_down = 0;

  DeviceUse& operator+=(const DeviceUse& more);
};

/// Sees, while it lives, what Kokkos launches and copies in each stage, that is in the innermost region
/// called "kokkosort::<stage>" of the thread that launches. The default execution space is the device;
/// kernels of another, and those of host_loop(), are the host's own work.
///
/// Kokkos fences the device before it tells of a kernel's begin and of its end, so that the time between is
/// the kernel's own; copies are fenced likewise. The program therefore runs slower: nothing overlaps. One
/// profiler at a time; other callbacks stay.
class StageProfiler {
 public:
  StageProfiler();
  ~StageProfiler();
  StageProfiler(const StageProfiler&) = delete;
  StageProfiler& operator=(const StageProfiler&) = delete;

  /// By stage; "": outside of any.
  std::map<std::string, DeviceUse> uses() const;

  /// Whether a tool that Kokkos has loaded, or another profiler, sees launches: it is to keep its place.
  static bool is_place_taken();

 private:
  using Clock = std::chrono::steady_clock;

  enum class Kind { kernel, host_kernel, library, up, down, within_device, within_host };

  /// Something that has begun. What begins before it ends is a part of it.
  struct Event {
    Kind kind;
    std::uint64_t bytes;
    Clock::time_point begin;
    double parts = 0.0;  // seconds
  };

  /// What has begun on a thread of the host.
  struct Thread {
    std::vector<std::string> regions;
    std::vector<Event> events;
  };

  static void begin_kernel(const char* name, std::uint32_t device, std::uint64_t* id);
  static void end_kernel(std::uint64_t id);
  static void push_region(const char* name);
  static void pop_region();
  static void begin_copy(Kokkos::Tools::SpaceHandle to, const char*, const void*,
                         Kokkos::Tools::SpaceHandle from, const char* label, const void*,
                         std::uint64_t bytes);
  static void end_copy();

  static Kind kind_of_copy(bool to_device, bool from_device, std::string_view label);
  void begin(Kind kind, std::uint64_t bytes);
  void end();
  static void count(const Event& event, double seconds, DeviceUse& use);

  static StageProfiler* current_;
  Kokkos::Tools::Experimental::EventSet before_;
  mutable std::mutex mutex_;
  std::map<std::thread::id, Thread> threads_;
  std::map<std::string, DeviceUse> uses_;
};

}  // namespace kokkosort
