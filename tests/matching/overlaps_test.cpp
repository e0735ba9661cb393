// Two templates on the same channels, every lag from 0 to nt between them: both are found where they do not
// look alike.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "kokkosort/templates/placed_templates.hpp"
#include "matching/match_problem.hpp"
#include "matching/pursuit_reference.hpp"

namespace kokkosort::test {
namespace {

struct Overlap {
  double correlation;  // of the two waveforms at this lag, over their norms
  bool resolved;       // both found within two samples, with the right templates
  bool more;           // than two spikes found
  bool as_direct;      // the same as pursuit in f64
};

template <class Exec>
class OverlapsTest : public testing::Test {
 protected:
  OverlapsTest() { RecordProperty("seed", std::to_string(seed)); }

  /// Template 1 later than template 0 by each lag from 0 to nt, far from each other in one recording.
  std::vector<Overlap> match_overlaps(const TemplateProblem& problem) {
    const int nt = problem.nt();
    const std::int64_t spacing = 8 * nt;
    const auto n_samples = static_cast<std::size_t>(spacing * (nt + 2));
    const auto waves = direct_waveforms(problem);
    const auto energy = direct_energy(problem.templates);
    std::vector<TemplateSpike> planted;
    for (std::int64_t lag = 0; lag <= nt; ++lag) {
      planted.push_back({spacing * (lag + 1), 0, 1.0});
      planted.push_back({spacing * (lag + 1) + lag, 1, 1.0});
    }
    const HostMatrix<float> traces = noise_traces(random, problem.n_channels(), n_samples);
    add_spikes(waves, planted, nt, traces);
    const auto samples = stored_samples<std::int16_t>(traces);
    TransferLedger ledger;
    const auto found = spikes_of(problem, match_samples<Exec>(problem, samples, {}, ledger));
    DirectPursuit direct(problem, as_traces(samples, problem.n_channels()),
                         n_samples - static_cast<std::size_t>(nt) + 1,
                         place_templates(Exec(), problem.probe, problem.templates, ledger).template_at);
    std::vector<TemplateSpike> direct_spikes = direct.pursue(MatchingOptions{}.threshold, 100);
    for (TemplateSpike& spike : direct_spikes) spike.centre += nt / 2;

    std::vector<Overlap> overlaps;
    for (std::int64_t lag = 0; lag <= nt; ++lag) {
      const std::int64_t start = spacing * (lag + 1);
      const auto near = spikes_near(found, start, spacing / 2);
      const auto has = [&near](std::int32_t unit, std::int64_t centre) {
        return std::any_of(near.begin(), near.end(), [&](const TemplateSpike& spike) {
          return spike.unit == unit && std::abs(spike.centre - centre) <= 2;
        });
      };
      const auto near_direct = spikes_near(direct_spikes, start, spacing / 2);
      // Template 1 at a later centre: its sample t meets template 0's sample t + lag.
      const double correlation =
          direct_correlation(waves[1], waves[0], static_cast<int>(lag)) / std::sqrt(energy[0] * energy[1]);
      overlaps.push_back(
          {correlation, has(0, start) && has(1, start + lag), near.size() > 2,
           near.size() == near_direct.size() && count_pairs(near, near_direct, 0) == near.size()});
    }
    return overlaps;
  }

  static std::vector<TemplateSpike> spikes_near(const std::vector<TemplateSpike>& spikes, std::int64_t centre,
                                                std::int64_t reach) {
    std::vector<TemplateSpike> near;
    for (const TemplateSpike& spike : spikes)
      if (std::abs(spike.centre - centre) < reach) near.push_back(spike);
    return near;
  }

  /// Two neurons of 20 sigma, on the same channel or on neighbours.
  /// @param share  of the first that the second has too
  TemplateProblem draw_pair(std::size_t apart, double share) {
    TemplateProblem problem = random_problem(random, linear_probe(6), spike_pcs(), 2);
    for (std::size_t u = 0; u < 2; ++u)
      draw_template(random, problem.probe, 2 + u * apart, 6, 50.0, 20.0, &problem.templates(u, 0, 0));
    const double own = std::sqrt(1.0 - share * share);
    for (std::size_t c = 0; c < 6; ++c)
      for (std::size_t p = 0; p < 6; ++p)
        problem.templates(1, c, p) = static_cast<float>(share * double{problem.templates(0, c, p)} +
                                                        own * double{problem.templates(1, c, p)});
    return problem;
  }

  /// Prints a line for each pair: + both found, # and a third, - not both; below it the correlation in
  /// tenths, as a letter if below zero.
  /// @param least  share of the overlaps that differ at their lag to be resolved
  void expect_resolved(const std::string& name, double share, double least) {
    std::size_t different = 0;
    std::size_t resolved = 0;
    std::size_t alike = 0;
    std::size_t resolved_alike = 0;
    std::size_t with_more = 0;
    for (int pair = 0; pair < n_pairs; ++pair) {
      const auto overlaps = match_overlaps(draw_pair(static_cast<std::size_t>(pair % 2), share));
      std::string marks;
      std::string tenths;
      for (std::size_t lag = 0; lag < overlaps.size(); ++lag) {
        const auto& [correlation, is_resolved, more, as_direct] = overlaps[lag];
        EXPECT_TRUE(as_direct) << "pair " << pair << " at lag " << lag;
        marks += !is_resolved ? '-' : more ? '#' : '+';
        with_more += more ? 1 : 0;
        const int tenth = std::min(9, static_cast<int>(std::floor(10.0 * std::abs(correlation))));
        tenths += static_cast<char>((correlation < 0.0 ? 'a' : '0') + tenth);
        const bool differ = std::abs(correlation) < 0.5;
        ++(differ ? different : alike);
        if (is_resolved) ++(differ ? resolved : resolved_alike);
      }
      std::cout << "  " << marks << "\n  " << tenths << "\n";
    }
    std::cout << Exec::name() << ", " << name << ": resolved " << resolved << " of " << different
              << " overlaps of correlation under 0.5, " << resolved_alike << " of " << alike
              << " others; a third spike at " << with_more << "\n";
    EXPECT_GT(different, 500u);
    EXPECT_LE(with_more, different / 50);
    EXPECT_GE(static_cast<double>(resolved), least * static_cast<double>(different));
  }

  static constexpr std::uint64_t seed = 311;
  static constexpr int n_pairs = 10;
  std::mt19937_64 random{seed};
};
TYPED_TEST_SUITE(OverlapsTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(OverlapsTest, DifferentNeurons) { this->expect_resolved("different neurons", 0.0, 1.0); }

/// Correlation 0.8 at lag 0.
TYPED_TEST(OverlapsTest, NeuronsThatLookAlike) {
  this->expect_resolved("neurons that look alike", 0.8, 0.93);
}

}  // namespace
}  // namespace kokkosort::test
