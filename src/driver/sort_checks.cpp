#include "driver/sort_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/counted.hpp"
#include "driver/machine.hpp"
#include "driver/report.hpp"
#include "kokkosort/detection/detect.hpp"
#include "kokkosort/detection/universal_templates.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/matching/match.hpp"
#include "kokkosort/recording/open_recording.hpp"
#include "recording/type_guess.hpp"

namespace kokkosort {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

bool is_flat(const SortDeck& deck) { return deck.dataset.empty(); }  // HDF5 files say what they hold

/// The stored bytes of a flat recording, finite or not.
StoredStretches read_raw_stretches(const SortDeck& deck, const SortFiles& files) {
  const SampleType as_stored = deck.dtype == SampleType::float32 ? SampleType::int32 : deck.dtype;
  const auto raw = open_flat_recording(deck.recording, static_cast<std::size_t>(deck.n_columns), as_stored);
  RecordingSlice part(*raw, files.first_sample, files.first_sample + files.recording->n_samples());
  return read_stretches(part);
}

void check_type(const SortDeck& deck, const SortFiles& files) {
  const auto likelier = find_likelier_type(read_raw_stretches(deck, files), deck.dtype, files.probe.column);
  if (!likelier) return;
  throw InputError(
      fmt::format("{}: looks like {}, and input.dtype is {}: {}; set input.dtype, or if it is right "
                  "input.check_dtype=off",
                  deck.recording.front().string(), likelier->type, name_of(deck.dtype), likelier->reason));
}

/// Universal templates of the sizes that the deck asks for, without values.
PrincipalComponents unlearned_components(const DetectionOptions& options) {
  const auto size = [](int n) { return static_cast<std::size_t>(n); };
  PrincipalComponents pcs;
  pcs.wPCA = HostMatrix<float>("kokkosort::driver::wPCA", size(options.pcs), size(options.nt));
  pcs.wTEMP = HostMatrix<float>("kokkosort::driver::wTEMP", size(options.shapes), size(options.nt));
  pcs.peak_sample = options.peak_sample;
  return pcs;
}

/// One, on the first channel: matching needs at least this much.
HostTensor3<float> one_template(std::size_t n_channels, std::size_t n_pcs) {
  const HostTensor3<float> templates("kokkosort::driver::template", 1, n_channels, n_pcs);
  templates(0, 0, 0) = 1.0f;
  return templates;
}

void check_clustering(const ClusteringOptions& options) {
  const std::size_t needed = sizeof(float) * options.neighbours.max_chunk_dots;
  if (needed < options.device_limit_bytes) return;
  throw DeviceLimitError(fmt::format(
      "memory.device_limit_mb = {} is too small: clustering.max_chunk_dots = {} alone takes {}; raise it, or "
      "lower clustering.max_chunk_dots",
      options.device_limit_bytes >> 20, options.neighbours.max_chunk_dots, (needed >> 20) + 1));
}

std::uint64_t megabytes(double bytes) { return static_cast<std::uint64_t>(std::ceil(bytes / (1 << 20))); }

std::string megabytes(std::optional<std::uint64_t> bytes) {
  return bytes ? fmt::format("{} MB", *bytes >> 20) : std::string("unknown");
}

/// What a sort takes, in bytes.
struct ExpectedRoom {
  double spikes;
  double whitened;  // the only file whose size is known before
  double written;   // all files, with it
  double memory;    // of the host, for spikes

  ExpectedRoom(const SortDeck& deck, const SortFiles& files) {
    // Measured on simulated Neuropixels recordings. Real ones may have a third of it or three times as many.
    constexpr double spikes_a_second_and_channel = 3.4;
    constexpr double sorted_bytes = 40.0;  // a spike's in sorting.h5
    constexpr double phy_bytes = 40.0;     // and in Phy's folder, beside its features
    const auto n_channels = static_cast<double>(files.probe.n_channels());
    const auto n_samples = static_cast<double>(files.recording->n_samples());
    spikes = spikes_a_second_and_channel * n_channels * n_samples / deck.sampling_rate_hz;
    whitened = deck.write_whitened ? n_samples * n_channels * sizeof(std::int16_t) : 0.0;
    const auto detected = static_cast<double>(deck.bytes_of_features(deck.stages.detection.feature_channels));
    const auto matched = static_cast<double>(deck.bytes_of_features(deck.stages.matching.feature_channels));
    // Two passes' spikes are there until the later one's are clustered.
    const double checkpoints =
        deck.checkpoint_use == CheckpointUse::off ? 0.0 : detected + 12.0 + 2.0 * (matched + 16.0);
    const double phy = deck.write_phy ? matched + phy_bytes : 0.0;
    written = whitened + spikes * (sorted_bytes + phy + checkpoints);
    memory = spikes * static_cast<double>(std::max(deck.bytes_of_detected(), deck.bytes_of_matched()));
  }
};

}  // namespace

void check_samples(const SortDeck& deck, const SortFiles& files) {
  if (is_flat(deck) && deck.check_dtype) check_type(deck, files);
  if (!are_constant(read_stretches(*files.recording), files.probe.column)) return;
  const std::size_t n = files.probe.n_channels();
  throw InputError(
      fmt::format("{}: no channel of the recording is alive: {} constant wherever it was looked at; is "
                  "input.dtype right, and are input.channels those of the probe?",
                  deck.recording.front().string(),
                  n == 1 ? std::string("the only one is") : fmt::format("all {} are", n)));
}

void check_stages(const SortDeck& deck, const SortFiles& files) {
  const SortOptions options = deck.options();
  const Probe& probe = files.probe.probe;
  check_preparation<Exec>(*files.recording, files.probe.column, deck.sampling_rate_hz, options.preprocessing);
  const TracePreparation preparation =
      unlearned_preparation(files.probe.column, deck.sampling_rate_hz, options.preprocessing);
  const PreparedRecording prepared{*files.recording, preparation};
  if (!files.universal) check_learning<Exec>(prepared, probe, options.detection);
  const PrincipalComponents pcs =
      files.universal ? *files.universal : unlearned_components(options.detection);
  check_detection<Exec>(prepared, make_detection_grid(probe, options.detection), pcs, options.detection);
  check_clustering(options.clustering);
  check_matching<Exec>({prepared, probe, pcs, one_template(probe.x_um.size(), pcs.wPCA.extent(0))},
                       options.matching);
}

void check_room(const SortDeck& deck, const SortFiles& files) {
  const ExpectedRoom room(deck, files);
  const auto disk = free_disk(deck.output_folder);
  if (!disk || room.whitened <= static_cast<double>(*disk)) return;
  throw InputError(fmt::format(
      "output.folder: {} has {} MB free, and output.whitened = on writes {}; set output.whitened=off, or "
      "output.folder to where there is more",
      deck.output_folder.string(), *disk >> 20, megabytes(room.whitened)));
}

void warn_of_room(const SortDeck& deck, const SortFiles& files) {
  const ExpectedRoom room(deck, files);
  const auto disk = free_disk(deck.output_folder);
  if (disk && room.written > static_cast<double>(*disk))
    print_warning(fmt::format(
        "output.folder: {} has {} MB free, and about {} are expected to be written; output.phy=off and "
        "output.checkpoints=off write less",
        deck.output_folder.string(), *disk >> 20, megabytes(room.written)));
  if (room.memory > static_cast<double>(deck.host_limit_bytes))
    print_warning(fmt::format(
        "memory.host_limit_mb is {}, and spikes are expected to take about {}: the sort ends where they take "
        "more; raise it, sort a part (input.time_range_s), or raise detection.threshold",
        deck.host_limit_bytes >> 20, megabytes(room.memory)));
  const auto memory = available_memory();
  if (memory && room.memory > static_cast<double>(*memory))
    print_warning(fmt::format(
        "this machine has {} MB of memory left, and spikes are expected to take about {}; sort a part "
        "(input.time_range_s), or raise detection.threshold",
        *memory >> 20, megabytes(room.memory)));
}

std::string room_in_words(const SortDeck& deck, const SortFiles& files) {
  const ExpectedRoom room(deck, files);
  return fmt::format(
      "# expected, from the recording's length alone: {:.0f} spikes; {} MB of files, where {} are free; {} "
      "MB "
      "of memory for spikes, where {} are available\n",
      room.spikes, megabytes(room.written), megabytes(free_disk(deck.output_folder)), megabytes(room.memory),
      megabytes(available_memory()));
}

}  // namespace kokkosort
