#include "driver/simulate_deck.hpp"

#include <string>

#include "driver/common_keys.hpp"

namespace kokkosort {
namespace {

const std::string in = "simulation.";

void add_recording_keys(DeckKeys& keys, SimulationOptions& options) {
  keys.choice(
      in + "layout", options.layout,
      {{"neuropixels", ProbeLayout::neuropixels},
       {"linear", ProbeLayout::linear},
       {"square", ProbeLayout::square},
       {"tetrode", ProbeLayout::tetrode}},
      "of the channels: rows of two, shifted in turn; a column; a square grid; shanks of four in a square");
  keys.whole(in + "channels", options.channels, 1, 4096, "of the recording");
  keys.whole(in + "shanks", options.shanks, 1, 4096,
             "that the channels are on, side by side, 250 um apart; every tetrode is a shank of its own");
  keys.real(in + "spacing_um", options.spacing_um, 1.0, 10000.0,
            "distance of neighbouring channels, or of rows");
  keys.real(in + "seconds", options.seconds, 1e-6, 1e8, "length of the recording");
  keys.real(in + "sampling_rate_hz", options.sampling_rate_hz, 1000.0, 1e6, "of the recording");
  keys.real(in + "gain_to_uv", options.gain_to_uv, 1e-6, 1e3, "a stored sample times this is in microvolts");
}

void add_unit_keys(DeckKeys& keys, SimulationOptions& options) {
  keys.whole(in + "units", options.units, 0, 100000, "neurons, spread evenly along the shanks");
  keys.real(in + "rate_hz", options.rate_hz, 1e-3, 200.0,
            "median firing rate of the units; their law is lognormal");
  keys.real(in + "rate_sigma", options.rate_sigma, 0.0, 10.0,
            "standard deviation of the rates' natural logarithm");
  keys.real(in + "min_rate_hz", options.min_rate_hz, 1e-3, 200.0, "lower rates are this one");
  keys.real(in + "max_rate_hz", options.max_rate_hz, 1e-3, 200.0, "higher rates are this one");
  keys.real(in + "refractory_ms", options.refractory_ms, 0.0, 1000.0,
            "shortest interval between spikes of a unit");
  keys.choice(in + "amplitude", options.amplitude,
              {{"lognormal", AmplitudeLaw::lognormal}, {"uniform", AmplitudeLaw::uniform}},
              "law of the units' peak amplitudes, each at the unit's largest channel");
  keys.real(in + "amplitude_uv", options.amplitude_uv, 1.0, 1e5, "median of a lognormal law");
  keys.real(in + "amplitude_sigma", options.amplitude_sigma, 0.0, 10.0,
            "standard deviation of the amplitudes' natural logarithm, of a lognormal law");
  keys.real(in + "min_amplitude_uv", options.min_amplitude_uv, 1.0, 1e5, "lower amplitudes are this one");
  keys.real(in + "max_amplitude_uv", options.max_amplitude_uv, 1.0, 1e5, "higher amplitudes are this one");
  keys.real(in + "amplitude_jitter", options.amplitude_jitter, 0.0, 1.0,
            "standard deviation of each spike's factor of the amplitude; it stays from 0.7 to 1.3");
  keys.real(in + "positive_share", options.positive_share, 0.0, 1.0,
            "of units, about, whose peak is positive");
  keys.real(in + "drift_um", options.drift_um, -10000.0, 10000.0,
            "that all units move up the probe, evenly from the start to the end of the recording");
}

void add_noise_keys(DeckKeys& keys, SimulationOptions& options) {
  keys.real(in + "noise_uv", options.noise_uv, 0.0, 1e5,
            "standard deviation of noise that is each channel's own");
  keys.real(in + "correlated_noise_uv", options.correlated_noise_uv, 0.0, 1e5,
            "standard deviation of noise that neighbouring channels share");
  keys.real(in + "noise_length_um", options.noise_length_um, 0.1, 1e5,
            "its correlation between channels is exp(-distance / this)");
}

}  // namespace

DeckKeys simulate_keys(SimulateDeck& deck) {
  DeckKeys keys;
  add_recording_keys(keys, deck.simulation);
  add_unit_keys(keys, deck.simulation);
  add_noise_keys(keys, deck.simulation);
  add_output_key(keys, deck.output_folder, "recording.bin, probe.json and truth.h5 go");
  add_host_limit_key(keys, deck.host_limit_bytes, "the true spikes and templates");
  add_seed_key(keys, deck.simulation.seed);
  add_threads_key(keys, deck.threads);
  return keys;
}

}  // namespace kokkosort
