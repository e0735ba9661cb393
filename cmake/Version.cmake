# Writes kokkosort/version.hpp. Included at configure time, it adds a target that runs this same file at every build,
# so that the commit in a result file is the one built; an unchanged header is not touched and rebuilds nothing.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(KOKKOSORT_GENERATED_INCLUDE ${PROJECT_BINARY_DIR}/include)
  add_custom_target(kokkosort_version
    COMMAND ${CMAKE_COMMAND}
      -D SOURCE_DIR=${PROJECT_SOURCE_DIR}
      -D OUTPUT=${KOKKOSORT_GENERATED_INCLUDE}/kokkosort/version.hpp
      -D VERSION=${PROJECT_VERSION}
      -D BUILD_TYPE=${CMAKE_BUILD_TYPE}
      -D "COMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
      -P ${CMAKE_CURRENT_LIST_FILE}
    BYPRODUCTS ${KOKKOSORT_GENERATED_INCLUDE}/kokkosort/version.hpp
    COMMENT "Noting the version"
    VERBATIM)
  return()
endif()

execute_process(
  COMMAND git describe --tags --always --dirty
  WORKING_DIRECTORY ${SOURCE_DIR}
  OUTPUT_VARIABLE GIT_DESCRIBE
  OUTPUT_STRIP_TRAILING_WHITESPACE
  ERROR_QUIET)
if(NOT GIT_DESCRIBE)
  set(GIT_DESCRIBE unknown) # a source archive, or no git
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/version.hpp.in ${OUTPUT} @ONLY)
