#include "kokkosort/templates/placed_templates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "execution_spaces.hpp"
#include "host_copies.hpp"
#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"
#include "templates/template_problem.hpp"
#include "templates/waveform_reference.hpp"

namespace kokkosort::test {
namespace {

std::vector<std::int32_t> numbers_to(std::size_t n) {
  std::vector<std::int32_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

std::vector<std::int32_t> sorted(std::vector<std::int32_t> values) {
  std::sort(values.begin(), values.end());
  return values;
}

template <class Exec>
class PlacedTemplatesTest : public testing::Test {
 protected:
  PlacedTemplatesTest() {
    RecordProperty("seed", std::to_string(seed));
    const PrincipalComponents pcs = random_pcs(random, 3, 9);
    problems.push_back(random_problem(random, linear_probe(70), pcs, 40));
    problems.push_back(random_problem(random, shuffle_channels(random, linear_probe(17)), pcs, 9));
    problems.push_back(random_problem(random, shuffle_channels(random, staggered_probe(96)), pcs, 70));
    problems.push_back(random_problem(random, shuffle_channels(random, two_shank_probe(64)), pcs, 33));
    problems.push_back(random_problem(random, linear_probe(1), pcs, 1));
  }

  PlacedTemplates<Exec> place(const TemplateProblem& problem) {
    const Exec exec;
    PlacedTemplates<Exec> placed = place_templates(exec, problem.probe, problem.templates, ledger);
    exec.fence("kokkosort::test::placed");
    return placed;
  }

  /// Whether a template, as the user counts, is not zero on a channel.
  static bool is_on(const TemplateProblem& problem, std::int32_t i, std::int32_t channel) {
    const float* const weights =
        &problem.templates(static_cast<std::size_t>(i), static_cast<std::size_t>(channel), 0);
    return std::any_of(weights, weights + problem.n_pcs(), [](float w) { return w != 0.0f; });
  }

  static constexpr std::uint64_t seed = 111;
  std::mt19937_64 random{seed};
  std::vector<TemplateProblem> problems;
  TransferLedger ledger;
};
TYPED_TEST_SUITE(PlacedTemplatesTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(PlacedTemplatesTest, ChannelsAlongTheProbe) {
  for (const TemplateProblem& problem : this->problems) {
    const auto placed = this->place(problem);
    EXPECT_EQ(placed.n_channels, problem.n_channels());
    EXPECT_EQ(sorted(placed.channel_at), numbers_to(problem.n_channels()));
    const auto place = [&](std::size_t k) {
      const auto c = static_cast<std::size_t>(placed.channel_at[k]);
      return std::make_tuple(problem.probe.shank[c], problem.probe.y_um[c], problem.probe.x_um[c]);
    };
    for (std::size_t k = 1; k < placed.n_channels; ++k) EXPECT_LE(place(k - 1), place(k));
    EXPECT_EQ(to_host(placed.channel_on_device), placed.channel_at);
  }
}

TYPED_TEST(PlacedTemplatesTest, WeightsAndEnergyAreTheTemplates) {
  for (const TemplateProblem& problem : this->problems) {
    const auto placed = this->place(problem);
    EXPECT_EQ(placed.n_templates, problem.n_templates());
    EXPECT_EQ(placed.n_pcs, problem.n_pcs());
    EXPECT_EQ(sorted(placed.template_at), numbers_to(problem.n_templates()));
    const auto weights = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), placed.weights);
    ASSERT_EQ(weights.extent(0), problem.n_channels() * problem.n_pcs());
    ASSERT_GE(weights.extent(1), problem.n_templates());
    const std::vector<float> energy = to_host(placed.energy);
    const std::vector<double> expected = direct_energy(problem.templates);
    for (std::size_t u = 0; u < placed.n_templates; ++u) {
      const auto i = static_cast<std::size_t>(placed.template_at[u]);
      EXPECT_NEAR(energy[u], expected[i], 1e-5 * expected[i]);
      for (std::size_t k = 0; k < placed.n_channels; ++k)
        for (std::size_t p = 0; p < placed.n_pcs; ++p)
          ASSERT_EQ(weights(k * placed.n_pcs + p, u),
                    problem.templates(i, static_cast<std::size_t>(placed.channel_at[k]), p));
    }
  }
}

TYPED_TEST(PlacedTemplatesTest, FootprintsAreTheShortestRanges) {
  for (const TemplateProblem& problem : this->problems) {
    const auto placed = this->place(problem);
    const auto on_device = to_host(placed.footprint_on_device);
    for (std::size_t u = 0; u < placed.n_templates; ++u) {
      std::vector<std::uint32_t> on;
      for (std::uint32_t k = 0; k < placed.n_channels; ++k) {
        const bool here = this->is_on(problem, placed.template_at[u], placed.channel_at[k]);
        if (here) on.push_back(k);
        EXPECT_EQ((placed.channel_bits[u][k / 64] >> (k % 64) & 1) == 1, here)
            << "template " << u << " channel " << k;
      }
      EXPECT_EQ(placed.footprints[u].first, on.front());
      EXPECT_EQ(placed.footprints[u].last, on.back() + 1);
      EXPECT_EQ(on_device[u].first, placed.footprints[u].first);
      EXPECT_EQ(on_device[u].last, placed.footprints[u].last);
    }
  }
}

TYPED_TEST(PlacedTemplatesTest, TemplatesThatShareAChannelMeet) {
  std::size_t meet = 0;
  std::size_t apart = 0;
  for (const TemplateProblem& problem : this->problems) {
    const auto placed = this->place(problem);
    const auto waves = direct_waveforms(problem);
    for (std::size_t u = 0; u < placed.n_templates; ++u)
      for (std::size_t v = 0; v < placed.n_templates; ++v) {
        const bool expected = direct_meet(waves[static_cast<std::size_t>(placed.template_at[u])],
                                          waves[static_cast<std::size_t>(placed.template_at[v])]);
        ++(expected ? meet : apart);
        ASSERT_EQ(placed.meet(u, v), expected) << u << " " << v;
      }
  }
  EXPECT_GT(meet, 200u);
  EXPECT_GT(apart, 200u);
}

/// A block of neighbouring templates spans few channels, else its product would be with all of them.
TYPED_TEST(PlacedTemplatesTest, NeighbouringTemplatesAreNearEachOther) {
  const TemplateProblem& problem = this->problems[2];
  const auto placed = this->place(problem);
  std::uint32_t steps = 0;
  for (std::size_t u = 1; u < placed.n_templates; ++u)
    steps += static_cast<std::uint32_t>(std::abs(static_cast<int>(placed.footprints[u].first) -
                                                 static_cast<int>(placed.footprints[u - 1].first)));
  EXPECT_LE(steps, 4 * problem.n_channels()) << "in random order about 23 times";
}

TYPED_TEST(PlacedTemplatesTest, EqualTemplatesKeepTheirOrder) {
  TemplateProblem problem = this->problems[1];
  const std::size_t values = problem.n_channels() * problem.n_pcs();
  for (const std::size_t copy : {2, 5, 8})
    std::copy_n(&problem.templates(0, 0, 0), values, &problem.templates(copy, 0, 0));
  const auto placed = this->place(problem);
  std::vector<std::int32_t> copies;
  for (const std::int32_t i : placed.template_at)
    if (i == 0 || i == 2 || i == 5 || i == 8) copies.push_back(i);
  EXPECT_EQ(copies, (std::vector<std::int32_t>{0, 2, 5, 8}));
}

TYPED_TEST(PlacedTemplatesTest, AZeroTemplateIsNamed) {
  const TemplateProblem& problem = this->problems[0];
  for (const std::size_t zero : {0, 17, 39}) {
    TemplateProblem with_zero = problem;
    with_zero.templates = HostTensor3<float>("kokkosort::test::templates", problem.n_templates(),
                                             problem.n_channels(), problem.n_pcs());
    Kokkos::deep_copy(with_zero.templates, problem.templates);
    std::fill_n(&with_zero.templates(zero, 0, 0), problem.n_channels() * problem.n_pcs(), 0.0f);
    const std::string message = message_of<InputError>([&] { this->place(with_zero); });
    EXPECT_NE(message.find("template"), std::string::npos) << message;
    EXPECT_NE(message.find(std::to_string(zero)), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TYPED_TEST(PlacedTemplatesTest, NoTemplatesAreAnError) {
  TemplateProblem none = this->problems[0];
  none.templates = HostTensor3<float>("kokkosort::test::templates", 0, none.n_channels(), none.n_pcs());
  EXPECT_THROW(this->place(none), InputError);
}

/// Once, as they are.
TYPED_TEST(PlacedTemplatesTest, GoUpOnce) {
  const TemplateProblem& problem = this->problems[2];
  this->place(problem);
  std::size_t bytes = 0;
  for (const auto& [key, entry] : this->ledger.entries()) {
    EXPECT_EQ(key.direction, Direction::up) << key.what;
    EXPECT_EQ(entry.copies, 1u) << key.what;
    bytes += entry.bytes;
  }
  EXPECT_LE(bytes, problem.templates.size() * 4 + 20 * (problem.n_templates() + problem.n_channels()));
}

}  // namespace
}  // namespace kokkosort::test
