#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

#include "report/page_reader.hpp"
#include "report/synthetic_sorting.hpp"
#include "report/text.hpp"

namespace kokkosort::test {
namespace {

constexpr std::size_t limit = 10'000'000;  // bytes

/// Gives a sorting other spikes, `each` of each unit, at random in an hour. What no report looks at is left
/// out.
void replace_spikes(SyntheticSorting& synthetic, std::int64_t each) {
  Sorting& sorting = synthetic.sorting;
  const auto n_units = static_cast<std::int64_t>(sorting.n_units());
  const std::int64_t n = each * n_units;
  synthetic.n_samples = 3600LL * 30000;
  std::mt19937 random(11);
  sorting.sample.resize(static_cast<std::size_t>(n));
  sorting.unit.resize(sorting.sample.size());
  sorting.amplitude.resize(sorting.sample.size());
  sorting.y_um.resize(sorting.sample.size());
  for (std::size_t i = 0; i < sorting.sample.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i);
    sorting.sample[i] = number * synthetic.n_samples / n;
    sorting.unit[i] = static_cast<std::int32_t>((number + random() % 3) % n_units);
    sorting.amplitude[i] = 10.0f + 0.001f * static_cast<float>(random() % 10000);
    sorting.y_um[i] = 0.1f * static_cast<float>(random() % 38000);
  }
  for (Unit& unit : sorting.units) unit.spikes = 0;
  for (const std::int32_t u : sorting.unit) ++sorting.units[static_cast<std::size_t>(u)].spikes;
}

TEST(ReportSize, stays_small_for_300_units_of_100000_spikes) {
  SyntheticSorting synthetic(staggered_probe(384), 300, 2.0, 1);
  for (const Unit& unit : synthetic.sorting.units) synthetic.amplitude_uv.push_back(8.0 * unit.amplitude);
  replace_spikes(synthetic, 100'000);
  const std::string html = synthetic.html();
  EXPECT_LT(html.size(), limit);
  const Page page(html);
  EXPECT_EQ(page.of_class("card").size(), 300u);
  for (const Element& points : page.of_class("point")) {  // amplitudes of a unit
    const std::string& path = points.attributes.at("d");
    EXPECT_GT(std::count(path.begin(), path.end(), 'M'), 150);
    EXPECT_LE(std::count(path.begin(), path.end(), 'M'), 300);
  }
  EXPECT_EQ(page.value("spikes"), "30,000,000");
  EXPECT_EQ(page.value("spikes", page.of_class("card")[7]), grouped(synthetic.sorting.units[7].spikes));
}

}  // namespace
}  // namespace kokkosort::test
