#include "kokkosort/templates/learn.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"
#include "templates/cluster_problem.hpp"
#include "templates/waveform_reference.hpp"

namespace kokkosort::test {
namespace {

constexpr std::size_t n_channels = 12;
constexpr std::size_t n_pcs = 6;

using Numbers = std::vector<std::int32_t>;

/// Largest correlation of two clusters' means at any lag, over their norms.
double likeness(const ClusteredSpikes& clustered, std::size_t a, std::size_t b) {
  const TemplateProblem problem{clustered.spikes.probe, clustered.spikes.pcs, clustered.means};
  const auto waves = direct_waveforms(problem);
  const auto energy = direct_energy(problem.templates);
  double largest = 0.0;
  for (int lag = 1 - problem.nt(); lag < problem.nt(); ++lag)
    largest =
        std::max(largest, direct_correlation(waves[a], waves[b], lag) / std::sqrt(energy[a] * energy[b]));
  return largest;
}

template <class Exec>
class LearnTest : public testing::Test {
 protected:
  LearnTest() { RecordProperty("seed", std::to_string(seed)); }

  std::vector<float> neuron(std::size_t place, double length = 25.0) {
    return central_neuron(random, pcs, n_channels, place, length);
  }
  ClusteredSpikes record(const std::vector<ClusterOfSpikes>& clusters) {
    return record_clusters(random, pcs, n_channels, 10, clusters);
  }
  LearnedTemplates learn(const ClusteredSpikes& clustered, const TemplateOptions& options = {}) {
    return learn_templates(Exec(), clustered.spikes, clustered.labels, clustered.means, options, ledger);
  }
  /// A neuron that differs from another by so many sigma.
  std::vector<float> unlike(std::vector<float> other, double distance) {
    std::vector<float> change(other.size());
    draw_template(random, linear_probe(n_channels), 5, n_pcs, 50.0, distance, change.data());
    for (std::size_t i = 0; i < other.size(); ++i) other[i] += change[i];
    return other;
  }

  static void expect_template(const LearnedTemplates& learned, std::size_t k,
                              const std::vector<double>& expected) {
    for (std::size_t c = 0; c < n_channels; ++c)
      for (std::size_t p = 0; p < n_pcs; ++p)
        ASSERT_NEAR(learned.templates(k, c, p), expected[c * n_pcs + p], 1e-4)
            << "channel " << c << " pc " << p;
  }
  /// Σ weight · mean over clusters.
  static std::vector<double> weighted(const HostTensor3<float>& means, const std::vector<double>& weights) {
    std::vector<double> sum(n_channels * n_pcs, 0.0);
    for (std::size_t unit = 0; unit < weights.size(); ++unit)
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weights[unit] * (&means(unit, 0, 0))[i];
    return sum;
  }

  static constexpr std::uint64_t seed = 141;
  std::mt19937_64 random{seed};
  const PrincipalComponents pcs = spike_pcs();
  TransferLedger ledger;
};
TYPED_TEST_SUITE(LearnTest, ExecutionSpaces, ExecutionSpaceName);

/// One neuron split in time, and another one: the halves become one again, its mean weighted by spikes.
TYPED_TEST(LearnTest, HalvesOfANeuronMerge) {
  const auto a = this->neuron(5);
  const auto clustered =
      this->record({{a, 300, 5, 0, 100000}, {this->neuron(2), 250, 2}, {a, 100, 5, 100000, 300000}});
  ASSERT_GT(likeness(clustered, 0, 2), 0.95);
  const LearnedTemplates learned = this->learn(clustered);
  ASSERT_EQ(learned.n_templates(), 2u);
  EXPECT_EQ(learned.template_of, (Numbers{0, 1, 0}));
  EXPECT_EQ(learned.shift_of, (Numbers{0, 0, 0}));
  EXPECT_EQ(learned.spikes, (std::vector<std::int64_t>{400, 250}));
  this->expect_template(learned, 0, this->weighted(clustered.means, {0.75, 0.0, 0.25}));
  this->expect_template(learned, 1, this->weighted(clustered.means, {0.0, 1.0}));
}

TYPED_TEST(LearnTest, ManyPartsOfANeuronMerge) {
  const auto a = this->neuron(5);
  std::vector<ClusterOfSpikes> clusters;
  for (std::size_t part = 0; part < 5; ++part)
    clusters.push_back({a, 100 + 50 * part, 5, static_cast<std::int64_t>(60000 * part),
                        static_cast<std::int64_t>(60000 * (part + 1))});
  const auto clustered = this->record(clusters);
  const LearnedTemplates learned = this->learn(clustered);
  ASSERT_EQ(learned.n_templates(), 1u);
  EXPECT_EQ(learned.template_of, (Numbers{0, 0, 0, 0, 0}));
  EXPECT_EQ(learned.spikes, (std::vector<std::int64_t>{1000}));
  this->expect_template(learned, 0, this->weighted(clustered.means, {0.1, 0.15, 0.2, 0.25, 0.3}));
}

/// The same waveform found a little later: aligned, it merges; the shift says by how much it was moved.
TYPED_TEST(LearnTest, ShiftedHalvesMerge) {
  const auto a = this->neuron(5);
  for (const int late : {1, 2, -2}) {
    SCOPED_TRACE("moved by " + std::to_string(late));
    const auto clustered =
        this->record({{a, 300, 5}, {moved_later(this->pcs, a, late), 200, 5}, {this->neuron(2), 250, 2}});
    const LearnedTemplates learned = this->learn(clustered);
    ASSERT_EQ(learned.n_templates(), 2u);
    EXPECT_EQ(learned.template_of, (Numbers{0, 0, 1}));
    EXPECT_EQ(learned.shift_of[0] - learned.shift_of[1], late);
    EXPECT_EQ(learned.spikes[0], 500);
    std::vector<float> back(n_channels * n_pcs);
    const std::vector<float> mean(&clustered.means(1, 0, 0), &clustered.means(1, 0, 0) + back.size());
    back = moved_later(this->pcs, mean, -late);
    std::vector<double> expected = this->weighted(clustered.means, {0.6});
    for (std::size_t i = 0; i < back.size(); ++i) expected[i] += 0.4 * back[i];
    this->expect_template(learned, 0, expected);
  }
}

/// Alike, but two heaps of spikes: Kilosort merges them unseen.
TYPED_TEST(LearnTest, TwoNeuronsThatLookAlikeStay) {
  const auto a = this->neuron(5, 30.0);
  const auto clustered = this->record({{a, 300, 5}, {this->unlike(a, 9.0), 300, 5}});
  ASSERT_GT(likeness(clustered, 0, 1), 0.9);
  const LearnedTemplates learned = this->learn(clustered);
  EXPECT_EQ(learned.n_templates(), 2u);
  EXPECT_EQ(learned.template_of, (Numbers{0, 1}));
  TemplateOptions unseen;
  unseen.min_bimodality = 1.1;
  EXPECT_EQ(this->learn(clustered, unseen).n_templates(), 1u);
}

/// A strong neuron whose spikes were aligned in two ways: two heaps, but no two neurons are so alike.
TYPED_TEST(LearnTest, AlmostTheSameMergesWhateverItsSpikesSay) {
  const auto a = this->neuron(5, 90.0);
  const auto clustered = this->record({{a, 300, 5}, {this->unlike(a, 9.0), 300, 5}});
  ASSERT_GT(likeness(clustered, 0, 1), 0.985);
  EXPECT_EQ(this->learn(clustered).n_templates(), 1u);
  TemplateOptions look;
  look.certain_correlation = 2.0;
  EXPECT_EQ(this->learn(clustered, look).n_templates(), 2u);
}

/// Of so few spikes' features nothing can be said.
TYPED_TEST(LearnTest, TooFewSpikesAreNoEvidence) {
  const auto a = this->neuron(5);
  TemplateOptions options;
  options.certain_correlation = 2.0;
  for (const auto& [spikes, templates] : {std::pair{9u, 2u}, std::pair{40u, 1u}}) {
    const auto clustered = this->record({{a, 300, 5}, {a, spikes, 5}});
    ASSERT_GT(likeness(clustered, 0, 1), 0.9);
    EXPECT_EQ(this->learn(clustered, options).n_templates(), templates) << spikes << " spikes";
  }
}

/// Seen by both shanks, largest now on one and now on the other.
TYPED_TEST(LearnTest, NeverAcrossShanks) {
  const auto shape = this->neuron(5);
  std::vector<std::vector<float>> neurons(2, std::vector<float>(n_channels * n_pcs));
  for (std::size_t k = 0; k < 2; ++k)
    for (const std::size_t c : {std::size_t{4}, std::size_t{5}})
      for (std::size_t p = 0; p < n_pcs; ++p)
        neurons[k][c * n_pcs + p] = shape[5 * n_pcs + p] * (c % 2 == k ? 1.0f : 0.9f);
  auto clustered = this->record({{neurons[0], 300, 4}, {neurons[1], 200, 5}});
  ASSERT_GT(likeness(clustered, 0, 1), 0.98);
  EXPECT_EQ(this->learn(clustered).n_templates(), 1u);
  clustered.spikes.probe = two_shank_probe(n_channels);
  const LearnedTemplates learned = this->learn(clustered);
  EXPECT_EQ(learned.template_of, (Numbers{0, 1}));
  EXPECT_EQ(learned.spikes, (std::vector<std::int64_t>{300, 200}));
}

TYPED_TEST(LearnTest, LeavesAllWhenAskedTo) {
  const auto a = this->neuron(5);
  const auto clustered = this->record({{a, 300, 5}, {a, 200, 5}, {this->neuron(2), 250, 2}});
  TemplateOptions options;
  options.merge = false;
  const LearnedTemplates learned = this->learn(clustered, options);
  ASSERT_EQ(learned.n_templates(), 3u);
  EXPECT_EQ(learned.template_of, (Numbers{0, 1, 2}));
  EXPECT_EQ(learned.spikes, (std::vector<std::int64_t>{300, 200, 250}));
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<double> weights(3, 0.0);
    weights[k] = 1.0;
    this->expect_template(learned, k, this->weighted(clustered.means, weights));
  }
}

TYPED_TEST(LearnTest, CorrelationAndNormsDecideWhoIsTested) {
  const auto a = this->neuron(5);
  std::vector<float> larger = a;
  for (float& value : larger) value *= 1.05f;
  const auto clustered = this->record({{a, 300, 5}, {larger, 300, 5}});
  EXPECT_EQ(this->learn(clustered).n_templates(), 1u);
  TemplateOptions options;
  options.max_norm_difference = 0.02;
  EXPECT_EQ(this->learn(clustered, options).n_templates(), 2u);
  options = {};
  options.min_correlation = 1.0;
  EXPECT_EQ(this->learn(clustered, options).n_templates(), 2u);
}

TYPED_TEST(LearnTest, AMeanOfZeroIsNoTemplate) {
  auto clustered =
      this->record({{this->neuron(5), 300, 5}, {this->neuron(2), 50, 2}, {this->neuron(9), 100, 9}});
  std::fill_n(&clustered.means(1, 0, 0), n_channels * n_pcs, 0.0f);
  const LearnedTemplates learned = this->learn(clustered);
  EXPECT_EQ(learned.n_templates(), 2u);
  EXPECT_EQ(learned.template_of, (Numbers{0, -1, 1}));
}

TYPED_TEST(LearnTest, NoClustersAreNoTemplates) {
  const auto clustered = this->record({});
  EXPECT_EQ(this->learn(clustered).n_templates(), 0u);
}

TYPED_TEST(LearnTest, TwoRunsGiveTheSameBytes) {
  std::vector<ClusterOfSpikes> clusters;
  for (std::size_t k = 0; k < 12; ++k)
    clusters.push_back({this->neuron(k % 6 * 2), 150, static_cast<std::int32_t>(k % 6 * 2)});
  const auto clustered = this->record(clusters);
  const LearnedTemplates once = this->learn(clustered);
  const LearnedTemplates again = this->learn(clustered);
  EXPECT_EQ(once.template_of, again.template_of);
  EXPECT_EQ(once.shift_of, again.shift_of);
  ASSERT_EQ(once.templates.size(), again.templates.size());
  EXPECT_TRUE(std::equal(once.templates.data(), once.templates.data() + once.templates.size(),
                         again.templates.data()));
}

TYPED_TEST(LearnTest, TooSmallALimitNamesItsKey) {
  const auto a = this->neuron(5);
  const auto clustered = this->record({{a, 300, 5}, {a, 200, 5}});
  TemplateOptions options;
  options.device_limit_bytes = 1000;
  const std::string message = message_of<InputError>([&] { this->learn(clustered, options); });
  EXPECT_NE(message.find("memory.device_limit_mb"), std::string::npos) << message;
}

}  // namespace
}  // namespace kokkosort::test
