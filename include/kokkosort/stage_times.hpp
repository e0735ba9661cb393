#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Profiling_ScopedRegion.hpp>

namespace kokkosort {

/// What a stage cannot do without, whatever its kernels: the floor of its time is computed of it.
struct StageWork {
  double bytes = 0.0;       // that device memory must read and write at least
  double operations = 0.0;  // in single precision, a multiplication and an addition each

  StageWork& operator+=(const StageWork& more) {
    bytes += more.bytes;
    operations += more.operations;
    return *this;
  }
};

struct StageTime {
  std::string stage;
  double seconds = 0.0;  // wall
  StageWork work;
};

/// Wall seconds per stage, in the order the stages first ran.
class StageTimes {
 public:
  void add(const std::string& stage, double seconds, const StageWork& work = {}) {
    for (StageTime& entry : entries_) {
      if (entry.stage == stage) {
        entry.seconds += seconds;
        entry.work += work;
        return;
      }
    }
    entries_.push_back({stage, seconds, work});
  }
  void add(const StageTimes& more) {
    for (const StageTime& entry : more.entries()) add(entry.stage, entry.seconds, entry.work);
  }
  const std::vector<StageTime>& entries() const { return entries_; }

 private:
  std::vector<StageTime> entries_;
};

/// Times a stage from construction to destruction, as a Kokkos profiling region too. Fences the instance at the
/// end so that the time is the stage's own.
template <class Exec>
class ScopedStage {
 public:
  ScopedStage(const Exec& exec, StageTimes& times, std::string stage)
      : exec_(exec), times_(times), stage_(std::move(stage)), region_("kokkosort::" + stage_) {}
  ~ScopedStage() {
    exec_.fence("kokkosort::" + stage_ + "::end");
    times_.add(stage_, std::chrono::duration<double>(Clock::now() - start_).count(), work_);
  }
  ScopedStage(const ScopedStage&) = delete;
  ScopedStage& operator=(const ScopedStage&) = delete;

  /// Adds to what the stage has to do at least.
  void needs(const StageWork& work) { work_ += work; }

 private:
  using Clock = std::chrono::steady_clock;
  const Exec& exec_;
  StageTimes& times_;
  std::string stage_;
  StageWork work_;
  Kokkos::Profiling::ScopedRegion region_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace kokkosort
