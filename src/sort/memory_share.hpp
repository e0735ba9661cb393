#pragma once

#include <exception>
#include <optional>
#include <string>

#include "kokkosort/errors.hpp"
#include "kokkosort/sort.hpp"
#include "recording/resident_recording.hpp"

namespace kokkosort {

/// Whether this says that memory of host or device was not to be had.
bool ran_out_of_memory(const std::exception& error);

/// Shares the device's memory between a recording's samples, which stay there as far as is worth it, and the
/// stages of a sort, which have what is left of their limits. Where memory runs out all the same, stages do
/// with less: their answers do not depend on it.
template <class Exec>
class MemoryShare {
 public:
  /// All must stay.
  MemoryShare(const Exec& exec, Recording& recording, const SortOptions& options, Progress& progress);

  /// What stages are to read, and the options that they are to run with. Both change while stages run.
  Recording& recording() { return resident_ ? *resident_ : recording_; }
  const SortOptions& options() const { return options_; }

  /// Runs a stage, again if it must do with less. @return what it returns
  /// @throws std::runtime_error if memory runs out however little it takes
  template <class Stage>
  auto run(const Stage& stage) {
    for (;;) {
      try {
        return stage();
      } catch (const DeviceLimitError& error) {
        if (!release_recording()) give_up(error);
      } catch (const std::exception& error) {
        if (!ran_out_of_memory(error)) throw;
        if (!release_recording()) halve_limits(error);
      }
    }
  }

 private:
  /// Makes room by giving up the samples on the device. @return false if there are none
  bool release_recording();
  /// @throws std::runtime_error if there is nothing to be halved
  void halve_limits(const std::exception& error);
  [[noreturn]] void give_up(const DeviceLimitError& error) const;

  Recording& recording_;
  Progress& progress_;
  SortOptions given_;    // with limits that the stages keep to together with the recording
  SortOptions options_;  // with what is left of them
  std::optional<ResidentRecording<Exec>> resident_;  // where the device is not the host
  std::string ran_out_;                              // what was said when memory ran out last
};

}  // namespace kokkosort
