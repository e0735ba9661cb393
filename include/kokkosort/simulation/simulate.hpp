#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "kokkosort/spike_features.hpp"
#include "kokkosort/spike_trains.hpp"

namespace kokkosort {

/// How channels are arranged on a shank.
enum class ProbeLayout {
  neuropixels,  // rows of two, every other row shifted: four columns
  linear,
  square,   // a square grid, as far as channels go
  tetrode,  // shanks of four channels in a square
};

enum class AmplitudeLaw { lognormal, uniform };

/// A recording to simulate. The deck's keys simulation.* are named likewise.
struct SimulationOptions {
  ProbeLayout layout = ProbeLayout::neuropixels;
  int channels = 32;
  int shanks = 1;            // that the channels are on, 250 µm apart; tetrodes are shanks of their own
  double spacing_um = 20.0;  // of neighbouring channels, or of rows
  double seconds = 60.0;
  double sampling_rate_hz = 30000.0;
  double gain_to_uv = 0.195;  // of a stored sample

  int units = 20;
  double rate_hz = 3.3;     // median of a lognormal law
  double rate_sigma = 0.8;  // standard deviation of the rate's natural logarithm
  double min_rate_hz = 0.5;
  double max_rate_hz = 25.0;
  double refractory_ms = 3.0;

  AmplitudeLaw amplitude = AmplitudeLaw::lognormal;  // of units; at their largest channels
  double amplitude_uv = 85.0;                        // median of the lognormal law
  double amplitude_sigma = 0.5;                      // standard deviation of the natural logarithm
  double min_amplitude_uv = 30.0;                    // bounds of either law
  double max_amplitude_uv = 250.0;
  double amplitude_jitter = 0.07;  // standard deviation of a spike's factor, which is from 0.7 to 1.3
  double positive_share = 0.05;    // of units, whose peak is positive

  double noise_uv = 5.0;  // standard deviation; independent in every sample and channel
  double correlated_noise_uv =
      7.0;  // likewise, with the correlation exp(−distance / length) between channels
  double noise_length_um = 30.0;
  double drift_um = 0.0;  // that all units move along the probe, at a constant speed

  std::uint64_t seed = 1;
};

/// A neuron beside the probe.
struct SimulatedUnit {
  double x_um = 0.0;  // at the start
  double y_um = 0.0;
  double z_um = 0.0;  // distance from the probe's plane
  double rate_hz = 0.0;
  double amplitude_uv = 0.0;  // magnitude of its peak on `channel` at the start
  std::int32_t channel = 0;   // where it is largest at the start
  double sign = -1.0;         // of the peak

  // Its shape. Source of typical values: ../shared/data/templates64.npz, waveforms of a biophysical
  // simulation.
  double rise_ms = 0.0;             // standard deviation of the Gaussian that leads to the peak
  double fall_ms = 0.0;             // and of the one that leads away from it
  double after_share = 0.0;         // height of the after-hyperpolarisation, over the peak's
  double after_ms = 0.0;            // from the peak to it
  double spread_um = 0.0;           // distance over which the amplitude decays
  double slowness_ms_per_um = 0.0;  // later so much on channels farther up
};

/// All that a simulated recording is made of but its noise. Host memory: 16 bytes a spike.
struct Simulation {
  SimulationOptions options;
  std::int64_t n_samples = 0;
  Probe probe;
  std::vector<SimulatedUnit> units;
  SpikeTrains
      truth;  // in order of time, spikes of one sample in order of units; a spike's sample is its peak
  std::vector<float> amplitude;  // [spikes], factor of the unit's waveform

  int before() const;  // samples of a waveform before the peak: 1 ms
  int after() const;   // after it: 3 ms
  int nt() const { return before() + 1 + after(); }
};

/// @param host_limit  bytes that spikes and templates may take
/// @throws InputError naming the deck's key: options that contradict each other; more spikes than memory
void check_simulation(const SimulationOptions& options, std::size_t host_limit);

/// Places channels and units and draws spikes. The same options make the same recording, whatever the
/// threads.
/// @throws InputError as check_simulation does
Simulation simulate(const SimulationOptions& options, std::size_t host_limit = std::size_t{16} << 30);

/// Waveforms of a unit at the start, in µV, [nt, channels]; what stands in the recording but for its factor.
std::vector<float> template_of(const Simulation& simulation, std::size_t unit);

struct RenderOptions {
  int threads = 1;
  std::size_t chunk_bytes = std::size_t{16}
                            << 20;  // rendered before they are written; does not change the result
  std::function<void(std::int64_t)> progress = {};  // told how many samples are written
};

/// Writes a simulated recording as flat int16, [samples, channels]. Memory does not grow with its length;
/// values that do not fit int16 are clipped. The same bytes for any number of threads and any chunks.
/// @throws std::runtime_error if the disk does not take it
void write_traces(const Simulation& simulation, const std::filesystem::path& path,
                  const RenderOptions& options);

}  // namespace kokkosort
