// The host's part of whitening: nearest channels, and rows of ZCA matrices.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "recording/correlated_noise.hpp"
#include "recording/zca.hpp"

namespace kokkosort::test {
namespace {

HostMatrix<double> random_covariance(std::mt19937_64& random, std::size_t n) {
  std::normal_distribution<double> normal;
  std::vector<double> mix(n * 2 * n);
  for (double& value : mix) value = normal(random);
  const HostMatrix<double> covariance("kokkosort::test::covariance", n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < 2 * n; ++k) covariance(i, j) += mix[i * 2 * n + k] * mix[j * 2 * n + k];
  return covariance;
}

HostMatrix<double> product(const HostMatrix<double>& a, const HostMatrix<double>& b) {
  const HostMatrix<double> c("kokkosort::test::product", a.extent(0), b.extent(1));
  for (std::size_t i = 0; i < c.extent(0); ++i)
    for (std::size_t j = 0; j < c.extent(1); ++j)
      for (std::size_t k = 0; k < b.extent(0); ++k) c(i, j) += a(i, k) * b(k, j);
  return c;
}

/// [channels, channels]
HostMatrix<double> dense(const LocalWhitening& whitening) {
  const std::size_t n = whitening.weights.extent(0);
  const HostMatrix<double> matrix("kokkosort::test::dense", n, n);
  for (std::size_t c = 0; c < n; ++c)
    for (std::size_t k = 0; k < whitening.weights.extent(1); ++k)
      matrix(c, static_cast<std::size_t>(whitening.neighbours(c, k))) += whitening.weights(c, k);
  return matrix;
}

constexpr std::uint64_t seed = 631;

/// With all channels neighbours: W is symmetric, and W C W the identity. Both together are C^(−1/2) alone.
TEST(LocalWhiteningTest, IsTheInverseRootOfTheCovariance) {
  std::mt19937_64 random(seed);
  for (const std::size_t n : {1u, 2u, 7u, 32u}) {
    const Probe probe = shanks_probe(1, n);
    const auto covariance = random_covariance(random, n);
    const auto w = dense(local_whitening(probe, covariance, std::vector<bool>(n, true), 32));
    const auto identity = product(product(w, covariance), w);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        EXPECT_NEAR(w(i, j), w(j, i), 1e-9);
        EXPECT_NEAR(identity(i, j), i == j ? 1.0 : 0.0, 1e-3);
      }
  }
}

/// A channel's row is that of the ZCA matrix of its neighbours alone.
TEST(LocalWhiteningTest, RowsAreLocal) {
  std::mt19937_64 random(seed + 1);
  const Probe probe = shanks_probe(2, 12);
  std::vector<bool> live(24, true);
  live[3] = live[20] = false;
  const auto covariance = random_covariance(random, 24);
  const LocalWhitening whitening = local_whitening(probe, covariance, live, 6);
  ASSERT_EQ(whitening.weights.extent(1), 6u);
  for (std::size_t c = 0; c < 24; ++c) {
    if (!live[c]) {
      for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(whitening.weights(c, k), 0.0);
      continue;
    }
    const auto nearest = nearest_channels(probe, c, 6, live);
    const HostMatrix<double> local("kokkosort::test::local", 6, 6);
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j)
        local(i, j) = covariance(static_cast<std::size_t>(nearest[i]), static_cast<std::size_t>(nearest[j]));
    double variance = 0.0;
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(whitening.neighbours(c, i), nearest[i]);
      for (std::size_t j = 0; j < 6; ++j)
        variance += whitening.weights(c, i) * local(i, j) * whitening.weights(c, j);
    }
    EXPECT_NEAR(variance, 1.0, 1e-4) << c;
  }
}

TEST(LocalWhiteningTest, NearestChannels) {
  const Probe probe = shanks_probe(2, 6);  // 0 1 / 2 3 / 4 5, 250 µm on 6 7 / 8 9 / 10 11
  std::vector<bool> live(12, true);
  EXPECT_EQ(nearest_channels(probe, 2, 5, live), (std::vector<std::int32_t>{2, 0, 4, 3, 1}));
  EXPECT_EQ(nearest_channels(probe, 2, 8, live), (std::vector<std::int32_t>{2, 0, 4, 3, 1, 5, 8, 6}));
  live[0] = live[8] = false;
  EXPECT_EQ(nearest_channels(probe, 2, 8, live), (std::vector<std::int32_t>{2, 4, 3, 1, 5, 6, 10, 9}));
  EXPECT_EQ(nearest_channels(probe, 2, 40, live).size(), 10u);
}

/// Two channels at one place: each is itself, none the other.
TEST(LocalWhiteningTest, ContactsAtOnePlaceKeepThemselves) {
  Probe probe = shanks_probe(1, 4);
  probe.x_um.assign(4, 0.0);
  probe.y_um.assign(4, 0.0);
  for (std::size_t c = 0; c < 4; ++c)
    EXPECT_EQ(nearest_channels(probe, c, 1, std::vector<bool>(4, true)),
              std::vector<std::int32_t>{static_cast<std::int32_t>(c)});
}

/// Two channels with the same signal: the weights stay finite.
TEST(LocalWhiteningTest, TwinsAreFinite) {
  const HostMatrix<double> covariance("kokkosort::test::covariance", 2, 2);
  Kokkos::deep_copy(covariance, 9.0);
  const auto w = dense(local_whitening(shanks_probe(1, 2), covariance, {true, true}, 32));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_LT(std::abs(w.data()[i]), 1e3);
  EXPECT_NEAR(w(0, 0) + w(0, 1), 1.0 / std::sqrt(2.0 * 9.0), 1e-4);
}

}  // namespace
}  // namespace kokkosort::test
