#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Profiling_ScopedRegion.hpp>

namespace kokkosort {

/// Wall seconds per stage, in the order the stages first ran.
class StageTimes {
 public:
  void add(const std::string& stage, double seconds) {
    for (auto& [name, total] : entries_) {
      if (name == stage) {
        total += seconds;
        return;
      }
    }
    entries_.emplace_back(stage, seconds);
  }
  const std::vector<std::pair<std::string, double>>& entries() const { return entries_; }

 private:
  std::vector<std::pair<std::string, double>> entries_;
};

/// Times a stage from construction to destruction, as a Kokkos profiling region too. Fences the instance at the end so
/// that the time is the stage's own.
template <class Exec>
class ScopedStage {
 public:
  ScopedStage(const Exec& exec, StageTimes& times, std::string stage)
      : exec_(exec), times_(times), stage_(std::move(stage)), region_("kokkosort::" + stage_) {}
  ~ScopedStage() {
    exec_.fence("kokkosort::" + stage_ + "::end");
    times_.add(stage_, std::chrono::duration<double>(Clock::now() - start_).count());
  }
  ScopedStage(const ScopedStage&) = delete;
  ScopedStage& operator=(const ScopedStage&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  const Exec& exec_;
  StageTimes& times_;
  std::string stage_;
  Kokkos::Profiling::ScopedRegion region_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace kokkosort
