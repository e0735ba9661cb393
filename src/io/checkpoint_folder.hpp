#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kokkosort/checkpoints.hpp"

namespace kokkosort {

/// How a run keeps its checkpoints.
struct CheckpointOptions {
  double seconds = 20.0;  // between two within a stage
  /// What checkpoints depend on, as lines of text, by the beginning of their names.
  std::map<std::string, std::string> fingerprints;
  std::function<bool()> should_stop = [] { return false; };
  /// Hears why a checkpoint could not be used or saved.
  std::function<void(const std::string&)> tell = [](const std::string&) {};
};

/// Checkpoints in a folder, each a file that is there completely or not at all: a thread of its own writes it
/// under another name, onto the disk, and renames it. One run at a time may use the folder.
class CheckpointFolder final : public Checkpoints {
 public:
  /// Makes the folder, and removes what an interrupted run had not finished.
  /// @throws InputError if it cannot be made
  CheckpointFolder(const std::filesystem::path& folder, CheckpointOptions options);
  /// An empty folder goes.
  ~CheckpointFolder() override;
  CheckpointFolder(const CheckpointFolder&) = delete;
  CheckpointFolder& operator=(const CheckpointFolder&) = delete;

  std::optional<SavedArrays> load(const std::string& name) override;
  void save(const std::string& name, ArraysToSave arrays) override;
  bool finish() override;
  void remove(const std::string& beginning) override;
  bool is_due() const override;
  bool is_worth(std::size_t bytes) const override;
  bool should_stop() const override { return options_.should_stop(); }

 private:
  using Clock = std::chrono::steady_clock;

  double seconds_at_risk() const;

  std::filesystem::path path_of(const std::string& name) const;
  const std::string& fingerprint_of(const std::string& name) const;
  void tell_difference(const std::string& name, const std::string& found);

  std::filesystem::path folder_;
  CheckpointOptions options_;
  Clock::time_point saved_ = Clock::now();
  std::future<void> saving_;    // the last one
  std::set<std::string> told_;  // what was said by now
};

}  // namespace kokkosort
