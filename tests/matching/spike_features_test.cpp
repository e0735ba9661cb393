// Features of matched spikes, and where they are said to be.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "matching/match_problem.hpp"

namespace kokkosort::test {
namespace {

template <class Exec>
class SpikeFeaturesTest : public testing::Test {
 protected:
  SpikeFeaturesTest() { RecordProperty("seed", std::to_string(seed)); }

  std::vector<std::int16_t> busy_samples(std::size_t n_samples) {
    const HostMatrix<float> traces = noise_traces(random, problem.n_channels(), n_samples);
    const auto last = static_cast<std::int64_t>(n_samples);
    add_spikes(direct_waveforms(problem),
               random_spikes(random, problem.n_templates(), n_samples / 20, 0, last), problem.nt(), traces);
    return stored_samples<std::int16_t>(traces);
  }

  Matching match(const std::vector<std::int16_t>& samples, const MatchingOptions& options,
                 const Exec& exec = Exec()) {
    TransferLedger ledger;
    return match_samples<Exec>(problem, samples, options, ledger, test_scale, exec);
  }

  /// Features by the definition, from the traces less all spikes.
  std::vector<double> direct_features(const std::vector<std::int16_t>& samples,
                                      const Matching& matching) const {
    const int nt = problem.nt();
    const std::size_t n_channels = problem.n_channels();
    const auto n = static_cast<std::int64_t>(samples.size() / n_channels);
    const std::int64_t margin = 2 * nt;
    std::vector<Waveform> residual(n_channels, Waveform(static_cast<std::size_t>(n + 2 * margin)));
    for (std::size_t c = 0; c < n_channels; ++c)
      for (std::int64_t t = 0; t < n; ++t)
        residual[c][static_cast<std::size_t>(t + margin)] =
            test_scale * samples[static_cast<std::size_t>(t) * n_channels + c];
    const auto waves = direct_waveforms(problem);
    const auto spikes = [&](std::size_t i) {  // first sample of the waveform
      return static_cast<std::size_t>(matching.sample[i] - problem.pcs.peak_sample + margin);
    };
    for (std::size_t i = 0; i < matching.n_spikes(); ++i)
      for (std::size_t c = 0; c < n_channels; ++c) {
        const Waveform& wave = waves[static_cast<std::size_t>(matching.unit[i])][c];
        for (std::size_t s = 0; s < wave.size(); ++s)
          residual[c][spikes(i) + s] -= double{matching.amplitude[i]} * wave[s];
      }
    std::vector<double> features;
    for (std::size_t i = 0; i < matching.n_spikes(); ++i) {
      const auto unit = static_cast<std::size_t>(matching.unit[i]);
      for (std::size_t row = 0; row < matching.centres.channels.extent(1); ++row) {
        const auto c = static_cast<std::size_t>(matching.centres.channels(unit, row));
        for (std::size_t p = 0; p < problem.n_pcs(); ++p) {
          double sum = double{matching.amplitude[i]} * problem.templates(unit, c, p);
          for (int s = 0; s < nt; ++s)
            sum += problem.pcs.wPCA(p, static_cast<std::size_t>(s)) *
                   residual[c][spikes(i) + static_cast<std::size_t>(s)];
          features.push_back(sum);
        }
      }
    }
    return features;
  }

  static constexpr std::uint64_t seed = 341;
  std::mt19937_64 random{seed};
  const TemplateProblem problem =
      random_problem(random, shuffle_channels(random, staggered_probe(24)), spike_pcs(), 15);
};
TYPED_TEST_SUITE(SpikeFeaturesTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(SpikeFeaturesTest, AreTheResidualsPlusTheTemplates) {
  const auto samples = this->busy_samples(8000);
  for (const int rows : {10, 1, 24}) {
    SCOPED_TRACE(std::to_string(rows) + " channels");
    MatchingOptions options;
    options.feature_channels = rows;
    const Matching matching = this->match(samples, options);
    EXPECT_GT(matching.n_spikes(), 200u);
    const std::vector<double> expected = this->direct_features(samples, matching);
    ASSERT_EQ(matching.features.size(), expected.size());
    ASSERT_EQ(matching.features.size(), matching.n_spikes() * static_cast<std::size_t>(rows) * 6);
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(matching.features.data()[i], expected[i], 1e-3) << i;
  }
}

/// In windows, too. A spike behind a seam that overlaps one before it is found in both windows, in the second
/// with the other already taken out, and so at times with another amplitude.
TYPED_TEST(SpikeFeaturesTest, OfSpikesNearSeams) {
  const auto samples = this->busy_samples(20000);
  MatchingOptions options;
  options.window_samples = 1000;
  const Matching matching = this->match(samples, options);
  EXPECT_EQ(matching.windows, 20);
  const std::vector<double> expected = this->direct_features(samples, matching);
  ASSERT_EQ(matching.features.size(), expected.size());
  std::size_t differ = 0;
  double largest = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference = std::abs(matching.features.data()[i] - expected[i]);
    differ += difference > 1e-3 ? 1 : 0;
    largest = std::max(largest, difference);
  }
  std::cout << TypeParam::name() << ": " << differ << " of " << expected.size()
            << " features differ by more than 0.001 at seams, by " << largest << " at most\n";
  EXPECT_LE(differ, expected.size() / 100);
}

/// The largest channel, then the nearest, those of its shank first, ties to the smaller channel.
TYPED_TEST(SpikeFeaturesTest, Centres) {
  const Probe probe = shuffle_channels(this->random, two_shank_probe(18));
  const TemplateProblem two_shanks = random_problem(this->random, probe, spike_pcs(), 20);
  for (const int rows : {1, 5, 10, 14, 30}) {
    const DetectionCentres centres = template_centres(probe, two_shanks.templates, rows);
    const auto n_rows = static_cast<std::size_t>(std::min(rows, 18));
    ASSERT_EQ(centres.channels.extent(0), 20u);
    ASSERT_EQ(centres.channels.extent(1), n_rows);
    for (std::size_t k = 0; k < 20; ++k) {
      std::vector<double> energy(18, 0.0);
      for (std::size_t c = 0; c < 18; ++c)
        for (std::size_t p = 0; p < 6; ++p)
          energy[c] += double{two_shanks.templates(k, c, p)} * two_shanks.templates(k, c, p);
      const auto largest =
          static_cast<std::size_t>(std::max_element(energy.begin(), energy.end()) - energy.begin());
      EXPECT_EQ(centres.x_um[k], probe.x_um[largest]);
      EXPECT_EQ(centres.y_um[k], probe.y_um[largest]);
      std::vector<bool> taken(18, false);
      for (std::size_t row = 0; row < n_rows; ++row) {
        std::size_t next = 18;
        double least = 1e9;
        for (std::size_t c = 0; c < 18; ++c) {
          const double far =
              std::hypot(probe.x_um[c] - probe.x_um[largest], probe.y_um[c] - probe.y_um[largest]) +
              (probe.shank[c] != probe.shank[largest] ? 1e6 : 0.0);
          if (!taken[c] && far < least) {
            least = far;
            next = c;
          }
        }
        taken[next] = true;
        ASSERT_EQ(centres.channels(k, row), static_cast<std::int32_t>(next))
            << "template " << k << " row " << row;
      }
    }
  }
}

void expect_same_bytes(const Matching& a, const Matching& b) {
  EXPECT_EQ(a.sample, b.sample);
  EXPECT_EQ(a.unit, b.unit);
  ASSERT_EQ(a.amplitude.size(), b.amplitude.size());
  for (std::size_t i = 0; i < a.amplitude.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint32_t>(a.amplitude[i]), std::bit_cast<std::uint32_t>(b.amplitude[i]))
        << i;
  ASSERT_EQ(a.features.size(), b.features.size());
  for (std::size_t i = 0; i < a.features.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint32_t>(a.features.data()[i]),
              std::bit_cast<std::uint32_t>(b.features.data()[i]))
        << i;
}

TYPED_TEST(SpikeFeaturesTest, TwoRunsGiveTheSameBytes) {
  const auto samples = this->busy_samples(10000);
  MatchingOptions options;
  options.window_samples = 3000;
  const Matching once = this->match(samples, options);
  EXPECT_GT(once.n_spikes(), 300u);
  expect_same_bytes(once, this->match(samples, options));
}

/// An instance of fewer threads, or another stream.
TYPED_TEST(SpikeFeaturesTest, InstancesOfOneSpaceGiveTheSameBytes) {
  using namespace Kokkos::Experimental;  // where partition_space is in Kokkos 4
  using namespace Kokkos;
  if (runs_on_host<TypeParam> && TypeParam().concurrency() < 2)
    GTEST_SKIP() << TypeParam::name() << " has one thread: nothing to divide";
  const auto samples = this->busy_samples(10000);
  const Matching once = this->match(samples, {});
  const std::vector<TypeParam> parts = partition_space(TypeParam(), 1, 1);
  expect_same_bytes(once, this->match(samples, {}, parts[0]));
}

}  // namespace
}  // namespace kokkosort::test
