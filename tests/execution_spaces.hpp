#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

#include <string>

namespace kokkosort::test {

/// Every execution space that the stages are built for, for typed tests.
using ExecutionSpaces = testing::Types<
#if defined(KOKKOS_ENABLE_CUDA)
    Kokkos::Cuda,
#elif defined(KOKKOS_ENABLE_HIP)
    Kokkos::HIP,
#elif defined(KOKKOS_ENABLE_OPENMP)
    Kokkos::OpenMP,
#endif
    Kokkos::Serial>;

/// Names typed tests by execution space.
struct ExecutionSpaceName {
  template <class Exec>
  static std::string GetName(int) {
    return Exec::name();
  }
};

}  // namespace kokkosort::test
