#include "driver/match_deck.hpp"

#include "driver/common_keys.hpp"
#include "driver/stage_keys.hpp"
#include "io/probe_io.hpp"
#include "kokkosort/recording/open_recording.hpp"

namespace kokkosort {
namespace {

void add_input_keys(DeckKeys& keys, MatchDeck& deck) {
  keys.paths("input.recording", deck.recording,
             "whitened traces [samples, channels]: an HDF5 file, or flat binary files, several as one", true);
  keys.text("input.dataset", deck.dataset, "traces of an HDF5 file; flat files have none");
  add_sample_type_key(
      keys, deck.dtype,
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
