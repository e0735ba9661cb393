#pragma once

#include <cstdint>

#include "kokkosort/spike_features.hpp"

namespace kokkosort {

struct BlobOptions {
  int sections = 1;
  int spikes = 1416;  // per section
  int channels = 17;  // per section; every spike has features on all of them
  int pcs = 6;
  int clusters = 12;        // per section
  double amplitude = 15.0;  // length of a cluster's mean, in standard deviations of the noise: half to one and a half of it
  double jitter = 0.07;     // relative, of a spike's amplitude
  double seconds = 120.0;   // spike times are uniform over them
  std::uint64_t seed = 1;
};

/// Spike features with a known structure, for benchmarks, sweeps and tests: in every section as many Gaussian clusters as
/// asked for, cluster c holding the spikes c, c + clusters, …; every section has its own channels and its own numbers.
SpikeFeatures make_blob_features(const BlobOptions& options);

}  // namespace kokkosort
