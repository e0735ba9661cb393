# Gives the targets Kokkos::kokkos and Kokkos::kokkoskernels: installed ones where they fit, otherwise built from
# source and installed into build/deps/<name of the build folder>. That folder is outside the build folder, so
# neither a rebuild nor a deleted build folder fetches or builds them again.
include(Compatibility)
include(KokkosSources)

set(KOKKOSORT_DEPS_DIR ${PROJECT_SOURCE_DIR}/build/deps CACHE PATH "Sources and installs of Kokkos, kept across builds")
cmake_path(GET PROJECT_BINARY_DIR FILENAME folder)
set(KOKKOSORT_DEPS_NAME ${folder} CACHE STRING "Name of this build's install folder in KOKKOSORT_DEPS_DIR")
option(KOKKOSORT_FIND_KOKKOS "Use an installed Kokkos and Kokkos Kernels if they fit" ON)

# One version rule for both packages.
set(KOKKOSORT_KOKKOS_FROM 4.5)
set(KOKKOSORT_KOKKOS_BELOW 6)

# kokkosort_find_fitting(<package> <out> [backend...]): config folder of an installed package that fits, or empty.
# Loading a package that does not fit could not be undone (targets, launch rules), so it is judged unloaded:
# no package has version 9999, but asking for it lists every candidate.
function(kokkosort_find_fitting package out)
  set(${out} "" PARENT_SCOPE)
  find_package(${package} 9999 CONFIG QUIET)
  unset(${package}_DIR CACHE)
  foreach(config version IN ZIP_LISTS ${package}_CONSIDERED_CONFIGS ${package}_CONSIDERED_VERSIONS)
    cmake_path(GET config PARENT_PATH folder)
    cmake_path(IS_PREFIX KOKKOSORT_DEPS_DIR ${folder} NORMALIZE ours)
    if(ours OR version VERSION_LESS KOKKOSORT_KOKKOS_FROM OR version VERSION_GREATER_EQUAL KOKKOSORT_KOKKOS_BELOW)
      continue()
    endif()
    set(missing "")
    if(ARGN)
      file(STRINGS ${folder}/KokkosConfigCommon.cmake devices REGEX "SET\\(Kokkos_DEVICES " LIMIT_COUNT 1)
      string(REGEX MATCHALL "[A-Z]+" devices "${devices}")
      set(missing ${ARGN})
      list(REMOVE_ITEM missing ${devices})
    endif()
    if(missing)
      message(STATUS "Passing over ${package} ${version} in ${folder}: without ${missing}")
    else()
      set(${out} ${folder} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# kokkosort_install(<name> <source> <prefix> <option>...): configures, builds and installs with a log beside the prefix.
function(kokkosort_install name source prefix)
  cmake_path(GET prefix PARENT_PATH folder)
  set(binary ${folder}/${name}-build)
  set(log ${folder}/${name}.log)
  message(NOTICE "Building ${name} (once; log in ${log})")
  foreach(step "-S;${source};-B;${binary};-G;${CMAKE_GENERATOR};${ARGN}" "--build;${binary};--target;install")
    execute_process(COMMAND ${CMAKE_COMMAND} ${step} OUTPUT_FILE ${log} ERROR_FILE ${log} RESULT_VARIABLE failed)
    if(failed)
      file(STRINGS ${log} lines)
      list(SUBLIST lines -30 -1 lines)
      list(JOIN lines "\n" lines)
      message(FATAL_ERROR "${name} could not be built; the end of ${log}:\n${lines}")
    endif()
  endforeach()
  file(REMOVE_RECURSE ${binary})
endfunction()

# Which BLAS libraries Kokkos Kernels calls. OpenBLAS unless the user names another vendor (CMake's BLA_VENDOR).
function(kokkosort_blas_options out)
  set(BLA_VENDOR OpenBLAS CACHE STRING "BLAS for the host, as CMake's FindBLAS names it")
  set(BLA_STATIC ${KOKKOSORT_STATIC_LIBS})
  find_package(BLAS QUIET)
  if(NOT BLAS_FOUND)
    message(WARNING "No ${BLA_VENDOR} found: matrix products on the host will be slow")
  endif()
  set(rocblas OFF)
  if(KOKKOSORT_BACKEND STREQUAL HIP)
    find_package(rocblas CONFIG QUIET)
    set(rocblas ${rocblas_FOUND})
  endif()
  string(COMPARE EQUAL ${KOKKOSORT_BACKEND} CUDA cublas)
  set(${out}
    -DKokkosKernels_ENABLE_TPL_BLAS=${BLAS_FOUND}
    -DKokkosKernels_ENABLE_TPL_CUBLAS=${cublas}
    -DKokkosKernels_ENABLE_TPL_ROCBLAS=${rocblas}
    # Everything else that a BLAS or a device would turn on, unused here.
    -DKokkosKernels_ENABLE_TPL_LAPACK=OFF
    -DKokkosKernels_ENABLE_TPL_CUSPARSE=OFF
    -DKokkosKernels_ENABLE_TPL_CUSOLVER=OFF
    -DBLA_VENDOR=${BLA_VENDOR}
    -DBLA_STATIC=${BLA_STATIC}
    "-DF77_BLAS_MANGLE=(name,NAME) name ## _" # otherwise a Fortran compiler is asked for
    PARENT_SCOPE)
endfunction()

# kokkosort_build_kokkos(<prefix> <backend>...): builds both unless the prefix holds this very configuration.
function(kokkosort_build_kokkos prefix)
  kokkosort_kokkos_sources(kokkos kernels)
  kokkosort_blas_options(blas)
  set(common
    -DCMAKE_INSTALL_PREFIX=${prefix}
    -DCMAKE_INSTALL_LIBDIR=lib
    -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}
    -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
    -DCMAKE_CXX_STANDARD=${CMAKE_CXX_STANDARD}
    -DCMAKE_CXX_EXTENSIONS=OFF
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON
    -DBUILD_SHARED_LIBS=OFF
    "-DCMAKE_CXX_FLAGS=${KOKKOSORT_COMPATIBILITY_FLAGS}")
  if(CMAKE_BUILD_TYPE STREQUAL Debug)
    list(APPEND common "-DCMAKE_CXX_FLAGS_DEBUG=${CMAKE_CXX_FLAGS_DEBUG}")
    set(bounds_check ON)
  else()
    set(bounds_check OFF)
  endif()
  set(options
    -DKokkos_ENABLE_DEBUG_BOUNDS_CHECK=${bounds_check}
    -DKokkos_ARCH_NATIVE=${KOKKOSORT_NATIVE}
    -DKokkos_ENABLE_ROCTHRUST=OFF)
  foreach(backend IN LISTS ARGN)
    list(APPEND options -DKokkos_ENABLE_${backend}=ON)
  endforeach()
  if(KOKKOSORT_DEVICE_ARCH)
    list(APPEND options -DKokkos_ARCH_${KOKKOSORT_DEVICE_ARCH}=ON)
  endif()

  set(wanted "${common};${options};${blas};${kokkos};${kernels};${CMAKE_CXX_COMPILER_VERSION};${KOKKOSORT_COMPATIBILITY_HASH}")
  string(REPLACE "${PROJECT_SOURCE_DIR}" "." wanted "${wanted}") # clones that share a folder of dependencies agree
  set(stamp ${prefix}/kokkosort-stamp.txt)
  if(EXISTS ${stamp})
    file(READ ${stamp} present)
    if(present STREQUAL wanted)
      return()
    endif()
  endif()
  file(REMOVE_RECURSE ${prefix})
  file(MAKE_DIRECTORY ${prefix})
  kokkosort_install(kokkos ${kokkos} ${prefix} ${common} ${options})
  # Only the BLAS part and no ready-made instantiations: 10 seconds in place of 461 files.
  kokkosort_install(kokkos-kernels ${kernels} ${prefix} ${common} ${blas}
    -DKokkos_DIR=${prefix}/lib/cmake/Kokkos
    -DKokkosKernels_ENABLE_ALL_COMPONENTS=OFF
    -DKokkosKernels_ENABLE_COMPONENT_BLAS=ON
    -DKokkosKernels_ADD_DEFAULT_ETI=OFF)
  file(WRITE ${stamp} "${wanted}")
endfunction()

if(NOT KOKKOSORT_BACKEND MATCHES "^(OPENMP|SERIAL|CUDA|HIP)$")
  message(FATAL_ERROR "KOKKOSORT_BACKEND is ${KOKKOSORT_BACKEND}: choose OPENMP, SERIAL, CUDA or HIP")
endif()
set(backends SERIAL ${KOKKOSORT_BACKEND}) # Serial always: tests compare the two
if(KOKKOSORT_BACKEND STREQUAL CUDA)
  list(APPEND backends OPENMP) # for what the host does beside the device
endif()
list(REMOVE_DUPLICATES backends)

set(kokkos_config "")
set(kernels_config "")
if(KOKKOSORT_FIND_KOKKOS AND NOT KOKKOSORT_KOKKOS_SOURCE)
  kokkosort_find_fitting(Kokkos kokkos_config ${backends})
  kokkosort_find_fitting(KokkosKernels kernels_config)
endif()
if(NOT kokkos_config OR NOT kernels_config)
  set(prefix ${KOKKOSORT_DEPS_DIR}/${KOKKOSORT_DEPS_NAME}/install)
  kokkosort_build_kokkos(${prefix} ${backends})
  set(kokkos_config ${prefix}/lib/cmake/Kokkos)
  set(kernels_config ${prefix}/lib/cmake/KokkosKernels)
endif()
set(Kokkos_DIR ${kokkos_config} CACHE PATH "Config folder of the Kokkos in use" FORCE)
set(KokkosKernels_DIR ${kernels_config} CACHE PATH "Config folder of the Kokkos Kernels in use" FORCE)
find_package(Kokkos ${KOKKOSORT_KOKKOS_FROM}...<${KOKKOSORT_KOKKOS_BELOW} CONFIG REQUIRED)
find_package(KokkosKernels ${KOKKOSORT_KOKKOS_FROM}...<${KOKKOSORT_KOKKOS_BELOW} CONFIG REQUIRED)
message(STATUS "Kokkos ${Kokkos_VERSION}, Kokkos Kernels ${KokkosKernels_VERSION}: ${kokkos_config}")
