#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kokkosort/templates/placed_templates.hpp"

namespace kokkosort {

/// The channels that the footprints of consecutive templates [first, last) span.
inline PlaceRange span_of(const std::vector<PlaceRange>& footprints, std::size_t first, std::size_t last) {
  PlaceRange span = footprints[first];
  for (std::size_t i = first; i < last; ++i) {
    span.first = std::min(span.first, footprints[i].first);
    span.last = std::max(span.last, footprints[i].last);
  }
  return span;
}

}  // namespace kokkosort
