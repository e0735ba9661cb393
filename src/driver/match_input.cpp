#include "driver/match_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/counted.hpp"
#include "driver/common_checks.hpp"
#include "io/probe_io.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/recording/open_recording.hpp"

namespace kokkosort {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw InputError(path.string() + ": " + what);
}

/// An HDF5 file, or several files with input.dataset, are none that can be put together.
void refuse_several(const MatchDeck& deck) {
  const std::size_t n = deck.recording.size();
  if (n == 1) return;
  const auto hdf5 = std::find_if(deck.recording.begin(), deck.recording.end(), is_hdf5_file);
  if (hdf5 != deck.recording.end())
    fail(*hdf5, fmt::format("is an HDF5 file, one of {} that input.recording names; name it alone, with "
                            "input.dataset, or flat files",
                            n));
  if (!deck.dataset.empty())
    throw InputError(
        fmt::format("input.recording names {} files; one with input.dataset, or flat files without", n));
}

void open_dataset(const MatchDeck& deck, MatchFiles& files) {
  Hdf5Recording opened = open_hdf5_recording(deck.recording.front(), deck.dataset, deck.scale_to_sigma);
  refuse_replacing_inputs(opened.files, deck.result());
  files.traces = std::move(opened.traces);
  files.scale_to_sigma = opened.scale_to_sigma;
}

/// Opens the recording, and takes the deck's scale if it has one.
void open_traces(const MatchDeck& deck, MatchFiles& files) {
  refuse_several(deck);
  const std::filesystem::path& first = deck.recording.front();
  if (!deck.dataset.empty() || is_hdf5_file(first))
    open_dataset(deck, files);
  else
    files.traces = open_flat_recording(deck.recording, files.set.probe.x_um.size(), deck.dtype);
  const std::size_t n_channels = files.set.probe.x_um.size();
  if (files.traces->n_channels() != n_channels)
    fail(first,
         fmt::format("{} has {}; the probe of {} has {}", deck.dataset,
                     counted(files.traces->n_channels(), "channel"), deck.templates.string(), n_channels));
  if (deck.scale_to_sigma > 0.0) files.scale_to_sigma = deck.scale_to_sigma;  // flat files have no other
  if (files.scale_to_sigma == 0.0)
    fail(first,
         (deck.dataset.empty() ? "is a flat file" : deck.dataset + " has no attribute scale_to_sigma") +
             "; set input.scale_to_sigma: a stored sample times it is in standard deviations of the noise; "
             "are the "
             "traces whitened?");
  files.preparation = whitened_already(n_channels, files.scale_to_sigma);
}

void check_rate(const MatchDeck& deck, const TemplateSet& set) {
  if (deck.sampling_rate_hz > 0.0 && deck.sampling_rate_hz < lowest_rate_hz)
    throw InputError(fmt::format("input.sampling_rate_hz is {}; it must be 0, or from {} to {}",
                                 deck.sampling_rate_hz, lowest_rate_hz, highest_rate_hz));
  if (set.sampling_rate_hz == 0.0)
    fail(deck.templates, "has no attribute sampling_rate_hz; set input.sampling_rate_hz");
}

/// Half of the distances between neighbouring heights of a shank's channels are larger, half smaller.
double median_gap(const Probe& probe) {
  constexpr double where_all_are_level = 20.0;
  std::map<std::int32_t, std::vector<double>> heights;
  for (std::size_t c = 0; c < probe.y_um.size(); ++c) heights[probe.shank[c]].push_back(probe.y_um[c]);
  std::vector<double> gaps;
  for (auto& [shank, y] : heights) {
    std::sort(y.begin(), y.end());
    for (std::size_t i = 1; i < y.size(); ++i)
      if (y[i] - y[i - 1] >= finest_spacing_um) gaps.push_back(y[i] - y[i - 1]);
  }
  if (gaps.empty()) return where_all_are_level;
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  return std::min(*middle, widest_spacing_um);
}

/// The spacing that deck or file gave, else another.
void find_spacing(const std::string& key, double otherwise, const std::vector<double>& positions,
                  double& spacing) {
  if (spacing == 0.0) spacing = otherwise;
  if (spacing < finest_spacing_um)
    throw InputError(fmt::format("{} is {}; it must be 0, or from {} to {}", key, spacing, finest_spacing_um,
                                 widest_spacing_um));
  if (const std::string complaint = spacing_complaint(spacing, positions); !complaint.empty())
    throw InputError(key + " " + complaint);
}

}  // namespace

void refuse_replacing_inputs(const MatchDeck& deck) {
  refuse_replacing_input(deck.templates, deck.result());
  refuse_replacing_inputs(deck.recording, deck.result());
}

MatchFiles open_match_files(MatchDeck& deck) {
  constexpr double kilosorts_dminx_um = 32.0;
  MatchFiles files;
  files.set = read_templates(deck.templates, deck.templates_dataset, deck.host_limit_bytes,
                             {deck.sampling_rate_hz, deck.dmin_um, deck.dminx_um});
  TemplateSet& set = files.set;
  refuse_replacing_inputs(set.files, deck.result());
  check_rate(deck, set);
  find_spacing("input.dmin_um", median_gap(set.probe), set.probe.y_um, set.dmin_um);
  find_spacing("input.dminx_um", kilosorts_dminx_um, set.probe.x_um, set.dminx_um);
  open_traces(deck, files);
  check_matching<Kokkos::DefaultExecutionSpace>(files.input(), deck.matching);
  deck.scale_to_sigma = files.scale_to_sigma;
  deck.sampling_rate_hz = set.sampling_rate_hz;
  deck.dmin_um = set.dmin_um;
  deck.dminx_um = set.dminx_um;
  return files;
}

}  // namespace kokkosort
