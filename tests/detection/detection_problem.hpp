#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "kokkosort/detection/search.hpp"
#include "matching/make_traces.hpp"
#include "templates/template_problem.hpp"

namespace kokkosort::test {

/// A probe, its grid, and what to look for.
struct DetectionProblem {
  Probe probe;
  PrincipalComponents pcs = spike_pcs();
  DetectionOptions options;
  DetectionGrid grid;

  explicit DetectionProblem(Probe on, const DetectionOptions& with = {})
      : probe(std::move(on)), options(with) {
    grid = make_detection_grid(probe, options);
  }

  std::size_t n_channels() const { return probe.x_um.size(); }
  std::size_t n_centres() const { return grid.weights.extent(0); }
  std::size_t nt() const { return pcs.wPCA.extent(1); }
};

/// A universal shape at a place of the probe, that falls off with distance.
struct PlantedShape {
  std::int64_t sample = 0;  // of the waveform's centre, its sample nt / 2
  double x_um = 0.0;
  double y_um = 0.0;
  std::int32_t shank = 0;
  std::size_t shape = 0;
  double amplitude = 20.0;
  double radius_um = 25.0;
};

/// Adds shapes to traces, [channels, samples]; what lies outside is cut off.
inline void add_shapes(const DetectionProblem& problem, const std::vector<PlantedShape>& shapes,
                       const HostMatrix<float>& traces) {
  const auto n_samples = static_cast<std::int64_t>(traces.extent(1));
  const auto nt = static_cast<std::int64_t>(problem.nt());
  for (const PlantedShape& planted : shapes)
    for (std::size_t c = 0; c < problem.n_channels(); ++c) {
      if (problem.probe.shank[c] != planted.shank) continue;
      const double far =
          std::hypot(problem.probe.x_um[c] - planted.x_um, problem.probe.y_um[c] - planted.y_um) /
          planted.radius_um;
      for (std::int64_t s = 0; s < nt; ++s) {
        const std::int64_t t = planted.sample - nt / 2 + s;
        if (t >= 0 && t < n_samples)
          traces(c, static_cast<std::size_t>(t)) +=
              static_cast<float>(planted.amplitude * std::exp(-far * far)) *
              problem.pcs.wTEMP(planted.shape, static_cast<std::size_t>(s));
      }
    }
}

/// Shapes of random kinds at random centres of the grid and random times.
inline std::vector<PlantedShape> random_shapes(std::mt19937_64& random, const DetectionProblem& problem,
                                               std::size_t n, std::int64_t n_samples) {
  std::uniform_int_distribution<std::int64_t> sample(0, n_samples - 1);
  std::uniform_int_distribution<std::size_t> centre(0, problem.n_centres() - 1);
  std::uniform_int_distribution<std::size_t> shape(0, problem.pcs.wTEMP.extent(0) - 1);
  std::uniform_real_distribution<double> amplitude(12.0, 30.0);
  std::vector<PlantedShape> shapes;
  for (std::size_t i = 0; i < n; ++i) {
    PlantedShape planted;
    planted.sample = sample(random);
    const std::size_t at = centre(random);
    planted.x_um = problem.grid.centres.x_um[at];
    planted.y_um = problem.grid.centres.y_um[at];
    planted.shank = problem.probe.shank[static_cast<std::size_t>(problem.grid.centres.channels(at, 0))];
    planted.shape = shape(random);
    planted.amplitude = amplitude(random);
    shapes.push_back(planted);
  }
  return shapes;
}

/// Searches traces of a whole recording, [channels, samples], in windows of options.window_samples.
/// @param later  zeros of the recording before the traces
template <class Exec>
WindowSpikes search_traces(const DetectionProblem& problem, const HostMatrix<float>& traces,
                           const Exec& exec = Exec(), std::int64_t later = 0) {
  const auto n_samples = static_cast<std::int64_t>(traces.extent(1));
  const std::int64_t length = std::min<std::int64_t>(problem.options.window_samples, n_samples);
  const SearchSizes sizes =
      sizes_of_search(problem.n_channels(), problem.grid, problem.pcs, static_cast<std::size_t>(length));
  TransferLedger ledger;
  const SearchTables<Exec> tables = upload_tables(exec, problem.grid, problem.pcs, ledger);
  const SearchWorkspace<Exec> workspace = make_search_workspace(exec, sizes, problem.options, 0);
  const auto on_host = Kokkos::create_mirror_view(workspace.traces);
  const auto lead = static_cast<std::int64_t>(lead_samples(sizes));
  WindowSpikes all;
  for (std::int64_t first = 0; first < n_samples; first += length) {
    const SearchWindow window{first, std::min(first + length, n_samples), n_samples};
    const std::int64_t end = window.last + static_cast<std::int64_t>(trail_samples(sizes));
    for (std::size_t c = 0; c < problem.n_channels(); ++c)
      for (std::size_t i = 0; i < on_host.extent(1); ++i) {
        const std::int64_t t = first - lead + static_cast<std::int64_t>(i);
        on_host(c, i) =
            t >= 0 && t < std::min(end, n_samples) ? traces(c, static_cast<std::size_t>(t)) : 0.0f;
      }
    Kokkos::deep_copy(exec, workspace.traces, on_host);
    exec.fence();
    const WindowSpikes some =
        search_window(exec, tables, {later + window.first, later + window.last, later + n_samples},
                      problem.options, workspace, ledger);
    all.sample.insert(all.sample.end(), some.sample.begin(), some.sample.end());
    all.centre.insert(all.centre.end(), some.centre.begin(), some.centre.end());
    all.features.insert(all.features.end(), some.features.begin(), some.features.end());
  }
  return all;
}

}  // namespace kokkosort::test
