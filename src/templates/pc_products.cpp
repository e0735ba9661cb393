#include "kokkosort/templates/pc_products.hpp"

#include <algorithm>
#include <cstddef>

namespace kokkosort {

HostMatrix<float> pc_products(const HostMatrix<float>& wPCA) {
  const std::size_t n_pcs = wPCA.extent(0);
  const std::size_t nt = wPCA.extent(1);
  const HostMatrix<float> products("kokkosort::templates::pc_products", n_pcs * n_pcs, 2 * nt - 1);
  for (std::size_t p = 0; p < n_pcs; ++p)
    for (std::size_t q = 0; q < n_pcs; ++q)
      for (std::size_t column = 0; column < 2 * nt - 1; ++column) {
        // Column nt − 1 is lag 0; t runs over the samples at which both components are inside their windows.
        const std::size_t first = column < nt ? nt - 1 - column : 0;
        const std::size_t last = std::min(nt, 2 * nt - 1 - column);
        double sum = 0.0;
        for (std::size_t t = first; t < last; ++t)
          sum += static_cast<double>(wPCA(p, t)) * static_cast<double>(wPCA(q, t + column - (nt - 1)));
        products(p * n_pcs + q, column) = static_cast<float>(sum);
      }
  return products;
}

void shift_coefficients(const HostMatrix<float>& products, int shift, std::size_t n_pcs, const float* from,
                        float* to) {
  const auto nt = static_cast<int>((products.extent(1) + 1) / 2);
  if (shift <= -nt || shift >= nt) {
    std::fill_n(to, n_pcs, 0.0f);
    return;
  }
  // The moved waveform is Σ_p from[p] · wPCA[p, t − shift]; its product with component q is at lag +shift.
  const auto column = static_cast<std::size_t>(shift + nt - 1);
  for (std::size_t q = 0; q < n_pcs; ++q) {
    double sum = 0.0;
    for (std::size_t p = 0; p < n_pcs; ++p)
      sum += static_cast<double>(from[p]) * static_cast<double>(products(p * n_pcs + q, column));
    to[q] = static_cast<float>(sum);
  }
}

}  // namespace kokkosort
