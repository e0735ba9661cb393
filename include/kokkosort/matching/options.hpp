#pragma once

#include <cstddef>
#include <cstdint>

namespace kokkosort {

struct MatchingOptions {
  double threshold =
      8.0;              // a spike's projection on its template, in standard deviations of the noise, at least
  int max_peels = 100;  // rounds of pursuit in a window, at most
  int window_samples = 60000;  // of the recording, matched at once
  int feature_channels = 10;   // nearest the template's largest channel, that a spike's features are of
  int chunk_samples = 0;       // whose projections are held at once; 0: what suits the device
  int block_templates = 32;    // whose scores are one product
  int rounds_per_look = 0;  // queued between two looks at whether a spike was found; 0: what suits the device
  int team_threads = 0;     // of the pursuit's teams; 0: what suits the device
  std::int64_t max_spikes = std::int64_t{1} << 31;
  std::size_t device_limit_bytes = 4ull << 30;
};

}  // namespace kokkosort
