# Warnings for our own code, in kokkosort::warnings; other libraries' headers are system headers.
add_library(kokkosort_warnings INTERFACE)
add_library(kokkosort::warnings ALIAS kokkosort_warnings)
target_compile_options(kokkosort_warnings INTERFACE -Wall -Wextra -Wnon-virtual-dtor -Woverloaded-virtual)
if(NOT KOKKOSORT_BACKEND STREQUAL CUDA)
  # nvcc's host compiler sees generated code, which breaks these rules by itself.
  target_compile_options(kokkosort_warnings INTERFACE -Wpedantic -Wshadow -Wcast-qual)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees overlaps in std::string + (GCC bug 105651) and, with precompiled headers, accesses beyond its ends.
  target_compile_options(kokkosort_warnings INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
endif()
if(KOKKOSORT_WERROR)
  target_compile_options(kokkosort_warnings INTERFACE -Werror)
endif()
