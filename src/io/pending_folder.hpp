#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace kokkosort {

class InterruptionTrace;

/// A folder of results that is there completely or not at all, as a PendingFile is: filled beside its place
/// under a hidden name, then renamed. Until commit() nothing of it stays; an interruption removes it, too.
class PendingFolder {
 public:
  /// Why an old folder may not be replaced, in words that follow its name; empty if it may.
  using Complaint = std::function<std::string(const std::filesystem::path&)>;

  /// @throws InputError if the folder is there already and may not be replaced, or cannot be made
  PendingFolder(const std::filesystem::path& path, bool overwrite, const Complaint& complaint);
  ~PendingFolder();
  PendingFolder(const PendingFolder&) = delete;
  PendingFolder& operator=(const PendingFolder&) = delete;

  /// Where to write: an empty folder.
  const std::filesystem::path& temporary() const { return temporary_; }
  /// Puts all files that were written, and closed, onto the disk and the folder in its place; an old folder
  /// goes with all that is in it.
  /// @throws InputError if another run has put a folder there meanwhile that may not be replaced
  void commit();

 private:
  void refuse_existing() const;
  void place() const;
  void remove_traces() const;

  std::filesystem::path path_;
  bool overwrite_;
  Complaint complaint_;
  std::filesystem::path temporary_;
  std::filesystem::path made_from_;  // the uppermost folder made around it; empty: none
  std::unique_ptr<InterruptionTrace> trace_;
  bool committed_ = false;
};

}  // namespace kokkosort
