#pragma once

#include <Kokkos_Core.hpp>

namespace kokkosort {

/// A policy for kernels that are launched in quick succession: their functors travel as launch arguments. Otherwise
/// Kokkos puts functors over 512 bytes into the device's constant memory, and each launch waits until the kernel before
/// it has ended (measured on an H200: 30 µs a launch, 8 without).
template <class Policy>
auto light(const Policy& policy) {
  return Kokkos::Experimental::require(policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight);
}

}  // namespace kokkosort
