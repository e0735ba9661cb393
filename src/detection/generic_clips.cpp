#include "detection/generic_clips.hpp"

#include <array>
#include <cmath>

namespace kokkosort {
namespace {

constexpr std::array widths_ms{0.05, 0.07, 0.1, 0.14, 0.2};  // standard deviations of a trough
constexpr std::array hump_heights{0.0, 0.2, 0.4, 0.6};       // over the trough's depth
constexpr std::array shifts{-0.4, 0.0, 0.4};                 // samples
constexpr std::array signs{1.0, -1.0};

double gaussian(double x) { return std::exp(-0.5 * x * x); }

/// A trough of depth 1 at time 0.
double spike(double time_ms, double width_ms, double hump_height) {
  constexpr double hump_width = 2.0;  // over the trough's
  constexpr double hump_delay = 4.0;
  return hump_height * gaussian((time_ms / width_ms - hump_delay) / hump_width) -
         gaussian(time_ms / width_ms);
}

}  // namespace

HostMatrix<float> generic_clips(std::size_t nt, int peak_sample) {
  const double ms_per_sample = 2.0 / static_cast<double>(nt - 1);
  const HostMatrix<float> clips("kokkosort::detection::generic_clips",
                                widths_ms.size() * hump_heights.size() * shifts.size() * signs.size(), nt);
  std::size_t clip = 0;
  for (const double width : widths_ms)
    for (const double height : hump_heights)
      for (const double shift : shifts)
        for (const double sign : signs) {
          for (std::size_t t = 0; t < nt; ++t) {
            const double time_ms = (static_cast<double>(t) - peak_sample - shift) * ms_per_sample;
            clips(clip, t) = static_cast<float>(sign * spike(time_ms, width, height));
          }
          ++clip;
        }
  return clips;
}

}  // namespace kokkosort
