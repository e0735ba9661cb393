# Where the sources of Kokkos and Kokkos Kernels come from when no installed ones are used, in this order:
# a folder given by the user, upstream releases (only if asked for), the pinned source distribution.
# Downloads land in KOKKOSORT_DEPS_DIR, once for all presets.

set(KOKKOSORT_KOKKOS_SOURCE "" CACHE PATH "Folder with the sources of Kokkos")
set(KOKKOSORT_KOKKOSKERNELS_SOURCE "" CACHE PATH "Folder with the sources of Kokkos Kernels")
option(KOKKOSORT_FETCH_UPSTREAM "Download Kokkos' own releases in place of the pinned source distribution" OFF)

# A throwaway virtual environment, because distributions forbid pip to touch their own Python.
function(kokkosort_pip_download archive)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(venv ${KOKKOSORT_DEPS_DIR}/pip)
  set(pip ${venv}/bin/python -m pip --quiet --disable-pip-version-check)
  message(NOTICE "Downloading the sources of Kokkos and Kokkos Kernels")
  execute_process(COMMAND ${Python3_EXECUTABLE} -m venv --clear ${venv} COMMAND_ERROR_IS_FATAL ANY)
  # pip runs the distribution's own set-up to read its metadata: it imports these two, and needs a setuptools
  # that knows bdist_wheel by itself.
  execute_process(COMMAND ${pip} install packaging setuptools>=70.1 COMMAND_ERROR_IS_FATAL ANY)
  execute_process(
    COMMAND ${pip} download --no-binary :all: --no-deps --no-build-isolation --require-hashes
            -r ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/kokkos-sources.txt -d ${KOKKOSORT_DEPS_DIR}
            COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE_RECURSE ${venv})
  if(NOT EXISTS ${archive})
    message(FATAL_ERROR "pip did not leave ${archive}")
  endif()
endfunction()

function(kokkosort_unpack_pinned out_folder)
  file(READ ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/kokkos-sources.txt pin)
  string(REGEX MATCH "([a-z]+)==([0-9.]+).*sha256:([0-9a-f]+)" pin "${pin}")
  set(name ${CMAKE_MATCH_1}-${CMAKE_MATCH_2})
  set(hash ${CMAKE_MATCH_3})
  set(archive ${KOKKOSORT_DEPS_DIR}/${name}.tar.gz)
  set(folder ${KOKKOSORT_DEPS_DIR}/${name})
  if(NOT EXISTS ${folder}/.complete)
    if(NOT EXISTS ${archive})
      kokkosort_pip_download(${archive})
    endif()
    file(SHA256 ${archive} found) # an archive put there by hand is checked as well
    if(NOT found STREQUAL hash)
      message(FATAL_ERROR "${archive} has SHA-256 ${found}, but ${hash} is pinned: delete it and try again")
    endif()
    file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${KOKKOSORT_DEPS_DIR} PATTERNS */kokkos/* */kokkos-kernels/*)
    file(TOUCH ${folder}/.complete)
  endif()
  set(${out_folder} ${folder} PARENT_SCOPE)
endfunction()

function(kokkosort_fetch_upstream)
  include(FetchContent)
  set(FETCHCONTENT_BASE_DIR ${KOKKOSORT_DEPS_DIR}/upstream)
  set(releases https://github.com/kokkos)
  FetchContent_Declare(kokkos
    URL ${releases}/kokkos/releases/download/4.5.01/kokkos-4.5.01.tar.gz
    URL_HASH SHA256=52d003ffbbe05f30c89966e4009c017efb1662b02b2b73190670d3418719564c)
  FetchContent_Declare(kokkoskernels
    URL ${releases}/kokkos-kernels/releases/download/4.5.01/kokkos-kernels-4.5.01.tar.gz
    URL_HASH SHA256=c111a6561f23a85af9850d1df1e9015f37a586f1da0be4b6fb1e98001d75e074)
  foreach(package kokkos kokkoskernels)
    FetchContent_GetProperties(${package})
    if(NOT ${package}_POPULATED)
      FetchContent_Populate(${package}) # sources only: they are built and installed apart
    endif()
    set(${package}_SOURCE_DIR ${${package}_SOURCE_DIR} PARENT_SCOPE)
  endforeach()
endfunction()

function(kokkosort_kokkos_sources out_kokkos out_kernels)
  if(KOKKOSORT_KOKKOS_SOURCE AND KOKKOSORT_KOKKOSKERNELS_SOURCE)
    set(kokkos ${KOKKOSORT_KOKKOS_SOURCE})
    set(kernels ${KOKKOSORT_KOKKOSKERNELS_SOURCE})
  elseif(KOKKOSORT_KOKKOS_SOURCE OR KOKKOSORT_KOKKOSKERNELS_SOURCE)
    message(FATAL_ERROR "Give both KOKKOSORT_KOKKOS_SOURCE and KOKKOSORT_KOKKOSKERNELS_SOURCE, or neither")
  elseif(KOKKOSORT_FETCH_UPSTREAM)
    kokkosort_fetch_upstream()
    set(kokkos ${kokkos_SOURCE_DIR})
    set(kernels ${kokkoskernels_SOURCE_DIR})
  else()
    kokkosort_unpack_pinned(folder)
    set(kokkos ${folder}/kokkos)
    set(kernels ${folder}/kokkos-kernels)
  endif()
  set(${out_kokkos} ${kokkos} PARENT_SCOPE)
  set(${out_kernels} ${kernels} PARENT_SCOPE)
endfunction()
