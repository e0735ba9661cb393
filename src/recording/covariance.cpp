#include "recording/covariance.hpp"

#include <algorithm>
#include <vector>

#include "core/instantiate.hpp"
#include "kokkosort/linalg/products.hpp"

namespace kokkosort {
namespace {

constexpr std::size_t chunk_samples = 4096;  // that are summed in f32

std::size_t chunks_of(std::size_t n_samples) { return (n_samples + chunk_samples - 1) / chunk_samples; }

template <class Exec>
void add_chunks(const Exec& exec, const Vector<float, Exec>& products, std::size_t n_chunks,
                const Matrix<double, Exec>& sums) {
  const std::size_t n = sums.extent(0);
  Kokkos::parallel_for(
      "kokkosort::recording::add_products", Kokkos::RangePolicy<Exec>(exec, 0, n * n),
      KOKKOS_LAMBDA(const std::size_t pair) {
        double sum = sums(pair / n, pair % n);
        for (std::size_t chunk = 0; chunk < n_chunks; ++chunk)
          sum += static_cast<double>(products(chunk * n * n + pair));
        sums(pair / n, pair % n) = sum;
      });
}

}  // namespace

template <class Exec>
Covariance<Exec>::Covariance(const Exec& exec, std::size_t n_channels, std::size_t longest_window)
    : n_channels_(n_channels),
      products_(unfilled(exec, "kokkosort::recording::products"),
                chunks_of(longest_window) * n_channels * n_channels),
      sums_(unfilled(exec, "kokkosort::recording::covariance"), n_channels, n_channels) {
  Kokkos::deep_copy(exec, sums_, 0.0);
}

template <class Exec>
void Covariance<Exec>::add(const Exec& exec, const SampleRows<Exec>& rows, SampleRange window) {
  std::vector<Product<Exec>> products;
  for (std::size_t first = 0; first < window.size(); first += chunk_samples) {
    const std::size_t row = static_cast<std::size_t>(window.first - rows.range.first) + first;
    const MatrixRef<const float, Exec> chunk(rows.values.data() + row * n_channels_,
                                             std::min(chunk_samples, window.size() - first), n_channels_);
    const MatrixRef<float, Exec> product(products_.data() + products.size() * n_channels_ * n_channels_,
                                         n_channels_, n_channels_);
    products.push_back({chunk, chunk, product});
  }
  multiply_transposed(exec, products);
  add_chunks(exec, products_, products.size(), sums_);
  n_samples_ += window.size();
}

template <class Exec>
HostMatrix<double> Covariance<Exec>::mean(const Exec& exec, const std::string& stage,
                                          TransferLedger& ledger) const {
  const HostMatrix<double> mean("kokkosort::recording::covariance_on_host", n_channels_, n_channels_);
  copy_down(exec, ledger, stage, "covariance", mean, sums_);
  for (std::size_t i = 0; i < mean.size(); ++i) mean.data()[i] /= static_cast<double>(n_samples_);
  return mean;
}

template <class Exec>
std::size_t Covariance<Exec>::device_bytes(std::size_t n_channels, std::size_t longest_window) {
  return (sizeof(float) * chunks_of(longest_window) + sizeof(double)) * n_channels * n_channels;
}

#define INSTANTIATE(Exec) template class Covariance<Exec>;
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
