// Components and shapes of clips.
#include "detection/waveform_shapes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "detection/generic_clips.hpp"
#include "detection/k_means.hpp"
#include "templates/template_problem.hpp"

namespace kokkosort::test {
namespace {

constexpr std::size_t nt = 61;

class WaveformShapesTest : public testing::Test {
 protected:
  WaveformShapesTest() { RecordProperty("seed", std::to_string(seed)); }

  /// Clips of the universal shapes of spike_pcs, of both signs in turn, with noise.
  HostMatrix<float> draw_clips(std::size_t n, float noise) {
    const PrincipalComponents pcs = spike_pcs();
    std::normal_distribution<float> normal;
    std::uniform_real_distribution<float> size(10.0f, 40.0f);
    const HostMatrix<float> clips("kokkosort::test::clips", n, nt);
    for (std::size_t i = 0; i < n; ++i) {
      const float amplitude = size(random) * (i % 2 == 0 ? 1.0f : -1.0f);
      const std::size_t shape = i / 2 % 2 == 0 ? 0 : 5;
      for (std::size_t t = 0; t < nt; ++t)
        clips(i, t) = amplitude * pcs.wTEMP(shape, t) + noise * normal(random);
    }
    scale_to_unit(clips);
    return clips;
  }

  /// Shapes of as many clusters of the clips.
  HostMatrix<float> shapes_of(const HostMatrix<float>& clips, const HostMatrix<float>& wPCA, std::size_t n,
                              std::uint64_t k_means_seed) {
    const HostPoints points = coefficients(clips, wPCA);
    return frequent_shapes(points, k_means(Kokkos::DefaultExecutionSpace(), points, n, k_means_seed, ledger),
                           wPCA);
  }

  static double dot(const HostMatrix<float>& a, std::size_t i, const HostMatrix<float>& b, std::size_t j) {
    double sum = 0.0;
    for (std::size_t t = 0; t < nt; ++t) sum += static_cast<double>(a(i, t)) * static_cast<double>(b(j, t));
    return sum;
  }

  static constexpr std::uint64_t seed = 431;
  std::mt19937_64 random{seed};
  TransferLedger ledger;
};

TEST_F(WaveformShapesTest, ComponentsAreOrthonormal) {
  const HostMatrix<float> wPCA = principal_components(draw_clips(500, 1.0f), 6);
  for (std::size_t p = 0; p < 6; ++p) {
    for (std::size_t q = 0; q < 6; ++q) EXPECT_NEAR(dot(wPCA, p, wPCA, q), p == q ? 1.0 : 0.0, 1e-6);
    const auto [low, high] = std::minmax_element(&wPCA(p, 0), &wPCA(p, 0) + nt);
    EXPECT_GT(*high, -*low) << "sign of component " << p;
  }
}

/// Of every length a waveform may have, with as many components and shapes as there may be.
TEST_F(WaveformShapesTest, GenericClipsHaveComponentsAndShapes) {
  for (const std::size_t length : {9u, 31u, 61u, 121u}) {
    const auto peak_sample = static_cast<int>(20 * length / 61);
    const HostMatrix<float> clips = generic_clips(length, peak_sample);
    ASSERT_EQ(clips.extent(1), length);
    for (std::size_t i = 0; i < clips.extent(0); ++i) {
      const float* const clip = &clips(i, 0);
      const auto larger = [](float a, float b) { return std::abs(a) < std::abs(b); };
      if (length == 9) continue;  // a sample is longer than a trough
      // A wide hump's rise moves the trough by less than a sample.
      EXPECT_NEAR(static_cast<double>(std::max_element(clip, clip + length, larger) - clip), peak_sample, 1)
          << i;
    }
    scale_to_unit(clips);
    const HostMatrix<float> wPCA = principal_components(clips, std::min<std::size_t>(length, 16));
    for (std::size_t p = 0; p < wPCA.extent(0); ++p)
      for (std::size_t q = 0; q <= p; ++q) {
        double along = 0.0;
        for (std::size_t t = 0; t < length; ++t)
          along += static_cast<double>(wPCA(p, t)) * static_cast<double>(wPCA(q, t));
        EXPECT_NEAR(along, p == q ? 1.0 : 0.0, 1e-5);
      }
    const HostMatrix<float> shapes = shapes_of(clips, wPCA, 32, 1);
    for (std::size_t i = 0; i < shapes.size(); ++i) EXPECT_TRUE(std::isfinite(shapes.data()[i]));
  }
}

/// Six components hold nearly all of a spike.
TEST_F(WaveformShapesTest, GenericComponentsHoldSpikes) {
  const PrincipalComponents pcs = spike_pcs();
  const HostMatrix<float> clips = generic_clips(nt, 20);
  scale_to_unit(clips);
  const HostMatrix<float> wPCA = principal_components(clips, 6);
  for (std::size_t shape = 0; shape < 6; ++shape) {
    double energy = 0.0;
    for (std::size_t p = 0; p < 6; ++p) energy += std::pow(dot(wPCA, p, pcs.wTEMP, shape), 2);
    EXPECT_GT(energy, 0.97) << shape;
  }
}

/// Two shapes and their negatives lie in a plane; no other plane holds as much of the clips.
TEST_F(WaveformShapesTest, ComponentsSpanTheClips) {
  const PrincipalComponents pcs = spike_pcs();
  const HostMatrix<float> clips = draw_clips(2000, 0.1f);
  const HostMatrix<float> wPCA = principal_components(clips, 3);
  for (const std::size_t shape : {0u, 5u}) {
    const double along_0 = dot(wPCA, 0, pcs.wTEMP, shape);
    const double along_1 = dot(wPCA, 1, pcs.wTEMP, shape);
    EXPECT_NEAR(along_0 * along_0 + along_1 * along_1, 1.0, 1e-3);
  }
  double energy[3] = {};
  for (std::size_t i = 0; i < clips.extent(0); ++i)
    for (std::size_t p = 0; p < 3; ++p) energy[p] += std::pow(dot(clips, i, wPCA, p), 2);
  EXPECT_GT(energy[0], energy[1]);
  EXPECT_GT(energy[1], energy[2]);
}

TEST_F(WaveformShapesTest, ShapesArePlantedOnesOfBothSigns) {
  const PrincipalComponents pcs = spike_pcs();
  const HostMatrix<float> clips = draw_clips(2000, 0.3f);
  const HostMatrix<float> wPCA = principal_components(clips, 6);
  const HostMatrix<float> shapes = shapes_of(clips, wPCA, 4, 1);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(dot(shapes, k, shapes, k), 1.0, 1e-6);
  for (const std::size_t planted : {0u, 5u})
    for (const double sign : {1.0, -1.0}) {
      double best = -1.0;
      for (std::size_t k = 0; k < 4; ++k) best = std::max(best, sign * dot(shapes, k, pcs.wTEMP, planted));
      EXPECT_GT(best, 0.998) << planted << ' ' << sign;
    }
}

TEST_F(WaveformShapesTest, SeedsDecideAndRunsDoNot) {
  const HostMatrix<float> clips = draw_clips(600, 3.0f);
  const HostMatrix<float> wPCA = principal_components(clips, 6);
  const auto bytes = [](const HostMatrix<float>& m) {
    return std::vector<float>(m.data(), m.data() + m.size());
  };
  EXPECT_EQ(bytes(shapes_of(clips, wPCA, 6, 1)), bytes(shapes_of(clips, wPCA, 6, 1)));
  EXPECT_NE(bytes(shapes_of(clips, wPCA, 6, 1)), bytes(shapes_of(clips, wPCA, 6, 2)));
}

/// Well apart, they are found exactly; the mean of each is its centre.
TEST_F(WaveformShapesTest, KMeansFindsGroups) {
  constexpr std::size_t groups = 5;
  constexpr std::size_t n = 1003;
  HostPoints points{3, n, std::vector<double>(3 * n)};
  std::normal_distribution<double> normal(0.0, 0.1);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t d = 0; d < 3; ++d)
      points.values[d * n + i] = (i % groups == d       ? 10.0
                                  : i % groups == d + 3 ? -10.0
                                                        : 0.0) +
                                 normal(random);
  const Clusters clusters = k_means(Kokkos::DefaultExecutionSpace(), points, groups, 7, ledger);
  double inertia = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(clusters.label[i], clusters.label[i % groups]);
    for (std::size_t d = 0; d < 3; ++d)
      inertia += std::pow(points.at(d, i) - clusters.centres[clusters.label[i]][d], 2);
  }
  EXPECT_NEAR(clusters.inertia, inertia, 1e-9 * inertia);
  for (std::size_t g = 0; g < groups; ++g) {
    EXPECT_EQ(clusters.size[clusters.label[g]], n / groups + (g < n % groups ? 1 : 0));
    for (std::size_t d = 0; d < 3; ++d) {
      double sum = 0.0;
      for (std::size_t i = g; i < n; i += groups) sum += points.at(d, i);
      EXPECT_NEAR(clusters.centres[clusters.label[g]][d],
                  sum / static_cast<double>(clusters.size[clusters.label[g]]), 1e-12);
    }
  }
}

TEST_F(WaveformShapesTest, KMeansOfIdenticalPoints) {
  const HostPoints points{2, 70, std::vector<double>(140, 0.5)};
  const Clusters clusters = k_means(Kokkos::DefaultExecutionSpace(), points, 3, 1, ledger);
  EXPECT_EQ(clusters.inertia, 0.0);
  for (const auto& centre : clusters.centres) EXPECT_EQ(centre, (std::vector<double>{0.5, 0.5}));
}

/// Opposite clips cancel in one cluster; its shape is still a waveform.
TEST_F(WaveformShapesTest, OneShapeOfOppositeClips) {
  HostMatrix<float> clips("kokkosort::test::clips", 100, nt);
  for (std::size_t i = 0; i < 100; ++i) clips(i, 20) = i % 2 == 0 ? 1.0f : -1.0f;
  const HostMatrix<float> wPCA = principal_components(clips, 1);
  const HostMatrix<float> shapes = shapes_of(clips, wPCA, 1, 1);
  EXPECT_NEAR(dot(shapes, 0, shapes, 0), 1.0, 1e-6);
}

/// The same clip again and again: all clusters but one are empty, and all have its shape.
TEST_F(WaveformShapesTest, ShapesOfOneClipRepeated) {
  const PrincipalComponents pcs = spike_pcs();
  HostMatrix<float> clips("kokkosort::test::clips", 500, nt);
  for (std::size_t i = 0; i < 500; ++i) std::copy_n(&pcs.wTEMP(2, 0), nt, &clips(i, 0));
  scale_to_unit(clips);
  const HostMatrix<float> wPCA = principal_components(clips, 6);
  const HostMatrix<float> shapes = shapes_of(clips, wPCA, 6, 1);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(dot(shapes, k, shapes, k), 1.0, 1e-6) << k;
    EXPECT_NEAR(dot(shapes, k, pcs.wTEMP, 2), 1.0, 1e-6) << k;
  }
}

/// Clips that no component holds have no direction: they must not spoil the others' shapes.
TEST_F(WaveformShapesTest, ClipsOutsideTheComponents) {
  HostMatrix<float> clips("kokkosort::test::clips", 100, nt);
  for (std::size_t i = 0; i < 100; ++i) clips(i, i < 70 ? 20 : 40) = 5.0f;
  scale_to_unit(clips);
  const HostMatrix<float> wPCA = principal_components(clips, 1);
  const HostPoints points = coefficients(clips, wPCA);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_NEAR(points.at(0, i), i < 70 ? 1.0 : 0.0, 1e-12) << i;
  const HostMatrix<float> shapes = shapes_of(clips, wPCA, 2, 1);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(dot(shapes, k, shapes, k), 1.0, 1e-6) << k;
    EXPECT_NEAR(shapes(k, 20), 1.0f, 1e-6f) << k;
  }
}

TEST_F(WaveformShapesTest, ClipsOfZerosStayZeros) {
  const HostMatrix<float> clips("kokkosort::test::clips", 3, nt);
  clips(1, 7) = 2.0f;
  scale_to_unit(clips);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t t = 0; t < nt; ++t) EXPECT_EQ(clips(i, t), i == 1 && t == 7 ? 1.0f : 0.0f);
}

}  // namespace
}  // namespace kokkosort::test
