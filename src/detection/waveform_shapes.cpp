#include "detection/waveform_shapes.hpp"

// g++ 12 warns of Eigen's AVX-512, and nvcc need not see Eigen.
#define EIGEN_DONT_VECTORIZE
#define EIGEN_NO_CUDA
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/host_loop.hpp"

namespace kokkosort {
namespace {

constexpr std::size_t block_clips = 1024;  // whose sums do not depend on the number of threads

/// Zeros stay what they are.
template <class Values>
void scale_to_norm_1(Values* values, std::size_t n) {
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  if (!(sum > 0.0)) return;
  const double norm = std::sqrt(sum);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<Values>(static_cast<double>(values[i]) / norm);
}

/// Σ over some clips of clip · clipᵀ, the lower triangle.
Eigen::MatrixXd second_moments(const HostMatrix<float>& clips, std::size_t first, std::size_t last) {
  const auto nt = static_cast<Eigen::Index>(clips.extent(1));
  Eigen::MatrixXd moments = Eigen::MatrixXd::Zero(nt, nt);
  Eigen::VectorXd clip(nt);
  for (std::size_t i = first; i < last; ++i) {
    for (Eigen::Index t = 0; t < nt; ++t)
      clip(t) = static_cast<double>(clips(i, static_cast<std::size_t>(t)));
    for (Eigen::Index t = 0; t < nt; ++t) moments.col(t).tail(nt - t) += clip(t) * clip.tail(nt - t);
  }
  return moments;
}

/// Likewise of all clips.
Eigen::MatrixXd second_moments(const HostMatrix<float>& clips) {
  std::vector<Eigen::MatrixXd> of_block((clips.extent(0) + block_clips - 1) / block_clips);
  host_blocks(
      "detection::second_moments", clips.extent(0),
      [&](std::size_t first, std::size_t last) {
        of_block[first / block_clips] = second_moments(clips, first, last);
      },
      block_clips);
  const auto nt = static_cast<Eigen::Index>(clips.extent(1));
  Eigen::MatrixXd moments = Eigen::MatrixXd::Zero(nt, nt);
  for (const Eigen::MatrixXd& some : of_block) moments += some;
  return moments;
}

bool is_nothing(const std::vector<double>& point) {
  return !(std::inner_product(point.begin(), point.end(), point.begin(), 0.0) > 1e-12);
}

/// A cluster's centre, or where opposite points cancel its first point; where that is zero too, as of clips
/// that no component holds, the first component.
std::vector<double> direction(const HostPoints& points, const Clusters& clusters, std::uint32_t k) {
  std::vector<double> centre = clusters.centres[k];
  const auto first = std::find(clusters.label.begin(), clusters.label.end(), k);
  if (is_nothing(centre) && first != clusters.label.end())
    for (std::size_t dim = 0; dim < points.n_dims; ++dim)
      centre[dim] = points.at(dim, static_cast<std::size_t>(first - clusters.label.begin()));
  if (is_nothing(centre)) centre[0] = 1.0;
  return centre;
}

/// The waveform of norm 1 that has such coefficients, but for their scale.
void set_waveform(const std::vector<double>& coefficients, const HostMatrix<float>& wPCA, float* to) {
  for (std::size_t t = 0; t < wPCA.extent(1); ++t) {
    double sum = 0.0;
    for (std::size_t p = 0; p < wPCA.extent(0); ++p) sum += coefficients[p] * static_cast<double>(wPCA(p, t));
    to[t] = static_cast<float>(sum);
  }
  scale_to_norm_1(to, wPCA.extent(1));
}

}  // namespace

void scale_to_unit(const HostMatrix<float>& clips) {
  host_blocks("detection::scale_clips", clips.extent(0), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) scale_to_norm_1(&clips(i, 0), clips.extent(1));
  });
}

HostMatrix<float> principal_components(const HostMatrix<float>& clips, std::size_t n_pcs) {
  const std::size_t nt = clips.extent(1);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(second_moments(clips));
  const HostMatrix<float> wPCA("kokkosort::detection::wPCA_on_host", n_pcs, nt);
  for (std::size_t p = 0; p < n_pcs; ++p) {
    // In order of growing eigenvalues.
    Eigen::VectorXd vector = solver.eigenvectors().col(static_cast<Eigen::Index>(nt - 1 - p));
    Eigen::Index largest = 0;
    vector.cwiseAbs().maxCoeff(&largest);
    if (vector(largest) < 0.0) vector = -vector;
    for (std::size_t t = 0; t < nt; ++t)
      wPCA(p, t) = static_cast<float>(vector(static_cast<Eigen::Index>(t)));
  }
  return wPCA;
}

HostPoints coefficients(const HostMatrix<float>& clips, const HostMatrix<float>& wPCA) {
  HostPoints points{wPCA.extent(0), clips.extent(0), {}};
  points.values.resize(points.n_dims * points.n);
  host_blocks("detection::coefficients", points.n, [&](std::size_t first, std::size_t last) {
    std::vector<double> of_clip(points.n_dims);
    for (std::size_t i = first; i < last; ++i) {
      for (std::size_t p = 0; p < points.n_dims; ++p) {
        of_clip[p] = 0.0;
        for (std::size_t t = 0; t < clips.extent(1); ++t)
          of_clip[p] += static_cast<double>(wPCA(p, t)) * static_cast<double>(clips(i, t));
      }
      scale_to_norm_1(of_clip.data(), of_clip.size());
      for (std::size_t p = 0; p < points.n_dims; ++p) points.values[p * points.n + i] = of_clip[p];
    }
  });
  return points;
}

HostMatrix<float> frequent_shapes(const HostPoints& coefficients, const Clusters& clusters,
                                  const HostMatrix<float>& wPCA) {
  const std::size_t n_shapes = clusters.centres.size();
  std::vector<std::size_t> order(n_shapes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return clusters.size[a] > clusters.size[b]; });
  const HostMatrix<float> shapes("kokkosort::detection::wTEMP_on_host", n_shapes, wPCA.extent(1));
  for (std::size_t k = 0; k < n_shapes; ++k)
    set_waveform(direction(coefficients, clusters, static_cast<std::uint32_t>(order[k])), wPCA,
                 &shapes(k, 0));
  return shapes;
}

}  // namespace kokkosort
