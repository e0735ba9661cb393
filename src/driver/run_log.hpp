#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "kokkosort/io/run_record.hpp"

namespace kokkosort {

/// The log of a run, each line on the disk as soon as it is written: what a run that failed leaves behind.
/// Runs into the same folder follow each other in it.
class RunLog {
 public:
  /// @throws InputError if the file cannot be written
  explicit RunLog(const std::filesystem::path& path);

  /// One line, with the time. Text of several lines is indented.
  void write(const std::string& text);
  /// Settings and versions.
  void begin(const RunRecord& run);
  /// Seconds of each stage, memory and ledger, as far as the run came.
  /// @param outcome  "done", or what went wrong
  void end(const RunRecord& run, const std::string& outcome);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace kokkosort
