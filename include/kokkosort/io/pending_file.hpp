#pragma once

#include <filesystem>
#include <memory>

#include "kokkosort/io/pending_result.hpp"

namespace kokkosort {

class InterruptionTrace;

/// A result file that is there completely or not at all: written beside its place under a hidden name, then
/// renamed. Until it is committed nothing of it stays, not even a folder made for it. An
/// interruption removes it, too, where main() asks for that.
class PendingFile final : public PendingResult {
 public:
  /// Makes the folder and tries whether files can be made in it, so that hours of work are not lost later.
  /// @throws InputError if the file is there already and may not be replaced, or cannot be made
  PendingFile(const std::filesystem::path& path, bool overwrite);
  ~PendingFile() override;
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  /// Where to write; no file is there yet.
  const std::filesystem::path& temporary() const { return temporary_; }
  const std::filesystem::path& path() const override { return path_; }
  void sync() override;
  void place() override;
  void finish() override;

 private:
  void remove_traces() const;

  std::filesystem::path path_;
  bool overwrite_;
  std::filesystem::path temporary_;
  std::filesystem::path made_from_;  // the uppermost folder made; empty: none
  std::unique_ptr<InterruptionTrace> trace_;
  bool is_placed_ = false;
};

/// Whether a PendingFile can be made: makes one, of which nothing stays. @throws InputError as the
/// constructor does
void check_output(const std::filesystem::path& path, bool overwrite);

}  // namespace kokkosort
