#pragma once

#include <cstdint>
#include <string>

namespace kokkosort {

/// Is told how a long run goes on. Called from one thread.
class Progress {
 public:
  virtual ~Progress() = default;

  /// @param samples  of the recording, that the stage will go through; 0: it does not go through them
  virtual void begin(const std::string& stage, std::int64_t samples) = 0;
  /// @param samples  that an earlier run has done: the stage goes on behind them
  virtual void resume(std::int64_t samples) = 0;
  /// @param samples  done so far
  virtual void advance(std::int64_t samples) = 0;
  /// @param result  what the stage found, in words
  virtual void end(const std::string& result) = 0;
  /// Something that the user should hear of, though it is no fault.
  virtual void note(const std::string& text) = 0;
};

}  // namespace kokkosort
