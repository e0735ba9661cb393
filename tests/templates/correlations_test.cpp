#include "kokkosort/templates/correlations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "execution_spaces.hpp"
#include "host_copies.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"
#include "templates/template_problem.hpp"
#include "templates/waveform_reference.hpp"

namespace kokkosort::test {
namespace {

/// Correlations by pairs of the user's templates, [2 nt − 1] each.
using Pairs = std::map<std::pair<std::int32_t, std::int32_t>, std::vector<float>>;

template <class Exec>
class CorrelationsTest : public testing::Test {
 protected:
  CorrelationsTest() {
    RecordProperty("seed", std::to_string(seed));
    problems.push_back(random_problem(random, linear_probe(40), random_pcs(random, 6, 61), 30));
    problems.push_back(
        random_problem(random, shuffle_channels(random, staggered_probe(32)), random_pcs(random, 6, 9), 40));
    problems.push_back(
        random_problem(random, shuffle_channels(random, two_shank_probe(48)), random_pcs(random, 3, 61), 29));
    problems.push_back(random_problem(random, linear_probe(1), random_pcs(random, 3, 9), 1));
    problems.push_back(random_problem(random, linear_probe(3), random_pcs(random, 1, 2), 5));
  }

  Pairs correlate(const TemplateProblem& problem, const CorrelationOptions& options = {}) {
    const Exec exec;
    const auto placed = place_templates(exec, problem.probe, problem.templates, ledger);
    const auto correlations = correlate_templates(exec, placed, problem.pcs.wPCA, options, ledger);
    exec.fence("kokkosort::test::correlated");
    EXPECT_EQ(correlations.nt, problem.nt());
    const std::vector<std::uint32_t> first = to_host(correlations.first);
    const std::vector<std::int32_t> other = to_host(correlations.other);
    const auto values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), correlations.values);
    const auto lags = static_cast<std::size_t>(2 * problem.nt() - 1);
    EXPECT_EQ(first.size(), problem.n_templates() + 1);
    EXPECT_EQ(first.front(), 0u);
    EXPECT_EQ(first.back(), other.size());
    EXPECT_EQ(correlations.n_pairs(), other.size());
    EXPECT_GE(values.extent(0), other.size());
    EXPECT_GE(values.extent(1), lags);
    Pairs pairs;
    for (std::size_t u = 0; u < problem.n_templates(); ++u)
      for (std::uint32_t k = first[u]; k < first[u + 1]; ++k) {
        EXPECT_TRUE(k == first[u] || other[k - 1] < other[k]) << "not ascending in row " << u;
        std::vector<float>& pair =
            pairs[{placed.template_at[u], placed.template_at[static_cast<std::size_t>(other[k])]}];
        for (std::size_t lag = 0; lag < lags; ++lag) pair.push_back(values(k, lag));
      }
    return pairs;
  }

  static constexpr std::uint64_t seed = 121;
  std::mt19937_64 random{seed};
  std::vector<TemplateProblem> problems;
  TransferLedger ledger;
};
TYPED_TEST_SUITE(CorrelationsTest, ExecutionSpaces, ExecutionSpaceName);

/// Within f32's rounding of sums over some dozens of products.
TYPED_TEST(CorrelationsTest, AsSumsOverWaveforms) {
  for (std::size_t k = 0; k < this->problems.size(); ++k) {
    SCOPED_TRACE("problem " + std::to_string(k));
    const TemplateProblem& problem = this->problems[k];
    const Pairs pairs = this->correlate(problem);
    const auto waves = direct_waveforms(problem);
    const auto energy = direct_energy(problem.templates);
    std::size_t found = 0;
    for (std::size_t i = 0; i < waves.size(); ++i)
      for (std::size_t j = 0; j < waves.size(); ++j) {
        const auto pair = pairs.find({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
        ASSERT_EQ(pair != pairs.end(), direct_meet(waves[i], waves[j])) << i << " " << j;
        if (pair == pairs.end()) continue;
        ++found;
        for (int lag = 1 - problem.nt(); lag < problem.nt(); ++lag)
          ASSERT_NEAR(pair->second[static_cast<std::size_t>(lag + problem.nt() - 1)],
                      direct_correlation(waves[i], waves[j], lag), 2e-6 * std::sqrt(energy[i] * energy[j]))
              << i << " " << j << " at " << lag;
      }
    EXPECT_EQ(found, pairs.size());
    if (k < 3) {
      EXPECT_LT(found, waves.size() * waves.size() * 2 / 3) << "all meet: nothing was left out";
    }
  }
}

/// ctc[i, j, lag] = ctc[j, i, −lag], and a template's projection on itself is ‖U‖².
TYPED_TEST(CorrelationsTest, Symmetric) {
  for (const TemplateProblem& problem : this->problems) {
    const Pairs pairs = this->correlate(problem);
    const auto energy = direct_energy(problem.templates);
    for (const auto& [ij, values] : pairs) {
      const auto i = static_cast<std::size_t>(ij.first);
      const auto j = static_cast<std::size_t>(ij.second);
      const std::vector<float>& mirrored = pairs.at({ij.second, ij.first});
      for (std::size_t lag = 0; lag < values.size(); ++lag)
        ASSERT_NEAR(values[lag], mirrored[values.size() - 1 - lag], 2e-6 * std::sqrt(energy[i] * energy[j]));
    }
    for (std::size_t i = 0; i < problem.n_templates(); ++i) {
      const auto self = static_cast<std::int32_t>(i);
      EXPECT_NEAR(pairs.at({self, self})[static_cast<std::size_t>(problem.nt() - 1)], energy[i],
                  2e-6 * energy[i]);
    }
  }
}

/// A product may round otherwise in blocks of another size, no more.
TYPED_TEST(CorrelationsTest, AnyBlockSizeGivesTheSame) {
  for (const TemplateProblem& problem : this->problems) {
    const Pairs expected = this->correlate(problem);
    const auto energy = direct_energy(problem.templates);
    for (const int block : {1, 7, 16, 1000}) {
      SCOPED_TRACE("blocks of " + std::to_string(block));
      CorrelationOptions options;
      options.block_templates = block;
      const Pairs pairs = this->correlate(problem, options);
      ASSERT_EQ(pairs.size(), expected.size());
      for (const auto& [ij, values] : expected)
        for (std::size_t lag = 0; lag < values.size(); ++lag)
          ASSERT_NEAR(pairs.at(ij)[lag], values[lag],
                      2e-6 * std::sqrt(energy[static_cast<std::size_t>(ij.first)] *
                                       energy[static_cast<std::size_t>(ij.second)]));
    }
  }
}

TYPED_TEST(CorrelationsTest, TwoRunsGiveTheSameBytes) {
  const Pairs once = this->correlate(this->problems[0]);
  EXPECT_EQ(this->correlate(this->problems[0]), once);
}

TYPED_TEST(CorrelationsTest, TooSmallALimitNamesItsKey) {
  CorrelationOptions options;
  options.limit_bytes = 1000;
  const std::string message = message_of<InputError>([&] { this->correlate(this->problems[0], options); });
  EXPECT_NE(message.find("memory.device_limit_mb"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

/// Templates, components and tables go up; nothing comes down.
TYPED_TEST(CorrelationsTest, StayOnTheDevice) {
  this->correlate(this->problems[0]);
  for (const auto& [key, entry] : this->ledger.entries()) EXPECT_EQ(key.direction, Direction::up) << key.what;
}

}  // namespace
}  // namespace kokkosort::test
