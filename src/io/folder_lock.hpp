#pragma once

#include <filesystem>

#include "io/descriptor.hpp"

namespace kokkosort {

/// Keeps a folder of results for one run while it lives. A file system without locks has none to keep others
/// out with.
class FolderLock {
 public:
  /// @param folder  is there
  /// @throws InputError if another run has it
  explicit FolderLock(const std::filesystem::path& folder);

  bool is_held() const { return is_held_; }

 private:
  Descriptor folder_;
  bool is_held_ = false;
};

}  // namespace kokkosort
