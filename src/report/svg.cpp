#include "report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kokkosort::svg {
namespace {

constexpr double tick_length = 4.0;
constexpr double label_gap = 2.0;
constexpr double name_below = 42.0;  // the x axis

std::string short_number(double coordinate) {
  std::string text;
  append(text, coordinate);
  return text;
}

}  // namespace

void append(std::string& to, double coordinate) {
  constexpr double largest = 99999.0;
  const long tenths =
      std::isfinite(coordinate) ? std::lround(10.0 * std::clamp(coordinate, -largest, largest)) : 0L;
  const long magnitude = std::abs(tenths);
  if (tenths < 0) to += '-';
  if (magnitude >= 10 || magnitude == 0) to += std::to_string(magnitude / 10);
  if (magnitude % 10 != 0) {
    to += '.';
    to += static_cast<char>('0' + magnitude % 10);
  }
}

double Scale::operator()(double quantity) const {
  const double length = to - from;
  if (length == 0.0) return 0.5 * (at_from + at_to);
  return at_from + std::clamp((quantity - from) / length, 0.0, 1.0) * (at_to - at_from);
}

double round_down(double number) {
  if (!(number > 0.0) || !std::isfinite(number)) return 1.0;
  const double power = std::pow(10.0, std::floor(std::log10(number)));
  const double digits = number / power * (1.0 + 1e-9);
  return power * (digits >= 5.0 ? 5.0 : digits >= 2.0 ? 2.0 : 1.0);
}

std::vector<double> ticks(double from, double to, int most) {
  const double range = to - from;
  if (!(range > 0.0) || !std::isfinite(range)) return {};
  double step = round_down(range / most);
  while (range / step >= most) step = round_down(2.5 * step);
  std::vector<double> values;
  for (double k = std::ceil(from / step - 1e-9); k * step <= to + 1e-9 * step; ++k)
    values.push_back(k * step + 0.0);  // no negative zero
  return values;
}

void Marks::dot(double x, double y) {
  path_ += 'M';
  append(path_, x);
  path_ += ' ';
  append(path_, y);
  path_ += "h0";
}

void Marks::bar(double x, double bottom, double top) {
  path_ += 'M';
  append(path_, x);
  path_ += ' ';
  append(path_, bottom);
  path_ += 'V';
  append(path_, top);
}

void Marks::line(double x1, double y1, double x2, double y2) {
  path_ +=
      fmt::format("M{} {}L{} {}", short_number(x1), short_number(y1), short_number(x2), short_number(y2));
}

std::string Marks::element(std::string_view style) const {
  return path_.empty() ? "" : fmt::format(R"(<path class="{}" d="{}"/>)", style, path_);
}

std::string polyline(std::string_view style, const std::vector<std::pair<double, double>>& points) {
  std::string coordinates;
  for (const auto& [x, y] : points) {
    if (!coordinates.empty()) coordinates += ' ';
    append(coordinates, x);
    coordinates += ',';
    append(coordinates, y);
  }
  return fmt::format(R"(<polyline class="{}" points="{}"/>)", style, coordinates);
}

std::string label(double x, double y, std::string_view style, std::string_view text) {
  return fmt::format(R"(<text x="{}" y="{}" class="{}">{}</text>)", short_number(x), short_number(y), style,
                     text);
}

std::string drawing(double width, double height, std::string_view description, std::string_view content) {
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>)",
      short_number(width), short_number(height), description, content);
}

std::string Axes::element() const {
  Marks lines;
  std::string labels;
  lines.line(x.at_from, y.at_from, x.at_to, y.at_from);
  lines.line(x.at_from, y.at_from, x.at_from, y.at_to);
  for (const double value : x_ticks) {
    lines.bar(x(value), y.at_from, y.at_from + tick_length);
    labels += label(x(value), y.at_from + tick_length + label_gap, "below", fmt::format("{:.6g}", value));
  }
  for (const double value : y_ticks) {
    lines.line(x.at_from - tick_length, y(value), x.at_from, y(value));
    labels += label(x.at_from - tick_length - label_gap, y(value), "left", fmt::format("{:.6g}", value));
  }
  if (!x_name.empty()) labels += label(x.at_to, y.at_from + name_below, "end", x_name);
  if (!y_name.empty()) labels += label(x.at_from, y.at_to - label_gap - 2.0, "start", y_name);
  return lines.element("axis") + labels;
}

}  // namespace kokkosort::svg
