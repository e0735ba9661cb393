#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kokkosort/templates/learn.hpp"
#include "templates/cluster_problem.hpp"
#include "templates/template_problem.hpp"
#include "templates/waveform_reference.hpp"

namespace kokkosort::test {
namespace {

/// Moves each waveform to every place, and looks where a universal shape fits it best, upright or upside
/// down.
/// @param certain  false where another place fits nearly as well
std::int32_t direct_shift(const TemplateProblem& problem, const Waveforms& waves, bool& certain) {
  const int nt = problem.nt();
  std::vector<double> best(static_cast<std::size_t>(nt), 0.0);  // by shift + (nt − 1) / 2
  for (int shift = -(nt - 1) / 2; shift <= nt / 2; ++shift)
    for (const Waveform& wave : waves)
      for (std::size_t k = 0; k < problem.pcs.wTEMP.extent(0) && !wave.empty(); ++k) {
        double sum = 0.0;
        for (int t = 0; t < nt; ++t)
          if (t - shift >= 0 && t - shift < nt)
            sum +=
                problem.pcs.wTEMP(k, static_cast<std::size_t>(t)) * wave[static_cast<std::size_t>(t - shift)];
        double& here = best[static_cast<std::size_t>(shift + (nt - 1) / 2)];
        here = std::max(here, std::abs(sum));
      }
  const auto largest = std::max_element(best.begin(), best.end());
  certain = true;
  for (auto other = best.begin(); other != best.end(); ++other)
    if (other != largest && *other > *largest * (1.0 - 1e-6)) certain = false;
  return static_cast<std::int32_t>(largest - best.begin()) - (nt - 1) / 2;
}

class AlignmentTest : public testing::Test {
 protected:
  AlignmentTest() { RecordProperty("seed", std::to_string(seed)); }
  static constexpr std::uint64_t seed = 131;
  std::mt19937_64 random{seed};
};

TEST_F(AlignmentTest, AsDirectSearch) {
  std::vector<TemplateProblem> problems;
  problems.push_back(random_problem(random, linear_probe(8), spike_pcs(), 60));
  problems.push_back(random_problem(random, linear_probe(8), random_pcs(random, 6, 61), 60));
  problems.push_back(
      random_problem(random, shuffle_channels(random, two_shank_probe(12)), random_pcs(random, 3, 9), 60));
  problems.push_back(random_problem(random, linear_probe(2), random_pcs(random, 3, 10), 60));
  for (const TemplateProblem& problem : problems) {
    const auto shifts = alignment_shifts(problem.pcs, problem.templates);
    const auto waves = direct_waveforms(problem);
    ASSERT_EQ(shifts.size(), 60u);
    std::size_t compared = 0;
    for (std::size_t i = 0; i < 60; ++i) {
      bool certain = false;
      const std::int32_t expected = direct_shift(problem, waves[i], certain);
      if (!certain) continue;
      ++compared;
      EXPECT_EQ(shifts[i], expected) << "template " << i;
    }
    EXPECT_GT(compared, 40u);
  }
}

/// A waveform that was moved is moved back.
TEST_F(AlignmentTest, UndoesShifts) {
  const PrincipalComponents pcs = spike_pcs();
  const int shifts[] = {0, 1, -1, 2, -2, 3, -3};
  const HostTensor3<float> templates("kokkosort::test::templates", 7, 6, 6);
  const std::vector<float> neuron = central_neuron(random, pcs, 6, 2, 30.0);
  for (std::size_t k = 0; k < 7; ++k) {
    const std::vector<float> moved = shifts[k] == 0 ? neuron : moved_later(pcs, neuron, shifts[k]);
    std::copy(moved.begin(), moved.end(), &templates(k, 0, 0));
  }
  const auto found = alignment_shifts(pcs, templates);
  for (std::size_t k = 0; k < 7; ++k) EXPECT_EQ(found[k], -shifts[k]) << k;
}

/// Nothing to align by.
TEST_F(AlignmentTest, ZeroTemplatesStay) {
  const HostTensor3<float> templates("kokkosort::test::templates", 2, 3, 6);
  EXPECT_EQ(alignment_shifts(spike_pcs(), templates), (std::vector<std::int32_t>{0, 0}));
}

}  // namespace
}  // namespace kokkosort::test
