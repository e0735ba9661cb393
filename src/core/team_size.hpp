#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>

#include "kokkosort/types.hpp"

namespace kokkosort {

/// Threads for a kernel's teams: as many as were asked for, or if that is 0 one on a CPU and `usual` on a GPU.
/// @throws std::invalid_argument if the kernel cannot have so many
template <class Exec, class Kernel>
int team_size(const Exec& exec, const Kernel& kernel, std::size_t scratch_bytes, int asked, int usual) {
  if (asked == 0) return runs_on_host<Exec> ? 1 : usual;
  const int most = Kokkos::TeamPolicy<Exec>(exec, 1, 1)
                       .set_scratch_size(0, Kokkos::PerTeam(scratch_bytes))
                       .team_size_max(kernel, Kokkos::ParallelForTag());
  if (asked > most)
    throw std::invalid_argument("teams of " + std::to_string(asked) + " threads: this kernel can have " +
                                std::to_string(most) + " here");
  return asked;
}

}  // namespace kokkosort
