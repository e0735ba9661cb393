#include <cmath>
#include <cstddef>

#include "kokkosort/templates/learn.hpp"

namespace kokkosort {
namespace {

/// Projections of the components on the universal shapes when they are moved later by each shift.
/// @return [shapes · shifts, pcs]; shifts from first_shift, nt of them
HostMatrix<double> shape_products(const PrincipalComponents& pcs, int first_shift) {
  const auto nt = static_cast<int>(pcs.wPCA.extent(1));
  const std::size_t n_pcs = pcs.wPCA.extent(0);
  const std::size_t n_shapes = pcs.wTEMP.extent(0);
  const HostMatrix<double> products("kokkosort::templates::shape_products",
                                    n_shapes * static_cast<std::size_t>(nt), n_pcs);
  for (std::size_t shape = 0; shape < n_shapes; ++shape)
    for (int i = 0; i < nt; ++i)
      for (std::size_t p = 0; p < n_pcs; ++p) {
        const int shift = first_shift + i;
        double sum = 0.0;
        for (int t = 0; t < nt; ++t)
          if (t - shift >= 0 && t - shift < nt)
            sum += static_cast<double>(pcs.wTEMP(shape, t)) * static_cast<double>(pcs.wPCA(p, t - shift));
        products(shape * static_cast<std::size_t>(nt) + static_cast<std::size_t>(i), p) = sum;
      }
  return products;
}

}  // namespace

std::vector<std::int32_t> alignment_shifts(const PrincipalComponents& pcs,
                                           const HostTensor3<float>& templates) {
  const auto nt = static_cast<int>(pcs.wPCA.extent(1));
  const int first_shift = nt / 2 + 1 - nt;
  const HostMatrix<double> products = shape_products(pcs, first_shift);
  std::vector<std::int32_t> shifts(templates.extent(0), 0);
  for (std::size_t k = 0; k < templates.extent(0); ++k) {
    double largest = 0.0;
    for (std::size_t row = 0; row < products.extent(0); ++row)
      for (std::size_t channel = 0; channel < templates.extent(1); ++channel) {
        double sum = 0.0;
        for (std::size_t p = 0; p < products.extent(1); ++p)
          sum += products(row, p) * static_cast<double>(templates(k, channel, p));
        if (!(std::abs(sum) > largest)) continue;
        largest = std::abs(sum);
        shifts[k] = first_shift + static_cast<std::int32_t>(row) % nt;
      }
  }
  return shifts;
}

}  // namespace kokkosort
