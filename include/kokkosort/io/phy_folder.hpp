#pragma once

#include <filesystem>
#include <future>
#include <memory>

#include "kokkosort/io/pending_result.hpp"
#include "kokkosort/io/sorting_file.hpp"

namespace kokkosort {

/// Writes a folder that Phy, and SpikeInterface's readers of Kilosort and Phy, open: Kilosort4's files but
/// for its own state (ops.npy), with its dtypes and shapes. Cluster and template ids are the sorting's units
/// in every file; spike_detection_templates are the matched templates. All spikes are kept ones. Amplitudes
/// are those of sorting.h5. Phylib opens no folder without spikes.
///
/// The folder is there completely or not at all: written beside its place, then renamed. An old one is
/// replaced if it holds a sorting, and nothing else. What was written is read back first.
///
/// @throws InputError if the folder is there and may not be replaced; std::runtime_error if the disk does not
///         take it
/// Source: Kilosort's documentation, "Files exported for Phy"; dtypes and formats as Kilosort 4.1.7 writes.
void write_phy(const std::filesystem::path& folder, bool overwrite, const SortedRecording& recording,
               const Sorting& sorting);

class PendingFolder;

/// write_phy() in steps. The spikes' features, which are most of the folder, are written by a thread of their
/// own meanwhile; it touches neither Kokkos nor HDF5. Until it is committed nothing of the folder stays.
class PendingPhy {
 public:
  /// Begins. The recording and the sorting stay as they are, and where they are, until this is gone.
  /// @throws InputError as write_phy() does
  PendingPhy(const std::filesystem::path& folder, bool overwrite, const SortedRecording& recording,
             const Sorting& sorting);
  ~PendingPhy();

  /// Writes all else, reads back what tells whose each spike is, and waits for the features.
  /// @throws std::runtime_error if the disk does not take it
  void complete();
  /// What is to be committed.
  PendingResult& result();

 private:
  std::filesystem::path folder_;
  const SortedRecording& recording_;
  const Sorting& sorting_;
  std::unique_ptr<PendingFolder> pending_;
  std::future<void> features_;  // goes first: until then its thread writes into the folder
};

/// Whether such a folder can be made there: makes one, of which nothing stays. @throws InputError as
/// write_phy() does
void check_phy(const std::filesystem::path& folder, bool overwrite);

}  // namespace kokkosort
