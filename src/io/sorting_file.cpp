#include "kokkosort/io/sorting_file.hpp"

#include <limits>
#include <numeric>
#include <stdexcept>

#include "io/hdf5.hpp"
#include "io/hdf5_columns.hpp"
#include "io/pending_steps.hpp"
#include "io/probe_io.hpp"
#include "io/run_io.hpp"
#include "io/sorting_parts.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort {
namespace {

using hdf5::OutputFile;
using hdf5::write_column;

template <class T>
void write_vector(OutputFile& file, const std::string& name, const std::vector<T>& values) {
  file.write(name, {values.size()}, values.data());
}

template <class T>
void write_matrix(OutputFile& file, const std::string& name, const HostMatrix<T>& matrix) {
  file.write(name, {matrix.extent(0), matrix.extent(1)}, matrix.data());
}

void write_spikes(OutputFile& file, const SortedRecording& recording, const Sorting& sorting) {
  file.group("spikes");
  write_vector(file, "spikes/sample", samples_in_files(recording, sorting));
  write_vector(file, "spikes/unit", sorting.unit);
  write_vector(file, "spikes/template", sorting.matched);
  write_vector(file, "spikes/amplitude", sorting.amplitude);
  write_vector(file, "spikes/x_um", sorting.x_um);
  write_vector(file, "spikes/y_um", sorting.y_um);
}

/// Templates as coefficients and as waveforms.
void write_templates(OutputFile& file, const std::string& pcs_name, const std::string& waveform_name,
                     const HostTensor3<float>& templates, const HostMatrix<float>& wPCA) {
  const std::size_t n = templates.extent(0);
  const std::size_t n_channels = templates.extent(1);
  file.write(pcs_name, {n, n_channels, templates.extent(2)}, templates.data());
  file.write_rows<float>(waveform_name, {n, wPCA.extent(1), n_channels},
                         [&](std::size_t k, float* to) { fill_waveform(templates, k, wPCA, to); });
}

void write_units(OutputFile& file, const SortedRecording& recording, const Sorting& sorting) {
  std::vector<std::int32_t> ids(sorting.n_units());
  std::iota(ids.begin(), ids.end(), 0);
  file.group("units");
  write_vector(file, "units/id", ids);
  write_column(file, "units/spikes", sorting.units, &Unit::spikes);
  write_column(file, "units/x_um", sorting.units, &Unit::x_um);
  write_column(file, "units/y_um", sorting.units, &Unit::y_um);
  write_column(file, "units/channel", sorting.units, &Unit::channel);
  write_column(file, "units/contamination", sorting.units, &Unit::contamination);
  write_column(file, "units/refractory", sorting.units,
               [](const Unit& unit) { return std::int32_t{unit.is_refractory}; });
  write_column(file, "units/amplitude_sigma", sorting.units, &Unit::amplitude);
  if (recording.gain_to_uv != 0.0)
    write_vector(file, "units/amplitude_uv", amplitudes_uv(recording, sorting));
  write_column(file, "units/firing_rate_hz", sorting.units, &Unit::firing_rate_hz);
  write_templates(file, "units/templates_pc", "units/waveform", sorting.templates, recording.pcs.wPCA);
  write_matrix(file, "similarity", sorting.similarity);
  file.group("templates");
  write_templates(file, "templates/pc", "templates/waveform", recording.matched_templates,
                  recording.pcs.wPCA);
}

void write_preprocessing(OutputFile& file, const Preparation& preparation) {
  const auto flag = [](bool value) { return std::int32_t{value}; };
  file.group("preprocessing");
  write_matrix(file, "preprocessing/whitening", preparation.whitening);
  write_column(file, "preprocessing/dead", preparation.channels,
               [&](const ChannelReport& channel) { return flag(channel.is_dead); });
  write_column(file, "preprocessing/saturated", preparation.channels,
               [&](const ChannelReport& channel) { return flag(channel.is_saturated); });
  write_column(file, "preprocessing/noise", preparation.channels, &ChannelReport::noise);
  file.attribute("preprocessing", "highpass_hz", preparation.traces.highpass_hz);
  file.attribute("preprocessing", "common_reference", flag(preparation.traces.common_reference));
  file.attribute("preprocessing", "offset", preparation.traces.offset);
}

void write_recording(OutputFile& file, const SortedRecording& recording) {
  std::vector<std::string> names;
  for (const std::filesystem::path& path : recording.files) names.push_back(path.string());
  file.group("recording");
  file.attribute("recording", "files", names);
  file.attribute("recording", "dtype", recording.dtype);
  file.attribute("recording", "sampling_rate_hz", recording.sampling_rate_hz);
  file.attribute("recording", "n_samples", recording.n_samples);
  file.attribute("recording", "first_sample", recording.first_sample);
  file.attribute("recording", "n_columns", std::uint64_t{recording.n_columns});
  file.attribute("recording", "gain_to_uv", recording.gain_to_uv);
  file.attribute("/", "sampling_rate_hz", recording.sampling_rate_hz);  // as in other results
}

template <class T>
std::vector<T> read_vector_back(hdf5::InputFile& file, const std::string& name) {
  const hdf5::Dataset dataset = file.open<T>(name, 1);
  std::vector<T> values(dataset.size());
  file.read(dataset, values.data());
  return values;
}

/// @throws std::runtime_error unless the file holds the sorting's spikes and units
void verify(const std::filesystem::path& path, const SortedRecording& recording, const Sorting& sorting) {
  try {
    hdf5::InputFile file(path, std::numeric_limits<std::size_t>::max());
    check_written_spikes(path, read_vector_back<std::int64_t>(file, "spikes/sample"),
                         read_vector_back<std::int32_t>(file, "spikes/unit"), recording, sorting);
    if (read_vector_back<std::int32_t>(file, "units/id").size() != sorting.n_units())
      throw std::runtime_error(path.string() + ": units are missing");
  } catch (const InputError& error) {
    throw std::runtime_error(error.what());  // not the user's file
  }
}

}  // namespace

void write_sorting(const PendingFile& pending, const SortedRecording& recording, const Sorting& sorting,
                   const RunRecord& run) {
  check_sorting(recording, sorting);
  OutputFile file(pending.temporary());
  write_spikes(file, recording, sorting);
  write_units(file, recording, sorting);
  write_probe(file, recording.probe);
  write_vector(file, "probe/column", recording.column);
  write_pcs(file, recording.pcs);
  write_preprocessing(file, recording.preparation);
  write_recording(file, recording);
  write_run(file, run);  // last: all before it is the same bytes in every run
  file.close();
  begin_to_disk(pending.temporary());
  verify(pending.temporary(), recording, sorting);
}

}  // namespace kokkosort
