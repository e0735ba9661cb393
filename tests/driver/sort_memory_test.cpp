// `kokkosort sort` takes no more of the host's memory than it promises.

#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include <fmt/format.h>

#include "driver/sort_deck.hpp"
#include "driver/sort_test.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort::test {
namespace {

/// Of many spikes, in short windows: the spikes are most of what it takes.
class SortMemory : public SortTest {
 protected:
  static constexpr int device_limit_mb = 14;

  void SetUp() override {
    const SimulatedFiles dense =
        simulated("channels: 32, units: 32, seconds: 12, rate_hz: 60, min_rate_hz: 40, max_rate_hz: 80");
    write_deck(dense.recording, dense.probe);
    sort(options() + "input.time_range_s='[0, 2]'");
    hardly_any_ = high_water_mb();
  }

  static std::string options() {
    return fmt::format(
        "threads=1 memory.device_limit_mb={} clustering.max_chunk_dots=100000 clustering.seeds=20 "
        "preprocessing.window_samples=2000 detection.window_samples=2000 matching.window_samples=2000 "
        "detection.max_peaks=1000 matching.passes=1 output.report=off output.checkpoints=off ",
        device_limit_mb);
  }

  double number_in_log(const std::string& pattern) const {
    const std::string text = log();
    std::smatch found;
    const std::string last = text.substr(text.rfind("deck\n"));  // a log is written on
    EXPECT_TRUE(std::regex_search(last, found, std::regex(pattern))) << pattern;
    return found.empty() ? 0.0 : std::stod(found[1]);
  }
  double high_water_mb() const { return number_in_log("process +([0-9.]+) MB"); }

  /// What the program may take. On a card the device's memory is not the host's.
  double promised_mb(double host_limit_mb) const {
    constexpr bool is_host = runs_on_host<Kokkos::DefaultExecutionSpace>;
    return hardly_any_ + (is_host ? device_limit_mb : 0) + host_limit_mb;
  }

  double hardly_any_ = 0.0;  // MB, of the sort of two seconds
};

TEST_F(SortMemory, StaysWithinTheLimits) {
  sort(options());
  const double n = number_in_log("matching .*times real time +([0-9]+) spikes");
  EXPECT_GT(n, 10000.0);
  const double needed = n * static_cast<double>(SortDeck().bytes_of_matched()) / (1 << 20);
  EXPECT_LT(high_water_mb(), promised_mb(std::ceil(needed)));
  EXPECT_GT(high_water_mb(), hardly_any_ + 0.5 * needed);  // spikes are most of it
}

TEST_F(SortMemory, EndsWhereSpikesWouldTakeMore) {
  const auto ends = [this](int limit_mb, const std::string& stage, std::size_t spike_bytes) {
    const Finished finished =
        run(fmt::format("sort DECK --quiet --overwrite memory.host_limit_mb={} {}", limit_mb, options()));
    EXPECT_EQ(finished.exit_code, 2);
    const std::size_t most = (static_cast<std::size_t>(limit_mb) << 20) / spike_bytes;
    EXPECT_EQ(finished.error.find(
                  fmt::format("kokkosort: {} found more than {} spikes in the first ", stage, most)),
              0u)
        << finished.error;
    EXPECT_NE(finished.error.find(fmt::format("raise {}.threshold or memory.host_limit_mb\n", stage)),
              std::string::npos)
        << finished.error;
    EXPECT_LT(high_water_mb(), promised_mb(limit_mb));
  };
  ends(2, "detection", SortDeck().bytes_of_detected());
  ends(12, "matching", SortDeck().bytes_of_matched());
}

}  // namespace
}  // namespace kokkosort::test
