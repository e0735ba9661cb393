#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "driver/deck_key.hpp"
#include "kokkosort/recording/recording.hpp"
#include "kokkosort/sort.hpp"

namespace kokkosort {

/// What becomes of checkpoints.
enum class CheckpointUse { keep, until_done, off };

/// What `kokkosort sort` is asked to do.
struct SortDeck {
  /// A waveform's samples follow from the sampling rate, unless the deck says them.
  SortDeck();

  std::vector<std::filesystem::path> recording;
  std::string dataset;  // of an HDF5 file
  SampleType dtype = SampleType::int16;
  bool check_dtype = true;        // against the samples
  std::int64_t n_columns = 0;     // of a flat file; 0: as the probe or the .meta file says
  double sampling_rate_hz = 0.0;  // 0: as the .meta file or the dataset says
  double gain_to_uv = 0.0;        // 0: as the .meta file says, or unknown
  double offset = 0.0;            // of stored samples
  std::filesystem::path probe;    // empty: as the .meta file says
  std::vector<std::int64_t> excluded_columns;
  std::array<double, 2> time_range_s{};       // that is sorted; an end of 0 is the recording's
  std::filesystem::path universal_templates;  // empty: learned
  std::filesystem::path output_folder;
  bool write_phy = true;
  bool write_report = true;
  bool write_whitened = false;
  CheckpointUse checkpoint_use = CheckpointUse::keep;
  double checkpoint_s = 20.0;          // between two within a stage
  std::size_t device_limit_bytes = 0;  // 0: as settle_device_limit chooses
  std::size_t host_limit_bytes = std::size_t{16} << 30;
  std::uint64_t seed = 1;
  int threads = 0;  // 0: the backend's choice
  SortOptions stages;

  std::filesystem::path result() const { return output_folder / "sorting.h5"; }
  std::filesystem::path phy() const { return output_folder / "phy"; }
  std::filesystem::path report() const { return output_folder / "report.html"; }
  std::filesystem::path whitened() const { return output_folder / "whitened.bin"; }
  std::filesystem::path log() const { return output_folder / "kokkosort.log"; }
  std::filesystem::path checkpoints() const { return output_folder / "checkpoints"; }
  /// Is there while results are put in their places.
  std::filesystem::path journal() const { return output_folder / ".kokkosort.commit"; }
  /// Of a spike's features. @param rows  as the deck says; a probe may have fewer channels
  std::size_t bytes_of_features(int rows) const;
  /// Bytes of host memory that a spike takes at most while it is detected, and until it is clustered.
  std::size_t bytes_of_detected() const;
  /// Likewise from matching to the results' files.
  std::size_t bytes_of_matched() const;
  /// The stages' options with what the deck says for all of them.
  SortOptions options() const;
};

/// The deck's keys, bound to its fields: the one list of them. The deck must outlive the keys and stay where
/// it is.
DeckKeys sort_keys(SortDeck& deck);

}  // namespace kokkosort
