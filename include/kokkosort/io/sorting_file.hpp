#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kokkosort/curation/sorting.hpp"
#include "kokkosort/io/pending_file.hpp"
#include "kokkosort/io/run_record.hpp"
#include "kokkosort/recording/preparation.hpp"
#include "kokkosort/spike_features.hpp"

namespace kokkosort {

/// What a sorting is of, for the files that hold it.
struct SortedRecording {
  const Probe& probe;
  const std::vector<std::int32_t>& column;  // [channels], of the recording's files
  std::size_t n_columns = 0;                // of the recording's files
  std::vector<std::filesystem::path> files;
  std::string dtype;  // "int16"; empty: not a flat file
  double sampling_rate_hz = 0.0;
  std::int64_t n_samples = 0;
  std::int64_t first_sample = 0;  // of the files, that the sorting's sample 0 is; added to what is written
  double gain_to_uv = 0.0;        // of a stored sample; 0: unknown
  const PrincipalComponents& pcs;
  const HostTensor3<float>& matched_templates;  // [templates, channels, pcs]
  const Preparation& preparation;
};

/// Writes sorting.h5 (DESIGN, section 8), and reads its spikes back; the caller commits it. Equal sortings are
/// equal bytes outside /run.
///
/// Units' amplitude_sigma is of the whitened waveform, amplitude_uv of the same waveform before it was
/// whitened, on the unit's channel; it is there if the gain is known.
///
/// @throws std::runtime_error if the disk does not take it
void write_sorting(const PendingFile& file, const SortedRecording& recording, const Sorting& sorting,
                   const RunRecord& run);

}  // namespace kokkosort
