#include "kokkosort/linalg/products.hpp"

#include <KokkosBlas3_gemm.hpp>
#include <KokkosBlas_Host_tpl.hpp>

#include <stdexcept>

#include "core/instantiate.hpp"

#if defined(KOKKOSORT_HAVE_OPENBLAS)
extern "C" void openblas_set_num_threads(int);
#endif

namespace kokkosort {
namespace {

template <class Exec>
void check(const Product<Exec>& product) {
  const auto& [a, b, c] = product;
  if (a.extent(0) != b.extent(0) || a.extent(1) != c.extent(0) || b.extent(1) != c.extent(1))
    throw std::invalid_argument("multiply_transposed: dimensions disagree");
}

#if defined(KOKKOSORT_HAVE_BLAS)
constexpr bool host_blas_linked = true;
#else
constexpr bool host_blas_linked = false;  // products on the host take our own kernel then
#endif

template <class Exec>
bool suits_blas(const Product<Exec>& product) {
  if (runs_on_host<Exec> && !host_blas_linked) return false;
  const std::size_t m = product.c.extent(0);
  const std::size_t n = product.c.extent(1);
  return m > 1 && n > 1 && m * n >= smallest_blas_product && product.a.extent(0) > 0;
}

template <class Exec>
void multiply_small(const Exec& exec, const Product<Exec>& product) {
  const MatrixRef<const float, Exec> a = product.a;
  const MatrixRef<const float, Exec> b = product.b;
  const MatrixRef<float, Exec> c = product.c;
  Kokkos::parallel_for(
      "kokkosort::linalg::multiply_small",
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>(exec, {0, 0}, {c.extent(0), c.extent(1)}),
      KOKKOS_LAMBDA(const std::size_t i, const std::size_t j) {
        float sum = 0.0f;
        for (std::size_t k = 0; k < a.extent(0); ++k) sum += a(k, i) * b(k, j);
        c(i, j) = sum;
      });
}

void use_one_blas_thread() {
#if defined(KOKKOSORT_HAVE_OPENBLAS)
  openblas_set_num_threads(1);
#endif
}

/// One call of the host BLAS, through Kokkos Kernels' binding. KokkosBlas::gemm itself may not be called here, inside a
/// kernel: it opens a profiling region, at which a loaded Kokkos tool fences, and the kernel would wait for itself.
/// The BLAS is column-major and so sees all three matrices transposed.
template <class Exec>
void multiply_on_host(const Product<Exec>& product) {
  const auto size = [](std::size_t n) { return static_cast<int>(n); };
  const MatrixRef<const float, Exec>& a = product.a;
  const MatrixRef<const float, Exec>& b = product.b;
  const MatrixRef<float, Exec>& c = product.c;
  KokkosBlas::Impl::HostBlas<float>::gemm('N', 'T', size(c.extent(1)), size(c.extent(0)), size(a.extent(0)), 1.0f,
                                          b.data(), size(b.stride(0)), a.data(), size(a.stride(0)), 0.0f, c.data(),
                                          size(c.stride(0)));
}

template <class Exec>
void multiply_large(const Exec& exec, const std::vector<Product<Exec>>& products) {
  if constexpr (runs_on_host<Exec> && !host_blas_linked) {
    return;
  } else if constexpr (runs_on_host<Exec>) {
    use_one_blas_thread();
    Kokkos::parallel_for(
        "kokkosort::linalg::multiply_large",
        Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>>(exec, 0, products.size()).set_chunk_size(1),
        [&products](const std::size_t i) { multiply_on_host<Exec>(products[i]); });
  } else {
    for (const Product<Exec>& product : products)
      KokkosBlas::gemm(exec, "T", "N", 1.0f, product.a, product.b, 0.0f, product.c);
  }
}

}  // namespace

template <class Exec>
void multiply_transposed(const Exec& exec, const std::vector<Product<Exec>>& products) {
  std::vector<Product<Exec>> large;
  for (const Product<Exec>& product : products) {
    check(product);
    if (suits_blas(product))
      large.push_back(product);
    else
      multiply_small(exec, product);
  }
  multiply_large(exec, large);
}

#define INSTANTIATE(Exec) template void multiply_transposed(const Exec&, const std::vector<Product<Exec>>&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
