#pragma once

#include <string>
#include <vector>

#include "kokkosort/curation/sorting.hpp"
#include "kokkosort/io/run_record.hpp"
#include "kokkosort/io/sorting_file.hpp"

namespace kokkosort {

/// What the report of a sorting tells about. What is referred to must stay.
struct SortReport {
  const SortedRecording& recording;
  const Sorting& sorting;
  const RunRecord& run;
  double seconds = 0.0;               // that the sorting took, from start to end
  std::vector<double> amplitude_uv;   // [units], as in sorting.h5; empty: the gain is not known
  std::vector<std::string> warnings;  // plain sentences, besides those on dead and saturated channels
};

/// A page that shows a sorting: summary, probe map, drift map, and for each unit its numbers, its waveform,
/// its autocorrelogram and its amplitude over time.
///
/// One HTML file, complete in itself: no script, nothing from the network. It is well-formed XML, too. Names
/// from files show as they are, whatever is in them. Its size grows with the units (some 10 kB each), not
/// with their spikes, of which some are drawn and all are counted.
std::string report_html(const SortReport& report);

}  // namespace kokkosort
