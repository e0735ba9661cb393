#include <cmath>
#include <cstddef>

#include "core/host_loop.hpp"
#include "kokkosort/templates/learn.hpp"
#include "templates/template_energy.hpp"

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

/// @param products  shape_products
std::int32_t alignment_shift(const HostMatrix<double>& products, int nt, const HostTensor3<float>& templates,
                             std::size_t k) {
  const std::vector<std::size_t> channels = channels_of_template(templates, k);
  const int first_shift = nt / 2 + 1 - nt;
  std::int32_t shift = 0;
  double largest = 0.0;
  for (std::size_t row = 0; row < products.extent(0); ++row)
    for (const std::size_t channel : channels) {
      double sum = 0.0;
      for (std::size_t p = 0; p < products.extent(1); ++p)
        sum += products(row, p) * static_cast<double>(templates(k, channel, p));
      if (!(std::abs(sum) > largest)) continue;
      largest = std::abs(sum);
      shift = first_shift + static_cast<std::int32_t>(row) % nt;
    }
  return shift;
}

}  // namespace

std::vector<std::int32_t> alignment_shifts(const PrincipalComponents& pcs,
                                           const HostTensor3<float>& templates) {
  const auto nt = static_cast<int>(pcs.wPCA.extent(1));
  const HostMatrix<double> products = shape_products(pcs, nt / 2 + 1 - nt);
  std::vector<std::int32_t> shifts(templates.extent(0), 0);
  host_loop("templates::alignment", shifts.size(),
            [&](const std::size_t k) { shifts[k] = alignment_shift(products, nt, templates, k); });
  return shifts;
}

}  // namespace kokkosort
