#pragma once
// All View aliases of the project; no other file spells a layout.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace kokkosort {

/// Arrays in the memory of an execution space. Always LayoutRight: the last index is contiguous, so a
/// feature-major matrix [features, spikes] has neighbouring spikes side by side (DESIGN, kernel rule 1).
template <class T, class Exec>
using Vector = Kokkos::View<T*, Kokkos::LayoutRight, typename Exec::device_type>;
template <class T, class Exec>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::device_type>;

/// Borrowed memory seen as a matrix, e.g. one section's points inside a ragged batch.
template <class T, class Exec>
using MatrixRef = Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::device_type,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Arrays in ordinary host memory.
template <class T>
using HostVector = Kokkos::View<T*, Kokkos::LayoutRight, Kokkos::HostSpace>;
template <class T>
using HostMatrix = Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace>;
template <class T>
using HostTensor3 = Kokkos::View<T***, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// Host memory that a device copies from while it works (pinned); ordinary where the device is the host.
template <class Exec>
using StagingSpace = std::conditional_t<std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>, Kokkos::HostSpace,
                                        Kokkos::SharedHostPinnedSpace>;
template <class T, class Exec>
using StagingVector = Kokkos::View<T*, Kokkos::LayoutRight, StagingSpace<Exec>>;

/// Per-team scratch memory.
template <class T, class Exec>
using Scratch = Kokkos::View<T*, Kokkos::LayoutRight, typename Exec::scratch_memory_space,
                             Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Team handle of an execution space's kernels.
template <class Exec>
using TeamMember = typename Kokkos::TeamPolicy<Exec>::member_type;

/// A View argument list that names an allocation and leaves it unfilled: filling would cost a kernel and
/// a fence that nothing needs.
template <class Exec>
auto unfilled(const Exec& exec, const std::string& label) {
  return Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label);
}

/// True where a kernel's threads are CPU cores, which want a block of neighbouring points each to fill
/// their vector registers; false on GPUs, whose threads are the vector lanes.
template <class Exec>
inline constexpr bool runs_on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible &&
    std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;

}  // namespace kokkosort
