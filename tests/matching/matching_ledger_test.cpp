// What crosses between host and device in matching: the recording's integers up, once but for the windows'
// overlaps; spikes with their features down, once; tables; a counter now and then. Nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "execution_spaces.hpp"
#include "kokkosort/matching/window.hpp"
#include "matching/match_problem.hpp"
#include "system/kokkos_listener.hpp"

namespace kokkosort::test {
namespace {

using Entry = TransferLedger::Entry;

template <class Exec>
class MatchingLedgerTest : public testing::Test {
 protected:
  MatchingLedgerTest() {
    RecordProperty("seed", std::to_string(seed));
    options.window_samples = 3000;
    const HostMatrix<float> traces = noise_traces(random, problem.n_channels(), n_samples);
    add_spikes(direct_waveforms(problem), random_spikes(random, problem.n_templates(), 300, 0, n_samples),
               problem.nt(), traces);
    samples = stored_samples<std::int16_t>(traces);
  }

  void match() {
    ledger = TransferLedger();
    matching = match_samples<Exec>(problem, samples, options, ledger);
    ASSERT_GT(matching.n_spikes(), 200u);
  }

  std::map<std::string, Entry> crossing(Direction direction) const {
    std::map<std::string, Entry> entries;
    for (const auto& [key, entry] : ledger.entries()) {
      EXPECT_TRUE(key.stage == "matching" || key.stage == "templates") << key.stage;
      if (key.direction == direction) entries[key.what] = entry;
    }
    return entries;
  }

  static constexpr std::uint64_t seed = 351;
  static constexpr std::size_t n_samples = 20000;
  std::mt19937_64 random{seed};
  const TemplateProblem problem =
      random_problem(random, shuffle_channels(random, staggered_probe(24)), spike_pcs(), 15);
  std::vector<std::int16_t> samples;
  MatchingOptions options;
  TransferLedger ledger;
  Matching matching;
};
TYPED_TEST_SUITE(MatchingLedgerTest, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(MatchingLedgerTest, WindowsGoUpAsStored) {
  const std::int64_t nt = this->problem.nt();
  for (const int length : {1 << 20, 3000}) {
    SCOPED_TRACE("windows of " + std::to_string(length));
    this->options.window_samples = length;
    this->match();
    const auto windows = make_windows(this->n_samples, static_cast<int>(nt), 20, this->options);
    std::size_t expected = 0;
    for (const WindowExtent& window : windows) {
      const std::int64_t first = std::max<std::int64_t>(0, window.first - nt / 2);
      const std::int64_t last =
          std::min<std::int64_t>(this->n_samples, window.first - nt / 2 + std::int64_t{window.n_samples});
      expected += static_cast<std::size_t>(last - first) * 24 * sizeof(std::int16_t);
    }
    const Entry up = this->crossing(Direction::up).at("window");
    EXPECT_EQ(up.bytes, expected);
    EXPECT_EQ(up.copies, windows.size());
    const std::size_t seams = windows.size() - 1;
    EXPECT_LE(expected,
              (this->n_samples + seams * 12 * static_cast<std::size_t>(nt)) * 24 * sizeof(std::int16_t));
  }
}

TYPED_TEST(MatchingLedgerTest, TablesGoUpOnce) {
  this->match();
  std::size_t tables = 0;
  for (const auto& [what, entry] : this->crossing(Direction::up)) {
    if (what == "window" || what.starts_with("spikes ")) continue;
    EXPECT_EQ(entry.copies, 1u) << what;
    tables += entry.bytes;
  }
  const std::size_t n = this->problem.n_templates();
  const std::size_t products = 6 * 6 * 121;  // of the components at all lags
  EXPECT_LT(tables, sizeof(float) * (this->problem.templates.size() + products + 3 * n * n + 40 * n));
}

TYPED_TEST(MatchingLedgerTest, SpikesComeDownOnceAndNothingElse) {
  this->match();
  auto down = this->crossing(Direction::down);
  const auto windows = static_cast<std::size_t>(this->matching.windows);
  const std::size_t n = this->matching.n_spikes();
  const std::map<std::string, std::size_t> promised = {
      {"features", n * 10 * 6 * sizeof(float)},
      {"spikes", n * sizeof(FoundSpike)},
      {"n_spikes", windows * sizeof(std::uint32_t)},
      {"n_in_round", down["n_in_round"].bytes},
  };
  for (const auto& [what, entry] : down) {
    ASSERT_TRUE(promised.contains(what)) << what << " comes down, which nobody promised";
    EXPECT_EQ(entry.bytes, promised.at(what)) << what;
  }
  EXPECT_EQ(down.size(), promised.size());
  EXPECT_LE(down["features"].copies, windows);
  EXPECT_EQ(down["n_spikes"].copies, windows);
  // Sorted by time they go up again, to have their features computed in that order; and a few a third time,
  // that reach into the next window.
  EXPECT_EQ(this->crossing(Direction::up).at("spikes in order").bytes, n * sizeof(FoundSpike));
  EXPECT_LT(this->crossing(Direction::up).at("spikes of the window before").bytes,
            windows * 20 * sizeof(FoundSpike));
}

/// One counter a look; three launches a round.
TYPED_TEST(MatchingLedgerTest, RoundsCostThreeLaunchesAndACounter) {
  this->options.window_samples = 1 << 20;
  for (const int per_look : {1, 4}) {
    this->options.rounds_per_look = per_look;
    std::map<std::string, int> launches;
    {
      const KokkosListener listener;
      this->match();
      for (const auto& kernel : listener.kernels()) ++launches[kernel.name];
    }
    const int rounds = this->matching.most_rounds + 1;  // the last finds nothing
    const int queued = (rounds + per_look - 1) / per_look * per_look;
    EXPECT_EQ(launches["kokkosort::matching::find_best"], queued);
    EXPECT_EQ(launches["kokkosort::matching::take_spikes"], 3 * queued);
    EXPECT_EQ(this->crossing(Direction::down).at("n_in_round").copies,
              static_cast<std::size_t>(queued / per_look));
    EXPECT_EQ(this->crossing(Direction::down).at("n_in_round").bytes,
              sizeof(std::uint32_t) * static_cast<std::size_t>(queued));
  }
}

/// Kokkos tells of every copy: their number and bytes are the ledger's. Where the device is the host,
/// windows, spikes and features are used where they are.
TYPED_TEST(MatchingLedgerTest, EveryCopyIsInTheLedger) {
  const KokkosListener listener;
  this->match();
  Entry seen;
  for (const auto& copy : listener.copies()) {
    if (copy.from == "Scalar" || copy.from == "(none)") continue;  // a fill
    if (!runs_on_host<TypeParam> && copy.to_space == copy.from_space) continue;
    seen.bytes += copy.bytes;
    ++seen.copies;
  }
  const std::set<std::string> in_place = {"window", "spikes", "features"};
  Entry recorded;
  for (const auto& [key, entry] : this->ledger.entries()) {
    if (runs_on_host<TypeParam> && in_place.contains(key.what)) continue;
    recorded.bytes += entry.bytes;
    recorded.copies += entry.copies;
  }
  EXPECT_EQ(seen.copies, recorded.copies);
  EXPECT_EQ(seen.bytes, recorded.bytes);
}

}  // namespace
}  // namespace kokkosort::test
