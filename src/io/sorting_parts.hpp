#pragma once
// What both files of a sorting are made of.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kokkosort/curation/sorting.hpp"
#include "kokkosort/io/sorting_file.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// @throws std::logic_error, one line that says what, unless all parts of a sorting agree: every spike has a
/// unit and lies in the recording, every unit has the spikes it says, every shape is that of the others
void check_sorting(const SortedRecording& recording, const Sorting& sorting);

/// What a file holds of the spikes, read back.
/// @throws std::runtime_error unless it is the sorting's spikes, and all of them
void check_written_spikes(const std::filesystem::path& file, const std::vector<std::int64_t>& samples,
                          const std::vector<std::int32_t>& units, const SortedRecording& recording,
                          const Sorting& sorting);

/// Spikes' samples as they count in the recording's files. [spikes]
std::vector<std::int64_t> samples_in_files(const SortedRecording& recording, const Sorting& sorting);

/// The waveform of a template, Σ_p U[channel, p] · wPCA[p, t].
/// @param templates  [templates, channels, pcs]
/// @param to         [nt, channels]
void fill_waveform(const HostTensor3<float>& templates, std::size_t k, const HostMatrix<float>& wPCA,
                   float* to);

/// The inverse of a whitening matrix: from whitened traces to filtered ones in stored units. Dead channels,
/// whose whitened trace is zero, stay as they are; where a channel is a copy of another, the inverse of least
/// norm.
HostMatrix<double> invert_whitening(const HostMatrix<double>& whitening);

/// The largest magnitude of each unit's waveform on its channel, as filtered before it was whitened, in
/// microvolts: [units]; empty if the gain is not known.
std::vector<double> amplitudes_uv(const SortedRecording& recording, const Sorting& sorting);

}  // namespace kokkosort
