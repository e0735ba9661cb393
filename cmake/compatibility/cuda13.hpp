#pragma once

// Force-included into every file that nvcc compiles, Kokkos' own too.
// CUDA 13 gave three runtime functions new parameters: graph edges carry data, and memory locations are structs
// where they were device numbers. Kokkos before 4.7 still calls the old forms, so they are put back as overloads;
// its sources stay unchanged. Delete this file once Kokkos 4.7 is the oldest version accepted.

#if defined(__CUDACC__)
#include <cuda_runtime_api.h>

#if CUDART_VERSION >= 13000

inline cudaMemLocation kokkosort_memory_location(int device) {
  cudaMemLocation location{};
  location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = device == cudaCpuDeviceId ? 0 : device;
  return location;
}

inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                            size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}

inline cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise(pointer, bytes, advice, kokkosort_memory_location(device));
}

inline cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int device, cudaStream_t stream = nullptr) {
  return cudaMemPrefetchAsync(pointer, bytes, kokkosort_memory_location(device), 0, stream);
}

#endif  // CUDART_VERSION >= 13000
#endif  // __CUDACC__
