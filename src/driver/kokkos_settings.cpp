#include "driver/kokkos_settings.hpp"

#include <fmt/format.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "driver/deck_key.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// @return `otherwise` if the variable is not set, or empty
int number_from(const char* name, int low, int high, int otherwise) {
  const std::string text = variable(name);
  if (text.empty()) return otherwise;
  int number = 0;
  if (!parse_number(text, number) || number < low || number > high)
    throw InputError(fmt::format("environment: {} is '{}'; it must be a whole number from {} to {}", name,
                                 text.substr(0, 60), low, high));
  return number;
}

}  // namespace

int choose_threads(int asked) {
  if (asked == 0) asked = number_from("KOKKOS_NUM_THREADS", 1, most_threads, 0);
#if defined(KOKKOS_ENABLE_OPENMP)
  static_assert(most_threads == Kokkos::Impl::OpenMPTraits::MAX_THREAD_COUNT);
  if (asked == 0) asked = std::min(omp_get_max_threads(), most_threads);
  omp_set_num_threads(asked);  // Kokkos counts the threads of a region before it looks at its settings
#endif
  return asked;
}

int choose_device_number(int asked) {
  return asked >= 0 ? asked : number_from("KOKKOS_DEVICE_ID", 0, 1 << 16, -1);
}

void clear_kokkos_settings() {
  const std::string tools = variable("KOKKOS_TOOLS_LIBS");
  const std::string old_name = variable("KOKKOS_PROFILE_LIBRARY");
  if (!tools.empty() && !old_name.empty() && tools != old_name)
    throw InputError("environment: KOKKOS_TOOLS_LIBS and KOKKOS_PROFILE_LIBRARY differ; unset the latter");
  for (const char* name :
       {"KOKKOS_NUM_THREADS", "KOKKOS_DEVICE_ID", "KOKKOS_DISABLE_WARNINGS", "KOKKOS_MAP_DEVICE_ID_BY",
        "KOKKOS_PRINT_CONFIGURATION", "KOKKOS_TUNE_INTERNALS", "KOKKOS_VISIBLE_DEVICES"})
    unsetenv(name);
}

}  // namespace kokkosort
