#pragma once

#include <vector>

#include "kokkosort/types.hpp"

namespace kokkosort {

/// One product c = aᵀ b of LayoutRight matrices in the memory of Exec; rows may be padded.
template <class Exec>
struct Product {
  MatrixRef<const float, Exec> a;  // [k, m]
  MatrixRef<const float, Exec> b;  // [k, n]
  MatrixRef<float, Exec> c;        // [m, n], overwritten
};

/// Computes products that do not overlap, through the BLAS of the backend (cuBLAS, rocBLAS, host BLAS).
///
/// On a device they are queued on exec one after the other. On the host each is one call of a single-threaded BLAS and
/// the calls are spread over exec's threads, so that a product's rounding does not depend on their number. Very small
/// products take a kernel of our own: KokkosBlas would run them through atomics, and ignores the stride of one column.
///
/// @param exec  not fenced on return
/// @throws std::invalid_argument if the dimensions of a product disagree
template <class Exec>
void multiply_transposed(const Exec& exec, const std::vector<Product<Exec>>& products);

/// The smallest m·n that goes to the BLAS.
inline constexpr std::size_t smallest_blas_product = 128;

}  // namespace kokkosort
