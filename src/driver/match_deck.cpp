#include "driver/match_deck.hpp"

#include "driver/common_keys.hpp"
#include "io/probe_io.hpp"
#include "kokkosort/recording/open_recording.hpp"

namespace kokkosort {
namespace {

void add_input_keys(DeckKeys& keys, MatchDeck& deck) {
  keys.paths("input.recording", deck.recording,
             "whitened traces [samples, channels]: an HDF5 file, or flat binary files, several as one", true);
  keys.text("input.dataset", deck.dataset, "traces of an HDF5 file; flat files have none");
  keys.choice("input.dtype", deck.dtype,
              {{"int16", SampleType::int16},
               {"uint16", SampleType::uint16},
               {"int32", SampleType::int32},
               {"float32", SampleType::float32}},
              "type of a flat file's samples; uint16: no offset is subtracted (whitened traces have none)");
  keys.real("input.scale_to_sigma", deck.scale_to_sigma, 0.0, largest_scale_to_sigma,
            "a stored sample times this is in standard deviations of the noise; 0: the dataset's attribute; "
            "traces must be whitened");
  keys.real("input.sampling_rate_hz", deck.sampling_rate_hz, 0.0, highest_rate_hz,
            "0: the attribute of the file of templates");
  keys.path("input.templates", deck.templates, "HDF5 file with templates, pcs and probe: a clusters.h5",
            true);
  keys.text("input.templates_dataset", deck.templates_dataset, "templates in it, [templates, channels, pcs]");
  keys.real(
      "input.dmin_um", deck.dmin_um, 0.0, widest_spacing_um,
      "vertical distance between places that a clustering of the spikes will look at; 0: the attribute of "
      "the file of templates, or else the distance between neighbouring channels");
  keys.real("input.dminx_um", deck.dminx_um, 0.0, widest_spacing_um,
            "horizontal distance likewise; 0: the attribute of the file of templates, or else 32");
}

void add_matching_keys(DeckKeys& keys, MatchingOptions& options) {
  const std::string in = "matching.";
  keys.real(in + "threshold", options.threshold, 0.1, 1000.0,
            "a spike's projection on its template, in standard deviations of the noise, at least");
  keys.whole(in + "max_peels", options.max_peels, 1, 10000,
             "rounds of finding spikes and taking them out, at most; it ends earlier when none is left");
  keys.whole(in + "window_samples", options.window_samples, 24, 10000000,
             "samples of the recording matched at once, at least 8 waveforms long (488 for 61 samples); "
             "fewer take less "
             "memory; other lengths may change amplitudes in the last digits and, in dense data, a few "
             "spikes near seams");
  keys.whole(in + "feature_channels", options.feature_channels, 1, 256,
             "channels nearest to a template's largest one, that a spike's features are of");
}

}  // namespace

DeckKeys match_keys(MatchDeck& deck) {
  DeckKeys keys;
  add_input_keys(keys, deck);
  add_output_key(keys, deck.output_folder, "matched.h5 goes");
  add_matching_keys(keys, deck.matching);
  add_device_limit_key(keys, deck.matching.device_limit_bytes);
  add_host_limit_key(keys, deck.host_limit_bytes, "the templates");
  add_threads_key(keys, deck.threads);
  return keys;
}

}  // namespace kokkosort
