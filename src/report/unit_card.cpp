#include "report/unit_card.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "report/autocorrelogram.hpp"
#include "report/recording_time.hpp"
#include "report/svg.hpp"
#include "report/text.hpp"
#include "report/thinning.hpp"
#include "report/unit_waveform.hpp"

namespace kokkosort {
namespace {

constexpr double width = 170.0;
constexpr double height = 98.0;
constexpr double left = 26.0;
constexpr double right = 156.0;
constexpr double bottom = 78.0;
constexpr double top = 14.0;

std::string correlogram_drawing(const SortReport& report, std::span<const std::size_t> spikes,
                                std::size_t unit) {
  constexpr std::size_t bins = 50;
  std::vector<std::int64_t> samples;
  for (const std::size_t i : spikes) samples.push_back(report.sorting.sample[i]);
  const std::vector<std::uint64_t> counts = autocorrelogram(samples, report.recording.sampling_rate_hz, bins);
  const std::uint64_t most = *std::max_element(counts.begin(), counts.end());

  svg::Axes axes{{-static_cast<double>(bins), static_cast<double>(bins), left, right},
                 {0.0, static_cast<double>(std::max<std::uint64_t>(most, 1)), bottom, top},
                 {-50.0, -25.0, 0.0, 25.0, 50.0},
                 {}};
  svg::Marks bars;
  for (std::size_t b = 0; b < bins; ++b) {
    if (counts[b] == 0) continue;
    const double middle = static_cast<double>(b) + 0.5;
    for (const double x : {-middle, middle})
      bars.bar(axes.x(x), axes.y.at_from, axes.y(static_cast<double>(counts[b])));
  }
  return svg::drawing(
      width, height, fmt::format("Autocorrelogram of unit {}", unit),
      bars.element("bar") + axes.element() + svg::label(left, 10.0, "start", "correlogram (ms)") +
          svg::label(right, 10.0, "end", fmt::format("max {}", grouped(static_cast<std::int64_t>(most)))));
}

std::string amplitude_drawing(const SortReport& report, std::span<const std::size_t> spikes,
                              std::size_t unit) {
  constexpr std::size_t most_points = 300;
  constexpr double room_above = 1.08;
  const Sorting& sorting = report.sorting;
  double largest = 0.0;
  for (const std::size_t i : spikes)
    if (std::isfinite(sorting.amplitude[i]))
      largest = std::max(largest, static_cast<double>(sorting.amplitude[i]));
  const SortedRecording& recording = report.recording;
  svg::Axes axes{{time_s(recording, 0), time_s(recording, recording.n_samples), left, right},
                 {0.0, room_above * largest, bottom, top},
                 {},
                 {}};
  axes.x_ticks = svg::ticks(axes.x.from, axes.x.to, 5);
  axes.y_ticks = svg::ticks(0.0, axes.y.to, 4);
  svg::Marks points;
  for (std::size_t k = 0; k < spikes.size(); k += thinning(spikes.size(), most_points)) {
    const std::size_t i = spikes[k];
    if (std::isfinite(sorting.amplitude[i]))
      points.dot(axes.x(time_s(recording, sorting.sample[i])),
                 axes.y(static_cast<double>(sorting.amplitude[i])));
  }
  return svg::drawing(width, height, fmt::format("Amplitude of unit {} over time", unit),
                      axes.element() + points.element("point") +
                          svg::label(left, 10.0, "start", "amplitude (σ) by time (s)"));
}

std::string row(const std::string& name, const std::string& value) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, value);
}

std::string position(const Unit& unit) {
  if (!std::isfinite(unit.x_um) || !std::isfinite(unit.y_um)) return "–";
  return fmt::format("{:.1f}, {:.1f} µm", unit.x_um, unit.y_um);
}

std::string numbers(const SortReport& report, std::size_t u) {
  const Unit& unit = report.sorting.units[u];
  const std::string microvolts =
      report.amplitude_uv.empty() ? "" : row("in µV", rounded(report.amplitude_uv[u]));
  return "<dl>" + row("spikes", grouped(unit.spikes)) + row("rate", rounded(unit.firing_rate_hz) + " Hz") +
         row("amplitude", rounded(unit.amplitude) + " σ") + microvolts +
         row("contamination", percent(unit.contamination)) + row("channel", std::to_string(unit.channel)) +
         row("position", position(unit)) + "</dl>\n";
}

}  // namespace

std::string unit_card(const SortReport& report, std::span<const std::size_t> spikes, std::size_t unit) {
  const bool is_good = report.sorting.units[unit].is_refractory;
  return fmt::format(
      "<article class=\"card\" id=\"unit-{0}\"><h3>Unit {0} <span class=\"badge {1}\">{2} {1}</span></h3>\n"
      "{3}<div class=\"drawings\">{4}<div>{5}\n{6}</div></div></article>\n",
      unit, is_good ? "good" : "other", is_good ? "●" : "○", numbers(report, unit),
      unit_waveform(report, unit), correlogram_drawing(report, spikes, unit),
      amplitude_drawing(report, spikes, unit));
}

}  // namespace kokkosort
