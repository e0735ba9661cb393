// Peaks of single channels and their clips, against plain loops.
#include "detection/isolated_peaks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "execution_spaces.hpp"
#include "host_copies.hpp"
#include "matching/make_traces.hpp"
#include "templates/template_problem.hpp"

namespace kokkosort::test {
namespace {

using Peaks = std::vector<std::pair<std::int64_t, std::int32_t>>;  // sample, channel

Peaks direct_peaks(const Probe& probe, const HostMatrix<float>& traces, const DetectionOptions& options) {
  const auto n = static_cast<std::int64_t>(traces.extent(1));
  const std::int64_t reach = options.nt / 2;
  const auto size = [&](std::size_t c, std::int64_t t) {
    return std::abs(traces(c, static_cast<std::size_t>(t)));
  };
  Peaks peaks;
  for (std::int64_t t = std::max<std::int64_t>(reach, options.peak_sample);
       t < n - std::max<std::int64_t>(reach, options.nt - 1 - options.peak_sample); ++t)
    for (std::size_t c = 0; c < probe.x_um.size(); ++c) {
      bool largest = size(c, t) >= static_cast<float>(options.learning_threshold);
      for (std::size_t other = 0; other < probe.x_um.size() && largest; ++other) {
        if (probe.shank[other] != probe.shank[c] ||
            std::hypot(probe.x_um[other] - probe.x_um[c], probe.y_um[other] - probe.y_um[c]) > 50.0)
          continue;
        for (std::int64_t u = t - reach; u <= t + reach; ++u)
          if (size(other, u) > size(c, t) ||
              (size(other, u) == size(c, t) && (u < t || (u == t && other < c))))
            largest = false;
      }
      if (largest) peaks.emplace_back(t, static_cast<std::int32_t>(c));
    }
  return peaks;
}

template <class Exec>
class IsolatedPeaksTest : public testing::Test {
 protected:
  IsolatedPeaksTest() { RecordProperty("seed", std::to_string(seed)); }

  struct Found {
    Peaks peaks;  // by sample, channel
    std::vector<float> clips;
    std::uint64_t total = 0;
  };

  static Found find(const Probe& probe, const HostMatrix<float>& traces, const DetectionOptions& options,
                    std::size_t room, const Thinning& thinning = {}) {
    const Exec exec;
    TransferLedger ledger;
    const auto on_device = to_device<Exec>(std::vector<float>(traces.data(), traces.data() + traces.size()),
                                           traces.extent(0), traces.extent(1));
    const HostMatrix<std::int32_t> near = channels_near(probe);
    const auto near_on_device = to_device<Exec>(
        std::vector<std::int32_t>(near.data(), near.data() + near.size()), near.extent(0), near.extent(1));
    const std::size_t n_cells = (traces.extent(1) + cell_samples - 1) / cell_samples;
    const Matrix<std::uint32_t, Exec> marks("kokkosort::test::marks", n_cells, traces.extent(0));
    mark_isolated_peaks(exec, on_device, traces.extent(1), near_on_device, options, marks);
    const PeakList<Exec> list = make_peak_list(exec, room);
    Found found;
    found.total = list_peaks(exec, marks, n_cells, 0, 0, thinning, list, ledger);
    const auto kept = static_cast<std::size_t>(
        std::min<std::uint64_t>(room, thinning.kept == thinning.of ? found.total : thinning.kept));
    const Matrix<float, Exec> clips("kokkosort::test::clips", room, static_cast<std::size_t>(options.nt));
    cut_clips(exec, on_device, list, kept, options, clips);
    exec.fence();
    found.clips = to_host(clips);
    for (const FoundPeak& peak : to_host(list.peaks)) found.peaks.emplace_back(peak.sample, peak.site);
    found.peaks.resize(kept);
    return found;
  }

  static constexpr std::uint64_t seed = 421;
  std::mt19937_64 random{seed};
};
TYPED_TEST_SUITE(IsolatedPeaksTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(IsolatedPeaksTest, AsTheReference) {
  const Probe probe = staggered_probe(40);
  DetectionOptions options;
  options.learning_threshold = 3.0;  // of noise alone
  const HostMatrix<float> traces = noise_traces(this->random, 40, 2000);
  auto found = this->find(probe, traces, options, 1000);
  const Peaks expected = direct_peaks(probe, traces, options);
  EXPECT_GT(expected.size(), 50u);
  EXPECT_EQ(found.total, expected.size());
  for (std::size_t i = 0; i < found.peaks.size(); ++i)
    for (std::size_t s = 0; s < 61; ++s)
      EXPECT_EQ(found.clips[i * 61 + s], traces(static_cast<std::size_t>(found.peaks[i].second),
                                                static_cast<std::size_t>(found.peaks[i].first) + s - 20));
  std::sort(found.peaks.begin(), found.peaks.end());
  EXPECT_EQ(found.peaks, expected);
}

/// Traces of few values are full of ties; both signs count.
TYPED_TEST(IsolatedPeaksTest, Ties) {
  const Probe probe = two_shank_probe(10);
  DetectionOptions options;
  options.learning_threshold = 3.0;
  HostMatrix<float> traces = noise_traces(this->random, 10, 3000);
  for (std::size_t i = 0; i < traces.size(); ++i) traces.data()[i] = std::round(traces.data()[i]);
  auto found = this->find(probe, traces, options, 2000);
  std::sort(found.peaks.begin(), found.peaks.end());
  const Peaks expected = direct_peaks(probe, traces, options);
  EXPECT_GT(expected.size(), 20u);
  EXPECT_EQ(found.peaks, expected);
  int negative = 0;
  for (const auto& [sample, channel] : expected)
    negative += traces(static_cast<std::size_t>(channel), static_cast<std::size_t>(sample)) < 0.0f ? 1 : 0;
  EXPECT_GT(negative, 5);
  EXPECT_LT(negative, static_cast<int>(expected.size()) - 5);
}

TYPED_TEST(IsolatedPeaksTest, ShorterThanAWaveform) {
  for (const std::size_t n : {1u, 30u, 60u, 61u, 71u, 72u}) {
    const HostMatrix<float> traces("kokkosort::test::traces", 1, n);
    Kokkos::deep_copy(traces, 10.0f);
    EXPECT_EQ(this->find(linear_probe(1), traces, {}, 10).total, 0u)
        << "the first of equal samples is too near the end";
    if (n > 30) traces(0, 30) = 20.0f;
    EXPECT_EQ(this->find(linear_probe(1), traces, {}, 10).total, n >= 71 ? 1u : 0u) << n;
  }
}

/// As many as were asked for, evenly spread over all.
TYPED_TEST(IsolatedPeaksTest, Thinning) {
  const Probe probe = linear_probe(4);
  DetectionOptions options;
  options.learning_threshold = 2.0;
  const HostMatrix<float> traces = noise_traces(this->random, 4, 5000);
  const auto all = this->find(probe, traces, options, 2000);
  ASSERT_GT(all.total, 60u);
  for (const std::uint64_t kept : {std::uint64_t{1}, std::uint64_t{7}, all.total - 1, all.total}) {
    const auto some = this->find(probe, traces, options, static_cast<std::size_t>(kept), {kept, all.total});
    EXPECT_EQ(some.total, all.total);
    ASSERT_EQ(some.peaks.size(), kept);
    std::size_t last = 0;
    for (std::size_t i = 0; i < kept; ++i) {
      const auto place = std::find(all.peaks.begin(), all.peaks.end(), some.peaks[i]);
      ASSERT_NE(place, all.peaks.end());
      const auto rank = static_cast<std::size_t>(place - all.peaks.begin());
      if (i > 0) {
        EXPECT_GE(rank - last, all.total / kept);
        EXPECT_LE(rank - last, all.total / kept + 1);
      }
      last = rank;
    }
  }
}

}  // namespace
}  // namespace kokkosort::test
