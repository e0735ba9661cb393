#include "kokkosort/io/phy_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "io/npy.hpp"
#include "io/pending_folder.hpp"
#include "io/pending_steps.hpp"
#include "io/python_text.hpp"
#include "io/sorting_parts.hpp"

namespace kokkosort {
namespace {

namespace fs = std::filesystem;

/// Whether something in a folder is what we, Kilosort or Phy write there.
bool belongs_to_phy(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  if (entry.is_directory()) return name == ".phy" || name == "__pycache__";
  const std::string extension = entry.path().extension().string();
  constexpr std::string_view extensions[] = {".npy", ".tsv", ".csv", ".log"};
  return name == "params.py" ||
         std::find(std::begin(extensions), std::end(extensions), extension) != std::end(extensions);
}

/// Why a folder may not be replaced by a new sorting; empty if it may. Recordings often lie where their
/// sortings are.
std::string complaint_about(const fs::path& folder) {
  std::error_code error;
  const fs::directory_iterator entries(folder, error);
  if (error) return "cannot be listed (" + error.message() + ")";
  if (!fs::exists(folder / "params.py"))
    return "has no params.py, so it is no sorting that could be replaced";
  for (const fs::directory_entry& entry : entries)
    if (!belongs_to_phy(entry))
      return "holds " + entry.path().filename().string() + ", which is no part of a sorting";
  return {};
}

/// A file as Phy finds it: from the folder where both are near each other and may be moved together, else by
/// its full path.
fs::path seen_from(const fs::path& folder, const fs::path& file) {
  const fs::path from = fs::weakly_canonical(folder);
  const fs::path to = fs::weakly_canonical(file);
  const fs::path way = to.lexically_relative(from);
  const auto steps_up = std::count(way.begin(), way.end(), "..");
  const auto depth = std::distance(from.begin(), from.end()) - 1;  // below the root
  constexpr int most_steps_up = 2;                                 // from recording/output/phy to recording
  return steps_up <= std::min<std::ptrdiff_t>(most_steps_up, depth - 1) ? way : to;
}

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw std::runtime_error(path.string() + ": " + std::strerror(errno));
}

/// @param folder  where the file will be, at last
std::string params(const fs::path& folder, const SortedRecording& recording) {
  const bool is_flat = !recording.dtype.empty();  // Phy reads no others
  std::string files;
  if (is_flat)
    for (const fs::path& file : recording.files)
      files += (files.empty() ? "" : ", ") + python_literal(seen_from(folder, file).string());
  return fmt::format(
      "dat_path = [{}]\n"
      "n_channels_dat = {}\n"
      "dtype = '{}'\n"
      "offset = 0\n"
      "sample_rate = {}\n"
      "hp_filtered = False\n",
      files, recording.n_columns, is_flat ? recording.dtype : "int16", recording.sampling_rate_hz);
}

/// A table with a row for each unit.
void write_table(const fs::path& path, const std::string& column, const Sorting& sorting,
                 const std::function<std::string(std::size_t)>& value) {
  std::string text = "cluster_id\t" + column + "\n";
  for (std::size_t u = 0; u < sorting.n_units(); ++u) text += fmt::format("{}\t{}\n", u, value(u));
  write_text(path, text);
}

double norm_of(const HostTensor3<float>& templates, std::size_t k) {
  const std::size_t size = templates.extent(1) * templates.extent(2);
  const float* const weights = templates.data() + k * size;
  return std::sqrt(std::inner_product(weights, weights + size, weights, 0.0));
}

void write_tables(const fs::path& folder, const Sorting& sorting) {
  const auto label = [&](std::size_t u) -> std::string {
    return sorting.units[u].is_refractory ? "good" : "mua";
  };
  write_table(folder / "cluster_Amplitude.tsv", "Amplitude", sorting,
              [&](std::size_t u) { return fmt::format("{:.1f}", norm_of(sorting.templates, u)); });
  write_table(folder / "cluster_ContamPct.tsv", "ContamPct", sorting,
              [&](std::size_t u) { return fmt::format("{:.1f}", 100.0 * sorting.units[u].contamination); });
  write_table(folder / "cluster_KSLabel.tsv", "KSLabel", sorting, label);
  write_table(folder / "cluster_group.tsv", "KSLabel", sorting, label);
}

template <class T>
void write_vector(const fs::path& path, const std::vector<T>& values) {
  npy::write(path, {values.size()}, values.data());
}

void write_spikes(const fs::path& folder, const SortedRecording& recording, const Sorting& sorting) {
  write_vector(folder / "spike_times.npy", samples_in_files(recording, sorting));
  write_vector(folder / "spike_clusters.npy", sorting.unit);
  write_vector(folder / "spike_templates.npy", sorting.unit);
  write_vector(folder / "spike_detection_templates.npy", sorting.matched);
  write_vector(folder / "amplitudes.npy", sorting.amplitude);

  const std::size_t n = sorting.n_spikes();
  std::vector<float> positions(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    positions[2 * i] = sorting.x_um[i];
    positions[2 * i + 1] = sorting.y_um[i];
  }
  npy::write(folder / "spike_positions.npy", {n, 2}, positions.data());
  const auto kept = std::make_unique<bool[]>(n);
  std::fill_n(kept.get(), n, true);  // duplicates are gone by now
  npy::write(folder / "kept_spikes.npy", {n}, kept.get());
}

/// Features with a spike's rows and components exchanged.
/// @param features  [spikes, rows, pcs]
void fill_features(npy::OutputFile<float>& file, const fs::path& path, const HostTensor3<float>& features) {
  const std::size_t n_rows = features.extent(1);
  const std::size_t n_pcs = features.extent(2);
  const std::size_t width = n_rows * n_pcs;
  constexpr std::size_t block = 4096;  // spikes: few large writes
  std::vector<float> values(std::min(block, features.extent(0)) * width);
  for (std::size_t first = 0; first < features.extent(0); first += block) {
    const std::size_t n = std::min(block, features.extent(0) - first);
    for (std::size_t i = 0; i < n; ++i) {
      const float* const from = features.data() + (first + i) * width;
      float* const to = values.data() + i * width;
      for (std::size_t p = 0; p < n_pcs; ++p)
        for (std::size_t row = 0; row < n_rows; ++row) to[p * n_rows + row] = from[row * n_pcs + p];
    }
    file.append(values.data(), n * width);
    begin_to_disk(path);
  }
}

/// Writes the features in a thread of its own, onto the disk. The file is made before: an interruption that
/// removes the folder then finds it there.
std::future<void> write_features(const fs::path& folder, const Sorting& sorting) {
  const fs::path path = folder / "pc_features.npy";
  const HostTensor3<float>& features = sorting.features;
  npy::OutputFile<float> file(path, {sorting.n_spikes(), features.extent(2), features.extent(1)});
  return std::async(std::launch::async, [path, &features, file = std::move(file)]() mutable {
    fill_features(file, path, features);
    file.close();
    sync_to_disk(path);
  });
}

/// The channel of each row of the features.
void write_feature_channels(const fs::path& folder, const Sorting& sorting) {
  const auto& channels = sorting.unit_channels;
  const std::vector<std::uint32_t> indices(channels.data(), channels.data() + channels.size());
  npy::write(folder / "pc_feature_ind.npy", {channels.extent(0), channels.extent(1)}, indices.data());
}

void write_templates(const fs::path& folder, const HostMatrix<float>& wPCA, const Sorting& sorting) {
  const std::size_t n_units = sorting.n_units();
  const std::size_t n_channels = sorting.templates.extent(1);
  npy::OutputFile<float> waveforms(folder / "templates.npy", {n_units, wPCA.extent(1), n_channels});
  npy::OutputFile<std::int64_t> indices(folder / "templates_ind.npy", {n_units, n_channels});
  std::vector<float> waveform(wPCA.extent(1) * n_channels);
  std::vector<std::int64_t> all_channels(n_channels);
  std::iota(all_channels.begin(), all_channels.end(), 0);
  for (std::size_t u = 0; u < n_units; ++u) {
    fill_waveform(sorting.templates, u, wPCA, waveform.data());
    waveforms.append(waveform.data(), waveform.size());
    indices.append(all_channels.data(), n_channels);
  }
  waveforms.close();
  indices.close();
  npy::write(folder / "similar_templates.npy", {n_units, n_units}, sorting.similarity.data());
}

void write_channels(const fs::path& folder, const SortedRecording& recording) {
  const Probe& probe = recording.probe;
  const std::size_t n = probe.x_um.size();
  write_vector(folder / "channel_map.npy",
               std::vector<std::int64_t>(recording.column.begin(), recording.column.end()));
  write_vector(folder / "channel_shanks.npy", std::vector<float>(probe.shank.begin(), probe.shank.end()));
  std::vector<float> positions;
  for (std::size_t c = 0; c < n; ++c)
    for (const double position : {probe.x_um[c], probe.y_um[c]})
      positions.push_back(static_cast<float>(position));
  npy::write(folder / "channel_positions.npy", {n, 2}, positions.data());
}

void write_whitening(const fs::path& folder, const HostMatrix<double>& whitening) {
  const auto write = [&](const std::string& name, const HostMatrix<double>& matrix) {
    const std::vector<float> values(matrix.data(), matrix.data() + matrix.size());
    npy::write(folder / name, {matrix.extent(0), matrix.extent(1)}, values.data());
  };
  write("whitening_mat.npy", whitening);
  write("whitening_mat_dat.npy", whitening);
  write("whitening_mat_inv.npy", invert_whitening(whitening));
}

/// @throws std::runtime_error unless the files that say which spike is whose hold the sorting's spikes
void verify(const fs::path& folder, const SortedRecording& recording, const Sorting& sorting) {
  const npy::Shape shape{sorting.n_spikes()};
  const auto samples = npy::read_back<std::int64_t>(folder / "spike_times.npy", shape);
  for (const std::string name : {"spike_clusters.npy", "spike_templates.npy"})
    check_written_spikes(folder / name, samples, npy::read_back<std::int32_t>(folder / name, shape),
                         recording, sorting);
}

}  // namespace

void check_phy(const fs::path& folder, bool overwrite) {
  const PendingFolder trial(folder, overwrite, complaint_about);
}

PendingPhy::PendingPhy(const fs::path& folder, bool overwrite, const SortedRecording& recording,
                       const Sorting& sorting)
    : folder_(folder), recording_(recording), sorting_(sorting) {
  check_sorting(recording, sorting);
  pending_ = std::make_unique<PendingFolder>(folder, overwrite, complaint_about);
  features_ = write_features(pending_->temporary(), sorting);
}

PendingPhy::~PendingPhy() = default;

void PendingPhy::complete() {
  const fs::path& temporary = pending_->temporary();
  write_spikes(temporary, recording_, sorting_);
  write_feature_channels(temporary, sorting_);
  write_templates(temporary, recording_.pcs.wPCA, sorting_);
  write_channels(temporary, recording_);
  write_whitening(temporary, recording_.preparation.whitening);
  write_tables(temporary, sorting_);
  write_text(temporary / "params.py", params(fs::absolute(folder_), recording_));
  verify(temporary, recording_, sorting_);
  features_.get();
}

PendingResult& PendingPhy::result() { return *pending_; }

void write_phy(const fs::path& folder, bool overwrite, const SortedRecording& recording,
               const Sorting& sorting) {
  PendingPhy phy(folder, overwrite, recording, sorting);
  phy.complete();
  phy.result().commit();
}

}  // namespace kokkosort
