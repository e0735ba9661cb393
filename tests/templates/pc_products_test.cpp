#include "kokkosort/templates/pc_products.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "templates/template_problem.hpp"
#include "templates/waveform_reference.hpp"

namespace kokkosort::test {
namespace {

struct Size {
  std::size_t n_pcs;
  std::size_t nt;
};
constexpr Size sizes[] = {{6, 61}, {3, 61}, {6, 9}, {3, 9}, {1, 2}};

Waveform row(const HostMatrix<float>& rows, std::size_t p) {
  return {&rows(p, 0), &rows(p, 0) + rows.extent(1)};
}

class PcProductsTest : public testing::Test {
 protected:
  PcProductsTest() { RecordProperty("seed", std::to_string(seed)); }
  static constexpr std::uint64_t seed = 101;
  std::mt19937_64 random{seed};
};

TEST_F(PcProductsTest, AsDirectSumsAtAllLags) {
  for (const auto& [n_pcs, nt] : sizes) {
    SCOPED_TRACE(std::to_string(n_pcs) + " components of " + std::to_string(nt) + " samples");
    const HostMatrix<float> wPCA = random_pcs(random, n_pcs, nt).wPCA;
    const HostMatrix<float> products = pc_products(wPCA);
    ASSERT_EQ(products.extent(0), n_pcs * n_pcs);
    ASSERT_EQ(products.extent(1), 2 * nt - 1);
    for (std::size_t p = 0; p < n_pcs; ++p)
      for (std::size_t q = 0; q < n_pcs; ++q)
        for (std::size_t k = 0; k < 2 * nt - 1; ++k) {
          const int lag = static_cast<int>(k) - static_cast<int>(nt) + 1;
          ASSERT_NEAR(products(p * n_pcs + q, k), direct_correlation(row(wPCA, p), row(wPCA, q), lag), 1e-6)
              << p << " " << q << " at " << lag;
        }
  }
}

/// What the components can hold of the moved waveform: its projection on them.
TEST_F(PcProductsTest, CoefficientsAreThoseOfTheMovedWaveform) {
  std::normal_distribution<float> normal;
  for (const auto& [n_pcs, nt] : sizes) {
    const HostMatrix<float> wPCA = random_pcs(random, n_pcs, nt).wPCA;
    const HostMatrix<float> products = pc_products(wPCA);
    std::vector<float> from(n_pcs);
    for (float& value : from) value = 10.0f * normal(random);
    const Waveform wave = direct_waveform(wPCA, from.data());
    const auto length = static_cast<int>(nt);
    for (const int shift : {0, 1, -1, length / 3, -length / 3, length - 1, 1 - length}) {
      SCOPED_TRACE(std::to_string(n_pcs) + " components of " + std::to_string(nt) + " samples, moved by " +
                   std::to_string(shift));
      std::vector<float> to(n_pcs, NAN);
      shift_coefficients(products, shift, n_pcs, from.data(), to.data());
      Waveform moved(nt, 0.0);
      for (int t = 0; t < length; ++t)
        if (t - shift >= 0 && t - shift < length)
          moved[static_cast<std::size_t>(t)] = wave[static_cast<std::size_t>(t - shift)];
      for (std::size_t q = 0; q < n_pcs; ++q) ASSERT_NEAR(to[q], dot(moved, row(wPCA, q)), 2e-5) << q;
    }
  }
}

/// The components need not be orthonormal for their products to be right; nothing is assumed of them.
TEST_F(PcProductsTest, AnyWaveforms) {
  const HostMatrix<float> waves("kokkosort::test::waves", 2, 4);
  const float values[] = {1, 2, 0, -1, 3, 0, 5, 1};
  std::copy_n(values, 8, waves.data());
  const HostMatrix<float> products = pc_products(waves);
  // Row of (0, 1): Σ_t a(t) · b(t + lag), lags −3 … 3.
  const float by_hand[] = {-1 * 3,
                           0 * 3 - 1 * 0,
                           2 * 3 + 0 * 0 - 1 * 5,
                           1 * 3 + 2 * 0 + 0 * 5 - 1 * 1,
                           1 * 0 + 2 * 5 + 0 * 1,
                           1 * 5 + 2 * 1,
                           1 * 1};
  for (std::size_t k = 0; k < 7; ++k) {
    EXPECT_EQ(products(1, k), by_hand[k]) << k;
    EXPECT_EQ(products(2, 6 - k), by_hand[k]) << k;
  }
}

}  // namespace
}  // namespace kokkosort::test
