#pragma once
// Pieces of drawings. Coordinates are written in tenths: reports of many units must stay small.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kokkosort::svg {

/// A coordinate. One that is not finite is written as 0, so that no drawing is broken.
void append(std::string& to, double coordinate);

/// From a quantity to a coordinate. Quantities out of range are drawn at its ends.
struct Scale {
  double from = 0.0;  // range of the quantity
  double to = 1.0;
  double at_from = 0.0;  // where it is drawn
  double at_to = 1.0;

  double operator()(double quantity) const;
};

/// 1, 2 or 5 times a power of ten: the largest that is not above a number; 1 if that is not positive.
double round_down(double number);

/// Round numbers in a range, `most` or a few less.
std::vector<double> ticks(double from, double to, int most);

/// Many small marks as one element.
class Marks {
 public:
  void dot(double x, double y);  // as large as the stroke is wide, if its ends are round
  void bar(double x, double bottom, double top);
  void line(double x1, double y1, double x2, double y2);

  /// Nothing if there is no mark.
  std::string element(std::string_view style) const;

 private:
  std::string path_;
};

/// @param points  x and y of each
std::string polyline(std::string_view style, const std::vector<std::pair<double, double>>& points);

/// @param style  classes of the page's style sheet
/// @param text   escaped
std::string label(double x, double y, std::string_view style, std::string_view text);

/// A whole drawing, as wide as the page lets it be.
/// @param description  escaped; for people who cannot see it
std::string drawing(double width, double height, std::string_view description, std::string_view content);

/// The axes of a drawing: two lines, ticks, their numbers, and what they are of.
struct Axes {
  Scale x;
  Scale y;  // from bottom to top
  std::vector<double> x_ticks;
  std::vector<double> y_ticks;
  std::string_view x_name = "";  // escaped; below the x axis, at its end
  std::string_view y_name = "";  // above the y axis

  std::string element() const;
};

}  // namespace kokkosort::svg
