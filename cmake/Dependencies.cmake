# The other libraries, all from the distribution, gathered in kokkosort::dependencies.

find_package(HDF5 1.10 REQUIRED COMPONENTS C)
find_package(yaml-cpp 0.6 REQUIRED)
find_package(fmt 8 REQUIRED)
find_package(CLI11 2 REQUIRED)
find_package(Eigen3 3.3 REQUIRED NO_MODULE)
find_package(nlohmann_json 3.9 REQUIRED)
if(KOKKOSORT_TESTS)
  find_package(GTest 1.11 REQUIRED)
endif()
if(KOKKOSORT_BENCHMARKS)
  find_package(benchmark 1.6 QUIET)
endif()

add_library(kokkosort_dependencies INTERFACE)
add_library(kokkosort::dependencies ALIAS kokkosort_dependencies)
target_link_libraries(kokkosort_dependencies INTERFACE
  Kokkos::kokkos Kokkos::kokkoskernels CLI11::CLI11 nlohmann_json::nlohmann_json)
if(KOKKOSORT_COMPATIBILITY_FLAGS)
  target_compile_options(kokkosort_dependencies INTERFACE "SHELL:${KOKKOSORT_COMPATIBILITY_FLAGS}")
endif()
# '#pragma omp simd' without OpenMP's threads. In hipcc's device pass the flag would ask for an OpenMP device runtime.
if(KOKKOSORT_BACKEND STREQUAL HIP)
  target_compile_options(kokkosort_dependencies INTERFACE "SHELL:-Xarch_host -fopenmp-simd")
elseif(NOT KOKKOSORT_BACKEND STREQUAL OPENMP)
  target_compile_options(kokkosort_dependencies INTERFACE -fopenmp-simd)
endif()
if(KOKKOSORT_BACKEND STREQUAL CUDA)
  target_compile_definitions(kokkosort_dependencies INTERFACE FMT_USE_CONSTEXPR=1) # which fmt 9 half turns off for nvcc
endif()

if(KOKKOSORT_STATIC_LIBS)
  # Debian's packages export the shared libraries only, though most ship archives too. fmt has none: header only.
  foreach(archive libhdf5.a libsz.a libaec.a libz.a libyaml-cpp.a)
    find_library(KOKKOSORT_${archive} ${archive} REQUIRED PATH_SUFFIXES hdf5/serial)
    list(APPEND archives ${KOKKOSORT_${archive}})
  endforeach()
  target_include_directories(kokkosort_dependencies SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS} ${YAML_CPP_INCLUDE_DIR})
  target_link_libraries(kokkosort_dependencies INTERFACE ${archives} fmt::fmt-header-only ${CMAKE_DL_LIBS})
  target_link_options(kokkosort_dependencies INTERFACE -static-libstdc++ -static-libgcc)
  # A copied binary looks for CUDA's libraries in their usual place and for Google Benchmark's beside itself.
  list(APPEND CMAKE_BUILD_RPATH /usr/local/cuda/lib64 "$ORIGIN")
else()
  target_link_libraries(kokkosort_dependencies INTERFACE hdf5::hdf5 yaml-cpp fmt::fmt)
endif()

# Tests ask for the BLAS where there is one. OpenBLAS runs threads of its own, which its callers must be able to stop.
if(TARGET Kokkos::BLAS)
  target_compile_definitions(kokkosort_dependencies INTERFACE KOKKOSORT_HAVE_BLAS=1)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_LIBRARIES Kokkos::BLAS)
  check_cxx_source_compiles(
    "extern \"C\" void openblas_set_num_threads(int); int main() { openblas_set_num_threads(1); }"
    KOKKOSORT_HAVE_OPENBLAS)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()
