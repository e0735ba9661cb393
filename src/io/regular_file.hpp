#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace kokkosort {

/// Why a path is no file to read: a pipe, for one, would wait for its writer. Empty if it is one.
inline std::string no_file_complaint(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return "there is no such file";
  if (status.type() == std::filesystem::file_type::none) return "cannot be looked at: " + error.message();
  return std::filesystem::is_regular_file(status) ? "" : "is not a file";
}

}  // namespace kokkosort
