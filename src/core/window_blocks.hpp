#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "kokkosort/checkpoints.hpp"

namespace kokkosort {

/// Keeps what a stage finds in the windows of a recording, some windows at a time, so that it can go on where
/// it was interrupted.
class WindowBlocks {
 public:
  explicit WindowBlocks(StageCheckpoints kept);

  /// Brings back what an earlier run has kept. @param take  is given each block, in order
  /// @return windows that are done
  std::size_t restore(const std::function<void(SavedArrays&)>& take);

  /// After each window. @param collect  adds what was found in windows [first, done), if it is to be kept now
  /// @throws Stopped if the run has been told to end
  void keep(std::size_t done, std::size_t of,
            const std::function<void(std::size_t first, ArraysToSave& block)>& collect);

 private:
  std::string name_of(std::size_t block) const;

  StageCheckpoints kept_;
  std::size_t n_blocks_ = 0;
  std::size_t n_kept_ = 0;  // windows
};

}  // namespace kokkosort
