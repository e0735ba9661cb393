#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/commands.hpp"
#include "driver/console_progress.hpp"
#include "driver/memory_watch.hpp"
#include "driver/run_log.hpp"
#include "driver/sort_deck.hpp"
#include "driver/sort_input.hpp"
#include "io/checkpoint_folder.hpp"
#include "io/folder_lock.hpp"
#include "kokkosort/io/pending_file.hpp"
#include "kokkosort/io/sorting_file.hpp"
#include "kokkosort/sort.hpp"

namespace kokkosort {

/// Refuses results that are there already, before anything is made. Those that an interrupted run was about
/// to put in their places may be replaced.
/// @throws InputError
void check_sort_outputs(const CommandLine& line, const SortDeck& deck);

/// A sorting while it runs: what its parts share.
class SortRun {
 public:
  using Clock = std::chrono::steady_clock;

  /// All must stay.
  /// @param fingerprints  of the stages, for checkpoints
  /// @param run           with what is known of it by now
  /// @throws InputError if the folder cannot be written, or another run is writing there
  SortRun(const CommandLine& line, const SortDeck& deck, std::map<std::string, std::string> fingerprints,
          SortFiles& files, RunRecord run, Clock::time_point start);

  /// Sorts and writes the results. The log is complete whatever happens.
  /// @throws Stopped if a signal asked for it; what was found by then is kept
  void run();

  const SortResult& result() const { return result_; }
  const RunRecord& record() const { return run_; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  void keep_checkpoints();
  void sort();
  void write();
  void warn();
  SortedRecording sorted_recording() const;
  void write_report(const SortedRecording& recording) const;

  const CommandLine& line_;
  const SortDeck& deck_;
  SortFiles& files_;
  Clock::time_point start_;
  FolderLock lock_;
  PendingFile sorting_file_;
  std::optional<PendingFile> report_file_;
  std::optional<PendingFile> whitened_file_;
  RunLog log_;
  ConsoleProgress progress_;
  std::map<std::string, std::string> fingerprints_;
  std::optional<CheckpointFolder> checkpoints_;
  RunRecord run_;
  Kokkos::DefaultExecutionSpace exec_;
  MemoryWatch memory_;
  SortResult result_;
};

}  // namespace kokkosort
