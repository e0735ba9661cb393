#pragma once

#include <cstddef>
#include <cstdint>

#include "kokkosort/types.hpp"

namespace kokkosort {

/// Sample s of a placed template's waveform on a channel: Σ_p U[channel, p] · wPCA[p, s].
template <class Weights, class Components>
KOKKOS_INLINE_FUNCTION float waveform(const Weights& weights, const Components& wPCA, std::uint32_t channel,
                                      std::size_t unit, std::size_t s) {
  const std::size_t n_pcs = wPCA.extent(0);
  float sum = 0.0f;
  for (std::size_t p = 0; p < n_pcs; ++p) sum += weights(channel * n_pcs + p, unit) * wPCA(p, s);
  return sum;
}

}  // namespace kokkosort
