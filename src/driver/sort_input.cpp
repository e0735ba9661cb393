#include "driver/sort_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/counted.hpp"
#include "driver/common_checks.hpp"
#include "driver/sort_checks.hpp"
#include "io/probe_io.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/recording/open_recording.hpp"
#include "kokkosort/recording/spikeglx.hpp"

namespace kokkosort {
namespace {

namespace fs = std::filesystem;

/// Takes a file's rate where the deck says none. Clocks differ by less than a hundredth.
void follow_rate(double of_file, const fs::path& file, SortDeck& deck) {
  if (deck.sampling_rate_hz == 0.0) deck.sampling_rate_hz = of_file;
  if (std::abs(deck.sampling_rate_hz - of_file) > 0.01 * of_file)
    throw InputError(
        fmt::format("input.sampling_rate_hz is {}, and {} says {}; leave it out, or correct the file",
                    deck.sampling_rate_hz, file.string(), of_file));
}

/// Fills what the .meta file says and the deck does not.
void follow_meta(const fs::path& meta_path, SortDeck& deck, ProbeFile& probe) {
  const SpikeGlxMeta meta = read_spikeglx_meta(meta_path);
  const auto n_columns = static_cast<std::int64_t>(meta.n_columns);
  if (deck.n_columns == 0) deck.n_columns = n_columns;
  if (deck.n_columns != n_columns)
    throw InputError(fmt::format("input.channels is {}, and {} says {} (nSavedChans); leave it out",
                                 deck.n_columns, meta_path.string(), n_columns));
  follow_rate(meta.sampling_rate_hz, meta_path, deck);
  if (deck.gain_to_uv == 0.0) deck.gain_to_uv = meta.gain_to_uv;
  probe = meta.probe;
}

/// No recording that can be sorted has fewer samples than channels.
void refuse_transposed(const fs::path& path, const std::string& dataset, const Recording& recording) {
  if (recording.n_samples() >= static_cast<std::int64_t>(recording.n_channels())) return;
  throw InputError(fmt::format(
      "{}: {} has shape [{}, {}], which is {} of {}; it must be [samples, channels]: write it transposed",
      path.string(), dataset, recording.n_samples(), recording.n_channels(),
      counted(recording.n_samples(), "sample"), counted(recording.n_channels(), "channel")));
}

std::unique_ptr<Recording> open_dataset(SortDeck& deck) {
  const fs::path& path = deck.recording.front();
  Hdf5Recording opened = open_hdf5_recording(path, deck.dataset);
  for (const fs::path& result : {deck.result(), deck.report(), deck.whitened(), deck.log()})
    refuse_replacing_inputs(opened.files, result);
  refuse_transposed(path, deck.dataset, *opened.traces);
  const hdf5::InputFile file(path, 0);
  if (file.has_attribute("/", "sampling_rate_hz")) follow_rate(read_sampling_rate(file), path, deck);
  return std::move(opened.traces);
}

/// An HDF5 file, or several files with input.dataset, are none that can be put together.
bool is_dataset(const SortDeck& deck) {
  const auto hdf5 = std::find_if(deck.recording.begin(), deck.recording.end(), is_hdf5_file);
  if (hdf5 == deck.recording.end() && deck.dataset.empty()) return false;
  if (deck.recording.size() > 1)
    throw InputError(
        fmt::format("input.recording names {} files; name one with input.dataset, or flat files alone",
                    deck.recording.size()));
  return true;
}

void check_columns(const SortDeck& deck, const ProbeFile& probe, const Recording& recording) {
  const std::int32_t largest = *std::max_element(probe.column.begin(), probe.column.end());
  if (static_cast<std::size_t>(largest) < recording.n_channels()) return;
  const std::string probe_file = deck.probe.empty() ? deck.recording.front().string() : deck.probe.string();
  if (probe.n_channels() > recording.n_channels())
    throw InputError(fmt::format(
        "{}: the probe has {}, and the recording {}; set input.channels, or name the recording's probe",
        probe_file, counted(probe.n_channels(), "channel"), counted(recording.n_channels(), "column")));
  throw InputError(fmt::format(
      "{}: channel {} of the probe is column {} of the recording (from 0), which has {}; set "
      "input.channels, or "
      "correct the probe's channel map",
      probe_file, std::max_element(probe.column.begin(), probe.column.end()) - probe.column.begin(), largest,
      counted(recording.n_channels(), "column")));
}

void check_rate(const SortDeck& deck) {
  if (deck.sampling_rate_hz == 0.0)
    throw InputError("input.sampling_rate_hz is missing, and " + deck.recording.front().string() +
                     " does not say it; set it");
  constexpr double lowest_hz = 3000.0;  // a spike has three samples
  if (deck.sampling_rate_hz < lowest_hz)
    throw InputError(
        fmt::format("input.sampling_rate_hz is {}; it must be from {} to {}: is it in Hz, and are these the "
                    "traces with spikes?",
                    deck.sampling_rate_hz, lowest_hz, highest_rate_hz));
  const double highpass_hz = deck.stages.preprocessing.highpass_hz;
  if (highpass_hz >= deck.sampling_rate_hz / 2)
    throw InputError(
        fmt::format("preprocessing.highpass_hz is {}; it must be below half of input.sampling_rate_hz, {}",
                    highpass_hz, deck.sampling_rate_hz / 2));
}

constexpr int shortest_waveform = 9;  // samples
constexpr int longest_waveform = 1001;

/// A waveform has the same duration at every rate: 61 samples at 30 kHz, the peak at the 20th.
void find_waveform(const SortDeck& deck, DetectionOptions& options) {
  const DetectionOptions usual;
  const double ratio = deck.sampling_rate_hz / 30000.0;
  if (options.nt == 0)
    options.nt =
        std::max(shortest_waveform, 2 * static_cast<int>(std::lround(ratio * (usual.nt - 1) / 2)) + 1);
  if (options.nt > longest_waveform)
    throw InputError(fmt::format(
        "input.sampling_rate_hz is {}: a waveform of 2 ms has {} samples, at most {} can be sorted; "
        "set detection.nt, or take every n-th sample",
        deck.sampling_rate_hz, options.nt, longest_waveform));
  if (options.peak_sample == 0)
    options.peak_sample =
        static_cast<int>(std::lround(static_cast<double>(usual.peak_sample) / usual.nt * options.nt));
}

void check_waveform(const DetectionOptions& options) {
  if (options.nt % 2 == 0 || options.nt < shortest_waveform)
    throw InputError(
        fmt::format("detection.nt is {}; it must be odd, and at least {}", options.nt, shortest_waveform));
  if (options.peak_sample >= options.nt)
    throw InputError(fmt::format("detection.peak_sample is {}; it must be below detection.nt, {}",
                                 options.peak_sample, options.nt));
  if (options.pcs > options.nt)
    throw InputError(
        fmt::format("detection.pcs is {}; it must be at most detection.nt, {}", options.pcs, options.nt));
}

/// The part of the recording that is sorted.
void cut(const SortDeck& deck, SortFiles& files) {
  const auto sample_at = [&deck](double second) {
    constexpr double beyond_all_files = 9e18;
    return static_cast<std::int64_t>(
        std::llround(std::min(second * deck.sampling_rate_hz, beyond_all_files)));
  };
  const std::int64_t n = files.whole->n_samples();
  files.first_sample = sample_at(deck.time_range_s[0]);
  const std::int64_t last = deck.time_range_s[1] == 0.0 ? n : sample_at(deck.time_range_s[1]);
  if (files.first_sample >= last || last > n)
    throw InputError(
        fmt::format("input.time_range_s is [{}, {}]; it must be a part of {}, which has {:.6g} s",
                    deck.time_range_s[0], deck.time_range_s[1], deck.recording.front().string(),
                    static_cast<double>(n) / deck.sampling_rate_hz));
  files.recording = std::make_unique<RecordingSlice>(*files.whole, files.first_sample, last);
  if (files.recording->n_samples() < deck.stages.detection.nt)
    throw InputError(fmt::format("{}: {} cannot be sorted; a waveform (detection.nt) alone has {}",
                                 deck.recording.front().string(),
                                 counted(files.recording->n_samples(), "sample"), deck.stages.detection.nt));
}

/// What the deck says of given templates, or if it leaves that to them what they are.
void follow(const std::string& key, int of_file, const std::filesystem::path& file, int& option) {
  if (option != 0 && option != of_file)
    throw InputError(
        fmt::format("{} is {}; that of {} is {}; leave it out", key, option, file.string(), of_file));
  option = of_file;
}

PrincipalComponents read_universal(SortDeck& deck) {
  hdf5::InputFile file(deck.universal_templates, deck.host_limit_bytes);
  PrincipalComponents pcs = read_pcs(file);
  DetectionOptions& options = deck.stages.detection;
  follow("detection.nt", static_cast<int>(pcs.wPCA.extent(1)), deck.universal_templates, options.nt);
  follow("detection.peak_sample", pcs.peak_sample, deck.universal_templates, options.peak_sample);
  options.pcs = static_cast<int>(pcs.wPCA.extent(0));
  options.shapes = static_cast<int>(pcs.wTEMP.extent(0));
  return pcs;
}

void refuse_replacing(const SortDeck& deck) {
  for (const fs::path& result : {deck.result(), deck.report(), deck.whitened(), deck.log()}) {
    refuse_replacing_inputs(deck.recording, result);
    for (const fs::path& input : {deck.probe, deck.universal_templates})
      if (!input.empty()) refuse_replacing_input(input, result);
  }
}

}  // namespace

SortFiles open_sort_files(SortDeck& deck) {
  refuse_replacing(deck);
  SortFiles files;
  const fs::path meta = spikeglx_meta_of(deck.recording.front());
  if (!meta.empty()) follow_meta(meta, deck, files.probe);
  const ExcludedColumns excluded{deck.excluded_columns, "input.exclude_channels"};
  if (!deck.probe.empty())
    files.probe = read_probe(deck.probe, excluded);
  else if (!files.probe.column.empty() && !excluded.columns.empty())
    files.probe = without_columns(files.probe, excluded);
  if (files.probe.column.empty())
    throw InputError("input.probe is missing, and " + deck.recording.front().string() +
                     " has no .meta file beside it that tells of one; name a ProbeInterface JSON, Kilosort "
                     "JSON or .prb file");
  const std::set<std::int64_t> left_out(deck.excluded_columns.begin(), deck.excluded_columns.end());
  if (deck.n_columns == 0)
    deck.n_columns = static_cast<std::int64_t>(files.probe.n_channels() + left_out.size());
  files.whole = is_dataset(deck) ? open_dataset(deck)
                                 : open_flat_recording(deck.recording,
                                                       static_cast<std::size_t>(deck.n_columns), deck.dtype);
  deck.n_columns = static_cast<std::int64_t>(files.whole->n_channels());
  check_columns(deck, files.probe, *files.whole);
  check_rate(deck);
  if (!deck.universal_templates.empty()) files.universal = read_universal(deck);
  find_waveform(deck, deck.stages.detection);
  check_waveform(deck.stages.detection);
  cut(deck, files);
  check_room(deck, files);
  check_samples(deck, files);
  check_stages(deck, files);
  warn_of_room(deck, files);
  return files;
}

}  // namespace kokkosort
