#pragma once

#include "kokkosort/types.hpp"

namespace kokkosort {

/// Columns that are whitened at once: the rows of what is whitened must be whole multiples long.
inline constexpr std::size_t whitening_tile = 256;

/// whitened(row, t) = Σ_k weights(row, k) · rows(neighbours(row, k), t), in the order of k.
///
/// @param exec        not fenced on return
/// @param rows        [rows, samples in whole tiles, or more]
/// @param neighbours  [rows, k]
/// @param weights     [rows, k]
/// @param n_samples   of the rows; what `whitened` has beyond becomes zero
/// @param whitened    [rows, at least n_samples]
template <class Exec>
void whiten(const Exec& exec, const MatrixRef<const float, Exec>& rows,
            const Matrix<std::int32_t, Exec>& neighbours, const Matrix<float, Exec>& weights,
            std::size_t n_samples, const MatrixRef<float, Exec>& whitened);

}  // namespace kokkosort
