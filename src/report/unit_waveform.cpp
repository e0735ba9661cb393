#include "report/unit_waveform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "report/svg.hpp"

namespace kokkosort {
namespace {

constexpr double width = 170.0;
constexpr double height = 200.0;
constexpr double margin = 4.0;
constexpr double bars_height = 24.0;  // below the traces
constexpr std::size_t most_traces = 8;

struct Trace {
  std::int32_t channel;
  std::vector<double> values;  // [nt], in standard deviations of the noise
  double energy;
};

Trace trace_on(const SortReport& report, std::size_t unit, std::int32_t channel) {
  const HostTensor3<float>& templates = report.sorting.templates;
  const HostMatrix<float>& wPCA = report.recording.pcs.wPCA;
  Trace trace{channel, std::vector<double>(wPCA.extent(1), 0.0), 0.0};
  for (std::size_t t = 0; t < trace.values.size(); ++t) {
    for (std::size_t p = 0; p < wPCA.extent(0); ++p)
      trace.values[t] += static_cast<double>(templates(unit, static_cast<std::size_t>(channel), p)) *
                         static_cast<double>(wPCA(p, t));
    trace.energy += trace.values[t] * trace.values[t];
  }
  return trace;
}

/// The largest of the traces on the channels near a unit, the largest first; none that is flat, but for one.
std::vector<Trace> largest_traces(const SortReport& report, std::size_t unit) {
  const HostMatrix<std::int32_t>& near = report.sorting.unit_channels;
  std::vector<Trace> traces;
  for (std::size_t row = 0; row < near.extent(1); ++row)
    traces.push_back(trace_on(report, unit, near(unit, row)));
  std::stable_sort(traces.begin(), traces.end(),
                   [](const Trace& a, const Trace& b) { return a.energy > b.energy; });
  if (traces.size() > most_traces) traces.resize(most_traces);
  while (traces.size() > 1 && traces.back().energy == 0.0) traces.pop_back();
  return traces;
}

/// Places of the traces along one axis, and the room of each there.
struct Spread {
  svg::Scale scale;
  double room;
};

/// The smallest distance between traces that are side by side along an axis: at one place across it; if none
/// are, between any. 0: they are all at one place along it.
double nearest(const std::vector<double>& along, const std::vector<double>& across) {
  constexpr double same_um = 1.0;
  constexpr double none = std::numeric_limits<double>::infinity();
  double side_by_side = none;
  double any = none;
  for (std::size_t i = 0; i < along.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double distance = std::abs(along[i] - along[j]);
      if (distance == 0.0) continue;
      any = std::min(any, distance);
      if (std::abs(across[i] - across[j]) < same_um) side_by_side = std::min(side_by_side, distance);
    }
  return side_by_side < none ? side_by_side : any < none ? any : 0.0;
}

/// Gives each trace as much room as the nearest neighbours have, but not less than 1 / most of all.
Spread spread(const std::vector<double>& along, const std::vector<double>& across, double at_from,
              double at_to, double most) {
  const auto [first, last] = std::minmax_element(along.begin(), along.end());
  const double distance = nearest(along, across);
  const double count = distance > 0.0 ? std::min((*last - *first) / distance + 1.0, most) : 1.0;
  const double room = (at_to - at_from) / count;
  return {{*first, *last, at_from + 0.5 * room, at_to - 0.5 * room}, std::abs(room)};
}

/// Where the traces are drawn.
struct Layout {
  Spread x;
  Spread y;
  double sample;  // width of one
  double sigma;   // height of one
};

std::vector<double> places_of(const std::vector<Trace>& traces, const std::vector<double>& places_um) {
  std::vector<double> places;
  for (const Trace& trace : traces) places.push_back(places_um[static_cast<std::size_t>(trace.channel)]);
  return places;
}

/// Height of one standard deviation: the largest trace may reach a little into its neighbours' rows, and none
/// may leave the drawing.
double height_of_sigma(const std::vector<Trace>& traces, const Probe& probe, const Spread& y) {
  constexpr double rows_of_largest = 1.5;
  const auto [least, most] = std::minmax_element(traces[0].values.begin(), traces[0].values.end());
  if (!(*most > *least)) return 0.0;
  double sigma = rows_of_largest * y.room / (*most - *least);
  for (const Trace& trace : traces) {
    const double base = y.scale(probe.y_um[static_cast<std::size_t>(trace.channel)]);
    for (const double value : trace.values) {
      const double room = value > 0.0 ? base - margin : height - bars_height - margin - base;
      if (value != 0.0) sigma = std::min(sigma, room / std::abs(value));
    }
  }
  return sigma;
}

Layout lay_out(const std::vector<Trace>& traces, const Probe& probe) {
  constexpr double most_columns = 5.0;
  constexpr double share_of_room = 0.88;
  const std::vector<double> x_um = places_of(traces, probe.x_um);
  const std::vector<double> y_um = places_of(traces, probe.y_um);
  Layout layout{spread(x_um, y_um, margin, width - margin, most_columns),
                spread(y_um, x_um, height - bars_height - margin, margin, most_traces), 0.0, 0.0};
  const std::size_t nt = traces[0].values.size();
  if (nt > 1) layout.sample = share_of_room * layout.x.room / static_cast<double>(nt - 1);
  layout.sigma = height_of_sigma(traces, probe, layout.y);
  return layout;
}

std::string drawn(const Trace& trace, const Probe& probe, const Layout& layout, bool is_largest) {
  const auto channel = static_cast<std::size_t>(trace.channel);
  const double middle = 0.5 * static_cast<double>(trace.values.size() - 1);
  const double left = layout.x.scale(probe.x_um[channel]) - middle * layout.sample;
  const double base = layout.y.scale(probe.y_um[channel]);
  std::vector<std::pair<double, double>> points;
  for (std::size_t t = 0; t < trace.values.size(); ++t)
    points.emplace_back(left + static_cast<double>(t) * layout.sample, base - trace.values[t] * layout.sigma);
  return svg::label(left, base - 4.0, "channel", std::to_string(trace.channel)) +
         svg::polyline(is_largest ? "trace largest" : "trace", points);
}

/// Bars that tell how long and how high the drawing's traces are.
std::string scale_bars(const std::vector<Trace>& traces, const Layout& layout, double sampling_rate_hz) {
  const double x = margin + 2.0;
  const double y = height - margin;
  const double trace_ms = static_cast<double>(traces[0].values.size()) * 1000.0 / sampling_rate_hz;
  const double ms = svg::round_down(0.5 * trace_ms);
  svg::Marks bars;
  const double end = x + ms * sampling_rate_hz / 1000.0 * layout.sample;
  bars.line(x, y, end, y);
  const double sigmas = layout.sigma > 0.0 ? svg::round_down((bars_height - 4.0) / layout.sigma) : 0.0;
  bars.line(x, y, x, y - sigmas * layout.sigma);
  const std::string text =
      sigmas > 0.0 ? fmt::format("{:g} ms, {:g} σ", ms, sigmas) : fmt::format("{:g} ms, flat", ms);
  return bars.element("scale") + svg::label(end + 4.0, y, "start", text);
}

}  // namespace

std::string unit_waveform(const SortReport& report, std::size_t unit) {
  const Probe& probe = report.recording.probe;
  const std::vector<Trace> traces = largest_traces(report, unit);
  const Layout layout = lay_out(traces, probe);
  std::string content;
  for (std::size_t i = traces.size(); i-- > 0;)  // the largest on top
    content += drawn(traces[i], probe, layout, i == 0);
  content += scale_bars(traces, layout, report.recording.sampling_rate_hz);
  return svg::drawing(width, height, fmt::format("Mean waveform of unit {}", unit), content);
}

}  // namespace kokkosort
