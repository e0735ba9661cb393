#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kokkosort/types.hpp"

namespace kokkosort {

/// What is known of a sorted unit.
struct Unit {
  std::int64_t spikes = 0;
  double x_um = 0.0;  // mean of its spikes' positions
  double y_um = 0.0;
  std::int32_t channel = 0;  // of its largest waveform, by energy
  double amplitude = 0.0;    // largest magnitude of its waveform, in standard deviations of the noise
  double firing_rate_hz = 0.0;
  double contamination =
      0.0;  // R12 of its own correlogram, as Kilosort's: pairs of spikes too near each other
            // for one neuron, over those of a train without a gap; 0 … 1, 1 if too few to tell
  bool is_refractory = false;  // its own correlogram has a gap: a good unit
};

/// A sorted recording. Host memory. Spikes in time order; every unit has a spike and every spike a unit.
struct Sorting {
  std::vector<std::int64_t> sample;   // [spikes]
  std::vector<std::int32_t> unit;     // [spikes], 0 … units − 1
  std::vector<std::int32_t> matched;  // [spikes], the template that found each
  std::vector<float> amplitude;  // [spikes], times that template's norm: in standard deviations of the noise
  std::vector<float> x_um;       // [spikes]
  std::vector<float> y_um;       // [spikes]
  HostMatrix<std::int32_t>
      unit_channels;             // [units, rows], nearest to each unit's channel; features are of these
  HostTensor3<float> features;   // [spikes, rows, pcs]; 0 on channels that a spike was not looked at
  std::vector<Unit> units;       // [units]
  HostTensor3<float> templates;  // [units, channels, pcs], mean of each unit's spikes
  HostMatrix<float> similarity;  // [units, units], largest correlation at any lag
  std::size_t removed_duplicates = 0;

  std::size_t n_spikes() const { return sample.size(); }
  std::size_t n_units() const { return units.size(); }
};

}  // namespace kokkosort
