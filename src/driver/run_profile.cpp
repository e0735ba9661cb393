#include "driver/run_profile.hpp"

#include <fmt/format.h>

#include <map>

#include "driver/profile_table.hpp"

namespace kokkosort {
namespace {

constexpr const char* explanation =
    "  device: kernels, each with its launch; copies: between host and device; host: the rest of wall.\n"
    "  floor: at least so long, by bytes and operations and these ceilings; share: floor of wall.\n";

}  // namespace

RunProfile::RunProfile(bool is_wanted) {
  if (is_wanted && !StageProfiler::is_place_taken()) profiler_.emplace();
}

std::string RunProfile::finish(const StageTimes& times, double seconds) {
  std::map<std::string, DeviceUse> uses;
  if (profiler_) uses = profiler_->uses();
  const char* const note =
      profiler_ ? "  Each launch was waited for, so this run was slower than one without --report.\n"
                : "  A tool that Kokkos has loaded sees the launches: device, copies, launches and MB are "
                  "its to tell.\n";
  profiler_.reset();
  const Ceilings ceilings = measure_ceilings();
  return profile_table(profile_rows(times, uses, seconds, ceilings)) + explanation + note + "\n" +
         ceilings_table(ceilings);
}

}  // namespace kokkosort
