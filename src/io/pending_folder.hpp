#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "kokkosort/io/pending_result.hpp"

namespace kokkosort {

class InterruptionTrace;

/// A folder of results that is there completely or not at all, as a PendingFile is: filled beside its place
/// under a hidden name, then renamed. Until commit() nothing of it stays; an interruption removes it, too.
class PendingFolder final : public PendingResult {
 public:
  /// Why an old folder may not be replaced, in words that follow its name; empty if it may.
  using Complaint = std::function<std::string(const std::filesystem::path&)>;

  /// @throws InputError if the folder is there already and may not be replaced, or cannot be made
  PendingFolder(const std::filesystem::path& path, bool overwrite, const Complaint& complaint);
  ~PendingFolder() override;
  PendingFolder(const PendingFolder&) = delete;
  PendingFolder& operator=(const PendingFolder&) = delete;

  /// Where to write: an empty folder.
  const std::filesystem::path& temporary() const { return temporary_; }
  const std::filesystem::path& path() const override { return path_; }
  void sync() override;
  void place() override;
  /// An old folder goes with all that is in it.
  void finish() override;

 private:
  void refuse_existing() const;
  void remove_traces() const;

  std::filesystem::path path_;
  bool overwrite_;
  Complaint complaint_;
  std::filesystem::path temporary_;
  std::filesystem::path made_from_;  // the uppermost folder made around it; empty: none
  std::unique_ptr<InterruptionTrace> trace_;
  bool is_placed_ = false;
};

}  // namespace kokkosort
