#pragma once

#include <cstddef>

#include "kokkosort/types.hpp"

namespace kokkosort {

/// Products of the principal components with each other at every lag at which they meet.
///
/// @param wPCA  [pcs, nt]
/// @return [pcs · pcs, 2 nt − 1]; row p · pcs + q, column lag + nt − 1 is Σ_t wPCA[p, t] · wPCA[q, t + lag]
HostMatrix<float> pc_products(const HostMatrix<float>& wPCA);

/// Moves one channel's waveform, given by its coefficients, later by `shift` samples, as far as the
/// components hold it. What leaves the window of nt samples is lost.
///
/// @param products  pc_products(wPCA)
/// @param from, to  [n_pcs], not the same
void shift_coefficients(const HostMatrix<float>& products, int shift, std::size_t n_pcs, const float* from,
                        float* to);

}  // namespace kokkosort
