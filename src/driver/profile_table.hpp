#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/ceilings.hpp"
#include "core/stage_profiler.hpp"
#include "kokkosort/stage_times.hpp"

namespace kokkosort {

/// A stage's line in a profile.
struct ProfileRow {
  std::string stage;
  double wall = 0.0;  // seconds
  DeviceUse use;
  StageWork work;
  double floor = 0.0;  // seconds; 0: not known

  /// Seconds in which the device had nothing to do.
  double host() const { return wall - use.kernel_seconds - use.copy_seconds; }
};

/// The stages in the order they first ran, then "other", what is outside of any.
/// @param uses     of the device by stage; "": outside of any
/// @param seconds  of the whole run
std::vector<ProfileRow> profile_rows(const StageTimes& times, const std::map<std::string, DeviceUse>& uses,
                                     double seconds, const Ceilings& ceilings);

/// The rows and their total as a table.
std::string profile_table(const std::vector<ProfileRow>& rows);

/// What the device can do at most; a line each, of a name and a value.
std::string ceilings_table(const Ceilings& ceilings);

}  // namespace kokkosort
