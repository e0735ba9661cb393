#pragma once

#include <filesystem>

namespace kokkosort {

/// From here on a program that is told to end (SIGINT, SIGTERM, SIGHUP) first removes what its PendingFiles
/// and PendingFolders made. For main(); signals that are ignored stay so.
void clean_up_when_interrupted();

/// What an interruption removes while this lives: a file, or a folder with all that is in it, and the folders
/// made for it that are empty.
class InterruptionTrace {
 public:
  /// @param made_from  the uppermost folder made; empty: none
  InterruptionTrace(const std::filesystem::path& path, const std::filesystem::path& made_from);
  ~InterruptionTrace();
  InterruptionTrace(const InterruptionTrace&) = delete;
  InterruptionTrace& operator=(const InterruptionTrace&) = delete;

 private:
  int place_;  // in the table that the signal handler reads; -1: it was full
};

}  // namespace kokkosort
