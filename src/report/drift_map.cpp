#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "report/maps.hpp"
#include "report/recording_time.hpp"
#include "report/text.hpp"
#include "report/thinning.hpp"

namespace kokkosort {
namespace {

constexpr double width = 640.0;
constexpr std::size_t n_sizes = 4;  // of dots

/// Spikes that are drawn: every n-th, if it has a place.
std::vector<std::size_t> drawn_spikes(const Sorting& sorting) {
  const std::size_t step = thinning(sorting.n_spikes(), most_drift_points);
  std::vector<std::size_t> drawn;
  for (std::size_t i = 0; i < sorting.n_spikes(); i += step)
    if (std::isfinite(sorting.y_um[i]) && std::isfinite(sorting.amplitude[i])) drawn.push_back(i);
  return drawn;
}

/// The quartiles of the drawn spikes' amplitudes.
std::array<float, n_sizes - 1> quartiles(const Sorting& sorting, const std::vector<std::size_t>& drawn) {
  std::vector<float> amplitudes;
  for (const std::size_t i : drawn) amplitudes.push_back(sorting.amplitude[i]);
  std::sort(amplitudes.begin(), amplitudes.end());
  std::array<float, n_sizes - 1> edges{};
  for (std::size_t k = 0; k < edges.size(); ++k) edges[k] = amplitudes[(k + 1) * amplitudes.size() / n_sizes];
  return edges;
}

/// Dots, one element for each size, the largest on top.
std::string dots(const SortReport& report, const std::vector<std::size_t>& drawn,
                 const std::array<float, n_sizes - 1>& edges, const svg::Axes& axes) {
  const Sorting& sorting = report.sorting;
  std::array<svg::Marks, n_sizes> marks;
  for (const std::size_t i : drawn) {
    const auto size = static_cast<std::size_t>(
        std::upper_bound(edges.begin(), edges.end(), sorting.amplitude[i]) - edges.begin());
    marks[size].dot(axes.x(time_s(report.recording, sorting.sample[i])), axes.y(sorting.y_um[i]));
  }
  std::string elements;
  for (std::size_t size = 0; size < n_sizes; ++size)
    elements += marks[size].element(fmt::format("spike size{}", size));
  return elements;
}

std::string caption(const Sorting& sorting, const std::vector<std::size_t>& drawn,
                    const std::array<float, n_sizes - 1>& edges) {
  return fmt::format(
      "Where spikes were, over time. {} of {} spikes are drawn. Larger, stronger dots: larger amplitude, "
      "in four steps that part at {}, {} and {} σ of the noise.",
      grouped(static_cast<std::int64_t>(drawn.size())),
      grouped(static_cast<std::int64_t>(sorting.n_spikes())), rounded(edges[0]), rounded(edges[1]),
      rounded(edges[2]));
}

}  // namespace

std::string drift_map(const SortReport& report) {
  const std::vector<std::size_t> drawn = drawn_spikes(report.sorting);
  if (drawn.empty()) return "<figure class=\"map\"><h2>Spikes</h2>\n<p>No spikes were found.</p></figure>\n";
  const SortedRecording& recording = report.recording;
  const svg::Scale x{time_s(recording, 0), time_s(recording, recording.n_samples), 54.0, width - 24.0};
  const svg::Scale y = along_probe(recording.probe);
  const svg::Axes axes{x, y, svg::ticks(x.from, x.to, 8), svg::ticks(y.from, y.to, 10), "time (s)", "y (µm)"};
  const std::array<float, n_sizes - 1> edges = quartiles(report.sorting, drawn);
  const std::string content = axes.element() + dots(report, drawn, edges, axes);
  return fmt::format("<figure class=\"map\"><h2>Spikes</h2>\n{}\n<figcaption>{}</figcaption></figure>\n",
                     svg::drawing(width, map_height, "Places of spikes along the probe over time", content),
                     caption(report.sorting, drawn, edges));
}

}  // namespace kokkosort
