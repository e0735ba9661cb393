#pragma once

#include <filesystem>
#include <vector>

namespace kokkosort {

/// A result, a file or a folder, that was written beside its place.
class PendingResult {
 public:
  virtual ~PendingResult() = default;

  /// Where it will be.
  virtual const std::filesystem::path& path() const = 0;
  /// Puts what was written, and closed, onto the disk. @throws std::runtime_error if it does not take it
  virtual void sync() = 0;
  /// Gives it its name; what has had it keeps another one.
  /// @throws InputError if another run has put something there meanwhile that may not be replaced
  virtual void place() = 0;
  /// Puts the new name onto the disk, and removes what has had it.
  virtual void finish() = 0;

  /// All three.
  void commit() {
    sync();
    place();
    finish();
  }
};

/// Puts results that belong together in their places, in a row and undisturbed by signals, when all are on
/// the disk: old and new ones are not mixed.
/// @param journal  a file that is there meanwhile, and tells of it should the machine stop; empty: none
void commit_together(const std::vector<PendingResult*>& results, const std::filesystem::path& journal = {});

/// Results that a commit was about to put in their places when it was interrupted: they may be replaced.
std::vector<std::filesystem::path> half_committed(const std::filesystem::path& journal);

}  // namespace kokkosort
