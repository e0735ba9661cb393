#include "driver/sort_deck.hpp"

#include <limits>

#include "driver/common_keys.hpp"
#include "driver/stage_keys.hpp"
#include "io/probe_io.hpp"

namespace kokkosort {
namespace {

void add_input_keys(DeckKeys& keys, SortDeck& deck) {
  keys.paths("input.recording", deck.recording,
             "[samples, channels]: flat binary files, several as one; a SpikeGLX .bin; or an HDF5 file",
             true);
  keys.text("input.dataset", deck.dataset, "the recording in an HDF5 file; flat files have none");
  add_sample_type_key(keys, deck.dtype, "type of a flat file's samples");
  keys.choice("input.check_dtype", deck.check_dtype, {{"on", true}, {"off", false}},
              "refuse a flat file whose samples look like another type's");
  keys.whole<std::int64_t>(
      "input.channels", deck.n_columns, 0, 1000000,
      "of a flat file, those that are not on the probe included; 0: what the probe or the "
      ".meta file says");
  keys.real("input.sampling_rate_hz", deck.sampling_rate_hz, 0.0, highest_rate_hz,
            "0: what the .meta file or an attribute of the HDF5 file says");
  keys.real("input.gain_to_uv", deck.gain_to_uv, 0.0, 1e6,
            "a stored sample times this is in microvolts; 0: what the .meta file says, or unknown");
  keys.real("input.offset", deck.offset, -1e9, 1e9,
            "stored value of 0 volts, e.g. 32768 of uint16; the high-pass filter takes it away, too");
  keys.path("input.probe", deck.probe,
            "ProbeInterface JSON, Kilosort JSON or .prb; if left out: what the .meta file says");
  keys.numbers("input.exclude_channels", deck.excluded_columns,
               "channels of the recording that are left out, from 0");
  keys.range("input.time_range_s", deck.time_range_s, "of the recording, that is sorted; [0, 0]: all of it");
}

}  // namespace

std::size_t SortDeck::bytes_of_features(int rows) const {
  return sizeof(float) * static_cast<std::size_t>(rows) * static_cast<std::size_t>(stages.detection.pcs);
}

/// Features are there twice while a list of all windows' is made.
std::size_t SortDeck::bytes_of_detected() const {
  constexpr std::size_t bytes_besides = 32;  // time, place, label
  return 2 * bytes_of_features(stages.detection.feature_channels) + bytes_besides;
}

/// Features are there twice then, and again when units take their spikes.
std::size_t SortDeck::bytes_of_matched() const {
  constexpr std::size_t bytes_besides = 128;  // of lists that grow: twice of time, template, amplitude
  return 2 * bytes_of_features(stages.matching.feature_channels) + bytes_besides;
}

SortOptions SortDeck::options() const {
  SortOptions options = stages;
  options.detection.max_spikes = static_cast<std::int64_t>(host_limit_bytes / bytes_of_detected());
  options.matching.max_spikes = static_cast<std::int64_t>(host_limit_bytes / bytes_of_matched());
  options.detection.seed = options.clustering.seed = seed;
  options.preprocessing.device_limit_bytes = options.detection.device_limit_bytes = device_limit_bytes;
  options.clustering.device_limit_bytes = options.templates.device_limit_bytes = device_limit_bytes;
  options.matching.device_limit_bytes = options.curation.device_limit_bytes = device_limit_bytes;
  return options;
}

SortDeck::SortDeck() { stages.detection.nt = stages.detection.peak_sample = 0; }

DeckKeys sort_keys(SortDeck& deck) {
  DeckKeys keys;
  add_input_keys(keys, deck);
  add_output_key(keys, deck.output_folder,
                 "sorting.h5, phy/, report.html, kokkosort.log and checkpoints/ go");
  keys.choice("output.phy", deck.write_phy, {{"on", true}, {"off", false}}, "write a folder for Phy");
  keys.choice("output.report", deck.write_report, {{"on", true}, {"off", false}},
              "write a page that shows the units");
  keys.choice("output.whitened", deck.write_whitened, {{"on", true}, {"off", false}},
              "write the whitened traces to whitened.bin");
  keys.choice(
      "output.checkpoints", deck.checkpoint_use,
      {{"keep", CheckpointUse::keep}, {"until_done", CheckpointUse::until_done}, {"off", CheckpointUse::off}},
      "what stages found is kept in checkpoints/, so that an interrupted sort goes on, and one with a "
      "changed deck repeats no more than it must");
  keys.real(
      "output.checkpoint_s", deck.checkpoint_s, 0.0, 86400.0,
      "seconds between checkpoints within detection and matching; at the end of each stage there is one");
  add_preprocessing_keys(keys, deck.stages.preprocessing);
  add_detection_keys(keys, deck.stages.detection);
  keys.path("detection.universal_templates", deck.universal_templates,
            "HDF5 file with pcs/wPCA and pcs/wTEMP; if left out they are learned from the recording");
  add_clustering_keys(keys, deck.stages.clustering);
  add_template_keys(keys, deck.stages.templates);
  add_matching_keys(keys, deck.stages.matching);
  keys.whole("matching.passes", deck.stages.matching_passes, 1, 10,
             "through the recording; each after the first with templates of the spikes found before");
  add_curation_keys(keys, deck.stages.curation);
  add_device_limit_key(keys, deck.device_limit_bytes);
  add_host_limit_key(keys, deck.host_limit_bytes, "spikes, detected or matched,");
  add_seed_key(keys, deck.seed);
  add_threads_key(keys, deck.threads);
  return keys;
}

}  // namespace kokkosort
