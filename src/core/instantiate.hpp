#pragma once

#include <Kokkos_Core.hpp>

// The one place that knows which execution spaces are enabled. A stage's .cpp ends with
// KOKKOSORT_INSTANTIATE(M), where M(Exec) instantiates its functions for one of them.

#if defined(KOKKOS_ENABLE_CUDA)
#define KOKKOSORT_INSTANTIATE_DEVICE(M) M(Kokkos::Cuda)
#elif defined(KOKKOS_ENABLE_HIP)
#define KOKKOSORT_INSTANTIATE_DEVICE(M) M(Kokkos::HIP)
#else
#define KOKKOSORT_INSTANTIATE_DEVICE(M)
#endif

// Beside a device, OpenMP serves the host's own work alone (core/host_loop.hpp).
#if defined(KOKKOS_ENABLE_OPENMP) && !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
#define KOKKOSORT_INSTANTIATE_OPENMP(M) M(Kokkos::OpenMP)
#else
#define KOKKOSORT_INSTANTIATE_OPENMP(M)
#endif

#if !defined(KOKKOS_ENABLE_SERIAL)
#error "KokkoSort needs a Kokkos with the Serial backend: the host BLAS is called through it."
#endif

#define KOKKOSORT_INSTANTIATE(M)  \
  M(Kokkos::Serial)               \
  KOKKOSORT_INSTANTIATE_OPENMP(M) \
  KOKKOSORT_INSTANTIATE_DEVICE(M)
