#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "report/maps.hpp"
#include "report/text.hpp"

namespace kokkosort {
namespace {

constexpr double width = 320.0;
constexpr std::size_t many_units = 40;  // more are drawn smaller, and without their numbers

/// The range of some places, and some room around it.
svg::Scale around(const std::vector<double>& places, double at_from, double at_to) {
  constexpr double share_of_room = 0.05;
  constexpr double least_room_um = 10.0;
  const auto [least, most] = std::minmax_element(places.begin(), places.end());
  const double room = std::max(share_of_room * (*most - *least), least_room_um);
  return {*least - room, *most + room, at_from, at_to};
}

std::string contacts(const Probe& probe, const svg::Scale& x, const svg::Scale& y) {
  svg::Marks marks;
  for (std::size_t c = 0; c < probe.x_um.size(); ++c) marks.dot(x(probe.x_um[c]), y(probe.y_um[c]));
  return marks.element("contact");
}

double largest_rate(const Sorting& sorting) {
  double largest = 0.0;
  for (const Unit& unit : sorting.units) largest = std::max(largest, unit.firing_rate_hz);
  return largest;
}

/// A unit's mark, which leads to its card.
std::string unit_mark(const Sorting& sorting, std::size_t u, double x, double y, double radius) {
  const Unit& unit = sorting.units[u];
  const std::string number =
      sorting.n_units() <= many_units ? svg::label(x + radius + 2.0, y, "right", std::to_string(u)) : "";
  return fmt::format(
      R"(<a href="#unit-{0}"><circle cx="{1:.1f}" cy="{2:.1f}" r="{3:.1f}" class="{4}"><title>unit {0}, {5} Hz, {4}</title></circle>{6}</a>)",
      u, x, y, radius, unit.is_refractory ? "good" : "other", rounded(unit.firing_rate_hz), number);
}

std::string units(const Sorting& sorting, const svg::Scale& x, const svg::Scale& y) {
  const double largest_radius = sorting.n_units() <= many_units ? 11.0 : 7.0;
  constexpr double least_radius = 1.5;
  const double largest = largest_rate(sorting);
  std::string marks;
  for (std::size_t u = 0; u < sorting.n_units(); ++u) {
    const Unit& unit = sorting.units[u];
    if (!std::isfinite(unit.x_um) || !std::isfinite(unit.y_um)) continue;
    const double share = largest > 0.0 ? std::max(unit.firing_rate_hz, 0.0) / largest : 0.0;
    marks += unit_mark(sorting, u, x(unit.x_um), y(unit.y_um),
                       std::max(largest_radius * std::sqrt(share), least_radius));
  }
  return marks;
}

std::string caption(const Sorting& sorting) {
  if (sorting.n_units() == 0) return "Contacts, x and y each to its own scale.";
  return fmt::format(
      "Contacts (small squares) and units. Disc: good unit; ring: other. Area by firing rate, the largest {} "
      "Hz. x and y each to its own scale.",
      rounded(largest_rate(sorting)));
}

}  // namespace

svg::Scale along_probe(const Probe& probe) { return around(probe.y_um, map_height - 47.0, 24.0); }

std::string probe_map(const SortReport& report) {
  const Probe& probe = report.recording.probe;
  const svg::Scale x = around(probe.x_um, 54.0, width - 12.0);
  const svg::Scale y = along_probe(probe);
  const svg::Axes axes{x, y, svg::ticks(x.from, x.to, 4), svg::ticks(y.from, y.to, 10), "x (µm)", "y (µm)"};
  const std::string content = axes.element() + contacts(probe, x, y) + units(report.sorting, x, y);
  return fmt::format(
      "<figure class=\"map\"><h2>Probe</h2>\n{}\n<figcaption>{}</figcaption></figure>\n",
      svg::drawing(width, map_height, "Contacts of the probe and positions of the units", content),
      caption(report.sorting));
}

}  // namespace kokkosort
