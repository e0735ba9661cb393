#pragma once

#include <filesystem>

namespace kokkosort {

/// From here on a program that is told to end (SIGINT, SIGTERM, SIGHUP) first removes what its PendingFiles
/// and PendingFolders made. For main(); signals that are ignored stay so.
void clean_up_when_interrupted();

/// While this lives, a first signal does not end the program: who looks is told, and ends it in order. A
/// second one ends it at once.
class GracefulStop {
 public:
  GracefulStop();
  ~GracefulStop();
  GracefulStop(const GracefulStop&) = delete;
  GracefulStop& operator=(const GracefulStop&) = delete;

  /// The signal that came; 0: none did.
  static int signal();
};

/// "SIGTERM".
const char* name_of_signal(int signal);

/// While this lives, no signal ends the program: what must be done in one go is done. A signal that came
/// meanwhile takes effect when this goes.
class SignalHold {
 public:
  SignalHold();
  ~SignalHold();
  SignalHold(const SignalHold&) = delete;
  SignalHold& operator=(const SignalHold&) = delete;
};

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
