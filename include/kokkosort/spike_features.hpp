#pragma once

#include <cstdint>
#include <vector>

#include "kokkosort/types.hpp"

namespace kokkosort {

/// Where a recording's channels are.
struct Probe {
  std::vector<double> x_um;         // [channels]
  std::vector<double> y_um;         // [channels]
  std::vector<std::int32_t> shank;  // [channels]
};

/// The waveforms that features are coefficients of.
struct PrincipalComponents {
  HostMatrix<float> wPCA;   // [pcs, nt]
  HostMatrix<float> wTEMP;  // [templates, nt], the universal shapes used in detection
  int peak_sample = 20;     // sample of a waveform's peak
};

/// Places on the probe that spikes are found at: detection's grid, or the templates of matched spikes.
struct DetectionCentres {
  std::vector<double> x_um;           // [centres]
  std::vector<double> y_um;           // [centres]
  HostMatrix<std::int32_t> channels;  // [centres, rows], the channel of each feature row
};

/// The spikes of a recording as features on the channels around their centres; host memory, in time order.
/// Layout of the HDF5 file: DESIGN, section 8.
struct SpikeFeatures {
  Probe probe;
  PrincipalComponents pcs;
  DetectionCentres centres;
  HostVector<std::int64_t> sample;  // [spikes], not decreasing
  HostVector<std::int32_t> centre;  // [spikes], index into centres
  HostTensor3<float> features;      // [spikes, rows, pcs], in standard deviations of the noise
  HostVector<std::int64_t> file_order;  // [spikes], each spike's place in its file; empty: the same as here
  double sampling_rate_hz = 0.0;
  double dmin_um = 0.0;   // vertical spacing of detection's centres
  double dminx_um = 0.0;  // horizontal spacing

  std::size_t n_spikes() const { return sample.extent(0); }
  std::size_t n_channels() const { return probe.x_um.size(); }
  std::size_t n_rows() const { return features.extent(1); }
  std::size_t n_pcs() const { return features.extent(2); }
};

}  // namespace kokkosort
