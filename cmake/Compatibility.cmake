# Headers that let Kokkos and our code, both unchanged, compile with compilers they were not made for.
# Each file says why it exists. KOKKOSORT_COMPATIBILITY_FLAGS goes to every file that includes Kokkos.
set(KOKKOSORT_COMPATIBILITY_FLAGS "")
set(KOKKOSORT_COMPATIBILITY_HASH "")
set(folder ${CMAKE_CURRENT_LIST_DIR}/compatibility)
if(KOKKOSORT_BACKEND STREQUAL CUDA)
  set(file ${folder}/cuda13.hpp)
  set(KOKKOSORT_COMPATIBILITY_FLAGS "-include ${file}")
elseif(KOKKOSORT_BACKEND STREQUAL HIP AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 16)
  set(file ${folder}/clang15_hip/bits/stl_pair.h)
  set(KOKKOSORT_COMPATIBILITY_FLAGS "-isystem ${folder}/clang15_hip")
endif()
if(KOKKOSORT_COMPATIBILITY_FLAGS)
  file(SHA256 ${file} KOKKOSORT_COMPATIBILITY_HASH) # so that a changed header rebuilds Kokkos
endif()
