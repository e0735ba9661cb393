#include "recording/zca.hpp"

// Eigen's own vector code is not worth it for matrices so small, g++ 12 warns of its AVX-512, and nvcc need
// not see it.
#define EIGEN_DONT_VECTORIZE
#define EIGEN_NO_CUDA
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <future>
#include <numeric>
#include <tuple>

namespace kokkosort {
namespace {

/// Of the mean eigenvalue: added to all, so that channels that are nearly the same are not blown up.
constexpr double regularisation = 1e-6;

/// Row `row` of E (D + ε)^(−1/2) Eᵀ, where C = E D Eᵀ.
Eigen::VectorXd zca_row(const Eigen::MatrixXd& covariance, Eigen::Index row) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);
  const double least = regularisation * covariance.trace() / static_cast<double>(covariance.rows());
  const Eigen::ArrayXd variances = solver.eigenvalues().array().max(0.0) + least;
  const Eigen::ArrayXd scaled = solver.eigenvectors().row(row).transpose().array() / variances.sqrt();
  return solver.eigenvectors() * scaled.matrix();
}

void whiten_channel(const HostMatrix<double>& covariance, const std::vector<std::int32_t>& nearest,
                    std::size_t channel, const LocalWhitening& result) {
  const auto n = static_cast<Eigen::Index>(nearest.size());
  const auto at = [&nearest](Eigen::Index i) {
    return static_cast<std::size_t>(nearest[static_cast<std::size_t>(i)]);
  };
  Eigen::MatrixXd local(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j) local(i, j) = covariance(at(i), at(j));
  const Eigen::VectorXd row = zca_row(local, 0);  // its nearest is itself
  for (std::size_t k = 0; k < nearest.size(); ++k) {
    result.neighbours(channel, k) = nearest[k];
    result.weights(channel, k) = row(static_cast<Eigen::Index>(k));
  }
}

}  // namespace

std::vector<std::int32_t> nearest_channels(const Probe& probe, std::size_t channel, std::size_t count,
                                           const std::vector<bool>& live) {
  std::vector<std::int32_t> channels;
  for (std::size_t c = 0; c < probe.x_um.size(); ++c)
    if (live[c]) channels.push_back(static_cast<std::int32_t>(c));
  const auto key = [&probe, channel](std::int32_t other) {
    const auto c = static_cast<std::size_t>(other);
    return std::tuple(c != channel, probe.shank[c] != probe.shank[channel],
                      std::hypot(probe.x_um[c] - probe.x_um[channel], probe.y_um[c] - probe.y_um[channel]),
                      c);
  };
  const std::size_t n = std::min(count, channels.size());
  std::partial_sort(channels.begin(), channels.begin() + static_cast<std::ptrdiff_t>(n), channels.end(),
                    [&key](std::int32_t a, std::int32_t b) { return key(a) < key(b); });
  channels.resize(n);
  return channels;
}

LocalWhitening local_whitening(const Probe& probe, const HostMatrix<double>& covariance,
                               const std::vector<bool>& live, std::size_t count) {
  const std::size_t n_channels = live.size();
  const auto n_live = static_cast<std::size_t>(std::count(live.begin(), live.end(), true));
  const std::size_t k = std::clamp<std::size_t>(count, 1, std::max<std::size_t>(n_live, 1));
  LocalWhitening result;
  result.neighbours = HostMatrix<std::int32_t>("kokkosort::recording::neighbours_on_host", n_channels, k);
  result.weights = HostMatrix<double>("kokkosort::recording::zca_on_host", n_channels, k);

  const auto n_threads = static_cast<std::size_t>(Kokkos::DefaultHostExecutionSpace().concurrency());
  std::vector<std::future<void>> threads;
  for (std::size_t thread = 0; thread < n_threads; ++thread)
    threads.push_back(std::async(std::launch::async, [&, thread] {
      for (std::size_t channel = thread; channel < n_channels; channel += n_threads)
        if (live[channel])
          whiten_channel(covariance, nearest_channels(probe, channel, k, live), channel, result);
        else
          for (std::size_t i = 0; i < k; ++i)
            result.neighbours(channel, i) = static_cast<std::int32_t>(channel);
    }));
  for (std::future<void>& thread : threads) thread.get();
  return result;
}

}  // namespace kokkosort
