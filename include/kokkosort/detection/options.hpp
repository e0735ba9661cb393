#pragma once

#include <cstddef>
#include <cstdint>

namespace kokkosort {

struct DetectionOptions {
  double threshold =
      7.0;  // of a spike's projection on a universal template, in standard deviations of the noise
  double learning_threshold =
      6.0;               // of isolated peaks on single channels, that the templates are learned from
  int nt = 61;           // samples of a waveform, odd
  int peak_sample = 20;  // of a waveform's peak
  int shapes = 6;        // universal templates in time
  int pcs = 6;           // principal components
  int scales = 5;        // spatial sizes of a universal template
  double smallest_scale_um = 10.0;  // the others are 2, 3, … times as large
  double dmin_um = 0.0;    // vertical spacing of centres is half of it; 0: the usual gap between channels
  double dminx_um = 32.0;  // horizontal spacing is half of it
  double max_channel_um = 32.0;  // centres further than this from all channels are left out
  int feature_channels = 10;     // nearest to a centre, that features are of
  int nearest_centres = 100;     // of which a peak is the largest
  int window_samples = 60000;    // of the recording, on the device at once
  int chunk_samples = 0;         // whose scores are held at once; 0: what suits the device and its memory
  int spikes_at_once = 16384;    // whose features are held at once
  int learning_windows = 40;     // at most, evenly spread, whose peaks shapes are learned from
  int max_peaks = 100000;        // that shapes are learned from
  std::int64_t max_spikes = std::int64_t{1} << 31;
  std::uint64_t seed = 1;  // of the k-means that finds the shapes
  std::size_t device_limit_bytes = 4ull << 30;
};

}  // namespace kokkosort
