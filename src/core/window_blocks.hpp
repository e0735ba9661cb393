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

  /// Adds what was found in windows [first, done) to a block.
  using Collect = std::function<void(std::size_t first, ArraysToSave& block)>;

  /// After a window that is not the last: keeps what was found, if it is time to.
  /// @throws Stopped if the run has been told to end
  void keep_some(std::size_t done, const Collect& collect);
  /// When all windows are done: keeps what is not yet kept, if it is worth that, while the run goes on.
  /// @param collect  what it adds must stay, or be kept by the block
  /// @throws Stopped if the run has been told to end
  void keep_rest(std::size_t done, const Collect& collect);

  /// Windows that are kept.
  std::size_t n_kept() const { return n_kept_; }

 private:
  std::string name_of(std::size_t block) const;
  ArraysToSave begin_block(std::size_t done) const;

  StageCheckpoints kept_;
  std::size_t n_blocks_ = 0;
  std::size_t n_kept_ = 0;  // windows
};

}  // namespace kokkosort
