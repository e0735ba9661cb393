#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace kokkosort::test {

/// A file of the folder of large test data: that of the variable KOKKOSORT_SHARED, or `shared` beside the
/// checkout.
inline std::filesystem::path shared_data(const std::string& name) {
  const char* const folder = std::getenv("KOKKOSORT_SHARED");
  const std::filesystem::path shared = folder != nullptr
                                           ? std::filesystem::path(folder)
                                           : std::filesystem::path(KOKKOSORT_SOURCE_DIR) / ".." / "shared";
  return shared / "data" / name;
}

inline std::filesystem::path demo_features() {
  return std::filesystem::path(KOKKOSORT_SOURCE_DIR) / "inputs" / "demo_features.h5";
}

/// What a test that is left out says.
inline std::string missing(const std::filesystem::path& path) {
  return "NOT TESTED: " + path.lexically_normal().string() +
         " is missing; set KOKKOSORT_SHARED to the folder that has data/" + path.filename().string();
}

}  // namespace kokkosort::test
