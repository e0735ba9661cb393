#pragma once

#include <optional>
#include <string>

#include "core/stage_profiler.hpp"
#include "kokkosort/stage_times.hpp"

namespace kokkosort {

/// What --report tells of a run's stages. Alive while the run is; without --report it does nothing, and
/// delays nothing.
class RunProfile {
 public:
  /// @param is_wanted  Kokkos is initialised if so
  explicit RunProfile(bool is_wanted);

  /// The stages' table. Ends the profile, and measures the device's ceilings.
  /// @param seconds  of the whole run
  std::string finish(const StageTimes& times, double seconds);

 private:
  std::optional<StageProfiler> profiler_;  // none where a tool that Kokkos has loaded has its place
};

}  // namespace kokkosort
