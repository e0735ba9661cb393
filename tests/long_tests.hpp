#pragma once

#include <cstdlib>
#include <string>

namespace kokkosort::test {

/// Tests that take minutes and gigabytes are left out unless asked for:
///   KOKKOSORT_LONG_TESTS=1 build/openmp/tests/kokkosort_tests --gtest_filter='Long*'
inline bool long_tests_are_wanted() {
  const char* const wanted = std::getenv("KOKKOSORT_LONG_TESTS");
  return wanted != nullptr && std::string(wanted) == "1";
}

/// What a test that was left out says. @param cost  of running it
inline std::string left_out(const std::string& cost) {
  return "NOT TESTED: takes " + cost + "; set KOKKOSORT_LONG_TESTS=1 to run it";
}

}  // namespace kokkosort::test
