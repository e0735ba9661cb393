#include "kokkosort/report/report.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "io/temporary_folder.hpp"
#include "report/page_reader.hpp"
#include "report/synthetic_sorting.hpp"
#include "report/text.hpp"

namespace kokkosort::test {
namespace {

/// Every number of a drawing's coordinates.
void expect_numbers(const Page& page) {
  for (const Element& element : page.elements())
    for (const auto& [name, value] : element.attributes) {
      if (name != "d" && name != "points" && name != "viewBox" && name != "x" && name != "y" &&
          name != "cx" && name != "cy" && name != "r")
        continue;
      EXPECT_EQ(value.find_first_not_of("0123456789.-, MLVh"), std::string::npos) << name << "=" << value;
    }
}

std::vector<std::pair<double, double>> points_of(const Element& polyline) {
  std::vector<std::pair<double, double>> points;
  std::istringstream text(polyline.attributes.at("points"));
  char comma = 0;
  for (double x = 0.0, y = 0.0; text >> x >> comma >> y;) points.emplace_back(x, y);
  return points;
}

std::size_t count(const std::string& text, char c) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), c));
}

std::string counted_text(std::size_t n) { return grouped(static_cast<std::int64_t>(n)); }

SyntheticSorting some_sorting() { return {staggered_probe(32), 9, 20.0, 3}; }

TEST(Report, is_well_formed_for_any_number_of_units) {
  for (const std::size_t n_units : {0, 1, 9, 60}) {
    const Page page(SyntheticSorting(staggered_probe(32), n_units, 20.0, 3).html());
    EXPECT_EQ(page.elements()[0].name, "html");
    EXPECT_EQ(page.of_class("card").size(), n_units);
    expect_numbers(page);
  }
}

TEST(Report, is_xml_to_another_reader) {
  if (std::system("python3 -c 'import xml.etree.ElementTree' 2> /dev/null") != 0)
    GTEST_SKIP() << "NOT TESTED: python3 is missing";
  const TemporaryFolder folder;
  SyntheticSorting synthetic = some_sorting();
  synthetic.files = {"/data/<a>&\"'\x01\xff µ.bin"};
  write_text(folder / "report.html", synthetic.html());
  const std::string command =
      "python3 -c 'import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])' '";
  EXPECT_EQ(std::system((command + (folder / "report.html").string() + "'").c_str()), 0);
}

TEST(Report, is_the_same_bytes_again) { EXPECT_EQ(some_sorting().html(), some_sorting().html()); }

TEST(Report, summary_agrees_with_the_sorting) {
  const SyntheticSorting synthetic = some_sorting();
  const Page page(synthetic.html());
  EXPECT_EQ(page.named("h1")[0].text, "probe_a.bin");
  EXPECT_EQ(page.named("title")[0].text, "probe_a.bin – KokkoSort");
  EXPECT_EQ(page.value("units"), "9");
  EXPECT_EQ(page.value("good units"), "6");
  EXPECT_EQ(page.value("spikes"), counted_text(synthetic.sorting.n_spikes()));
  EXPECT_EQ(page.value("channels"), "32");
  EXPECT_EQ(page.value("recorded"), "20 s");
  EXPECT_EQ(page.value("sorted in"), "25 s");
  EXPECT_EQ(page.value("real time"), "0.8 ×");
  EXPECT_EQ(page.value("backend"), "OpenMP, 2 host threads");
  EXPECT_EQ(page.value("device"), "Some processor");
  EXPECT_EQ(page.value("versions"), "KokkoSort 0.9 · Kokkos 4.5.1");
  EXPECT_EQ(page.value("date"), "2025-01-02T03:04:05Z");
}

TEST(Report, names_a_recording_of_several_files) {
  SyntheticSorting synthetic = some_sorting();
  synthetic.files = {"a/one.bin", "a/two.bin", "a/three.bin"};
  EXPECT_EQ(Page(synthetic.html()).named("h1")[0].text, "one.bin and 2 more files");
  synthetic.files.clear();
  EXPECT_EQ(Page(synthetic.html()).named("h1")[0].text, "recording");
}

TEST(Report, cards_agree_with_the_sorting_in_its_order) {
  SyntheticSorting synthetic = some_sorting();
  for (std::size_t u = 0; u < 9; ++u) synthetic.amplitude_uv.push_back(100.0 + static_cast<double>(u));
  const Page page(synthetic.html());
  const std::vector<Element> cards = page.of_class("card");
  ASSERT_EQ(cards.size(), 9u);
  for (std::size_t u = 0; u < cards.size(); ++u) {
    SCOPED_TRACE(u);
    const Unit& unit = synthetic.sorting.units[u];
    EXPECT_EQ(cards[u].attributes.at("id"), fmt::format("unit-{}", u));
    EXPECT_EQ(page.value("spikes", cards[u]), counted_text(static_cast<std::size_t>(unit.spikes)));
    EXPECT_EQ(page.value("rate", cards[u]), fmt::format("{:.3g} Hz", unit.firing_rate_hz));
    EXPECT_EQ(page.value("amplitude", cards[u]), fmt::format("{:.3g} σ", unit.amplitude));
    EXPECT_EQ(page.value("in µV", cards[u]), fmt::format("{}", 100 + u));
    EXPECT_EQ(page.value("contamination", cards[u]), fmt::format("{:.1f} %", 100.0 * unit.contamination));
    EXPECT_EQ(page.value("channel", cards[u]), std::to_string(unit.channel));
    EXPECT_EQ(page.value("position", cards[u]), fmt::format("{:.1f}, {:.1f} µm", unit.x_um, unit.y_um));
    EXPECT_EQ(page.of_class("badge", cards[u])[0].text, unit.is_refractory ? "● good" : "○ other");
  }
}

TEST(Report, says_no_microvolts_without_a_gain) {
  EXPECT_THROW(Page(some_sorting().html()).value("in µV"), std::out_of_range);
}

TEST(Report, draws_waveforms_on_their_largest_channels) {
  const SyntheticSorting synthetic = some_sorting();
  const Page page(synthetic.html());
  const std::vector<Element> cards = page.of_class("card");
  for (std::size_t u = 0; u < cards.size(); ++u) {
    SCOPED_TRACE(u);
    std::vector<std::pair<double, std::size_t>> energies;
    for (std::size_t c = 0; c < synthetic.n_channels(); ++c) {
      double energy = 0.0;
      for (std::size_t t = 0; t < 61; ++t) energy += std::pow(synthetic.waveform(u, c, t), 2.0);
      energies.emplace_back(-energy, c);
    }
    std::sort(energies.begin(), energies.end());
    const std::vector<Element> labels = page.of_class("channel", cards[u]);
    const std::vector<Element> traces = page.of_class("trace", cards[u]);
    ASSERT_EQ(traces.size(), 8u);
    ASSERT_EQ(labels.size(), 8u);
    EXPECT_EQ(labels.back().text, std::to_string(energies[0].second));  // the largest is drawn last

    // All traces of a unit have one scale: y = base − value · height.
    const auto [a, b] = std::pair(points_of(traces.back()), points_of(traces.front()));
    ASSERT_EQ(a.size(), 61u);
    ASSERT_EQ(b.size(), 61u);
    const std::size_t largest = energies[0].second;
    const auto smallest = static_cast<std::size_t>(std::stoi(labels.front().text));
    double peak = 0.0;
    std::size_t at = 0;
    for (std::size_t t = 0; t < 61; ++t)
      if (std::abs(synthetic.waveform(u, largest, t)) > peak)
        peak = std::abs(synthetic.waveform(u, largest, at = t));
    const double height = (a[0].second - a[at].second) /
                          (synthetic.waveform(u, largest, at) - synthetic.waveform(u, largest, 0));
    EXPECT_GT(height, 0.0);
    for (std::size_t t = 0; t < 61; ++t) {  // to the rounding of tenths
      EXPECT_NEAR(a[0].second - a[t].second,
                  height * (synthetic.waveform(u, largest, t) - synthetic.waveform(u, largest, 0)), 0.31);
      EXPECT_NEAR(b[0].second - b[t].second,
                  height * (synthetic.waveform(u, smallest, t) - synthetic.waveform(u, smallest, 0)), 0.31);
    }
  }
}

TEST(Report, places_traces_as_the_contacts_are) {
  const SyntheticSorting synthetic = some_sorting();
  const Page page(synthetic.html());
  for (const Element& card : page.of_class("card")) {
    const std::vector<Element> labels = page.of_class("channel", card);
    for (std::size_t i = 1; i < labels.size(); ++i) {
      const auto channel = [&](std::size_t k) { return static_cast<std::size_t>(std::stoi(labels[k].text)); };
      const auto at = [&](std::size_t k, const char* axis) {
        return std::stod(labels[k].attributes.at(axis));
      };
      const auto sign = [](double x) { return (x > 1e-9) - (x < -1e-9); };
      EXPECT_EQ(sign(at(i, "x") - at(0, "x")),
                sign(synthetic.probe.x_um[channel(i)] - synthetic.probe.x_um[channel(0)]));
      EXPECT_EQ(sign(at(0, "y") - at(i, "y")),
                sign(synthetic.probe.y_um[channel(i)] - synthetic.probe.y_um[channel(0)]));
    }
  }
}

TEST(Report, draws_correlograms_whose_highest_bars_are_told) {
  const SyntheticSorting synthetic = some_sorting();
  const Page page(synthetic.html());
  const std::vector<Element> cards = page.of_class("card");
  for (std::size_t u = 0; u < cards.size(); ++u) {
    SCOPED_TRACE(u);
    std::vector<std::uint64_t> counts(50, 0);  // of all pairs
    const auto& [sample, unit] = std::tie(synthetic.sorting.sample, synthetic.sorting.unit);
    for (std::size_t i = 0; i < sample.size(); ++i)
      for (std::size_t j = i + 1; j < sample.size() && sample[j] - sample[i] < 1500; ++j)
        if (unit[i] == static_cast<std::int32_t>(u) && unit[j] == unit[i])
          ++counts[static_cast<std::size_t>(sample[j] - sample[i]) / 30];
    const auto empty = static_cast<std::size_t>(std::count(counts.begin(), counts.end(), 0u));
    const std::vector<Element> bars = page.of_class("bar", cards[u]);
    EXPECT_EQ(bars.empty() ? 0 : count(bars[0].attributes.at("d"), 'M'), 2 * (50 - empty));
    const std::uint64_t most = *std::max_element(counts.begin(), counts.end());
    EXPECT_NE(cards[u].text.find(fmt::format("max {}", most)), std::string::npos);
  }
}

TEST(Report, maps_every_unit_and_tells_good_ones_by_more_than_colour) {
  const SyntheticSorting synthetic = some_sorting();
  const Page page(synthetic.html());
  std::vector<Element> circles = page.named("circle");
  ASSERT_EQ(circles.size(), 9u);
  const std::vector<Unit>& units = synthetic.sorting.units;
  for (std::size_t u = 0; u < circles.size(); ++u) {
    EXPECT_EQ(circles[u].attributes.at("class"), units[u].is_refractory ? "good" : "other");
    for (std::size_t v = 0; v < u; ++v) {  // area by rate
      const double ratio =
          std::stod(circles[u].attributes.at("r")) / std::stod(circles[v].attributes.at("r"));
      EXPECT_NEAR(ratio * ratio, units[u].firing_rate_hz / units[v].firing_rate_hz, 0.12 * ratio * ratio);
    }
  }
  const std::string style = page.named("style")[0].text;
  EXPECT_NE(style.find("circle.other { fill: none;"), std::string::npos);
}

TEST(Report, thins_the_drift_map) {
  SyntheticSorting synthetic(staggered_probe(64), 30, 60.0, 5);
  ASSERT_GT(synthetic.sorting.n_spikes(), 10000u);
  const Page page(synthetic.html());
  std::size_t dots = 0;
  for (const Element& path : page.of_class("spike")) dots += count(path.attributes.at("d"), 'M');
  EXPECT_GT(dots, 2500u);
  EXPECT_LE(dots, 5000u);
  EXPECT_NE(page.of_class("map")[1].text.find(fmt::format("{} of {} spikes", counted_text(dots),
                                                          counted_text(synthetic.sorting.n_spikes()))),
            std::string::npos);
}

TEST(Report, draws_every_spike_of_a_small_sorting_at_its_time) {
  SyntheticSorting synthetic = some_sorting();
  synthetic.first_sample = 30 * 30000;  // starts 30 s into its file
  const Page page(synthetic.html());
  std::size_t dots = 0;
  for (const Element& path : page.of_class("spike")) dots += count(path.attributes.at("d"), 'M');
  EXPECT_EQ(dots, synthetic.sorting.n_spikes());
  const std::vector<Element> ticks = page.of_class("below", page.of_class("map")[1]);
  EXPECT_EQ(ticks.front().text, "30");  // s
  EXPECT_EQ(ticks.back().text, "50");
}

TEST(Report, tells_of_dead_and_saturated_channels) {
  SyntheticSorting synthetic = some_sorting();
  EXPECT_TRUE(Page(synthetic.html()).of_class("warnings").empty());
  synthetic.preparation.channels[3].is_dead = synthetic.preparation.channels[17].is_dead = true;
  synthetic.preparation.channels[5].is_saturated = true;
  synthetic.warnings = {"Matching stopped early."};
  const Page page(synthetic.html());
  EXPECT_EQ(
      page.of_class("warnings")[0].text,
      "\n2 channels (3, 17) are dead: constant, or nearly so. Nothing was found there.\n"
      "Channel 5 is saturated: too many samples are at the ends of the range. Spikes there are cut off.\n"
      "Matching stopped early.\n");
}

TEST(Report, says_plainly_that_there_are_no_units) {
  const std::string html = SyntheticSorting(staggered_probe(16), 0, 5.0, 1).html();
  EXPECT_NE(html.find("No units were found"), std::string::npos);
  EXPECT_NE(html.find("No spikes were found"), std::string::npos);
  EXPECT_EQ(Page(html).value("units"), "0");
}

TEST(Report, draws_the_least_of_sortings) {
  SyntheticSorting synthetic(linear_probe(1), 1, 0.001, 1);
  ASSERT_EQ(synthetic.sorting.n_spikes(), 1u);
  Kokkos::deep_copy(synthetic.sorting.templates, 0.0f);
  synthetic.sorting.amplitude[0] = 0.0f;
  synthetic.sorting.units[0].firing_rate_hz = 0.0;
  const Page page(synthetic.html());
  expect_numbers(page);
  EXPECT_EQ(page.of_class("trace").size(), 1u);
  EXPECT_EQ(page.value("spikes"), "1");
}

TEST(Report, draws_on_in_spite_of_numbers_that_are_none) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  SyntheticSorting synthetic = some_sorting();
  synthetic.seconds = 0.0;
  Unit& unit = synthetic.sorting.units[0];
  unit.x_um = unit.firing_rate_hz = unit.contamination = none;
  synthetic.sorting.amplitude[0] = synthetic.sorting.y_um[1] = static_cast<float>(none);
  synthetic.sorting.templates(0, 0, 0) = static_cast<float>(none);
  const Page page(synthetic.html());
  expect_numbers(page);
  const std::string text = page.named("body")[0].text;
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_EQ(text.find("inf"), std::string::npos);
}

TEST(Report, shows_names_and_runs_nothing) {
  const std::string name = "<script>alert(1)</script><img src=x onerror='alert(2)'>\"&\xff.bin";
  SyntheticSorting synthetic = some_sorting();
  synthetic.files = {name};
  synthetic.run.device = synthetic.run.backend = synthetic.run.date = name;
  synthetic.run.versions = {{name, name}};
  synthetic.warnings = {name};
  const Page page(synthetic.html());
  EXPECT_TRUE(page.named("script").empty());
  EXPECT_TRUE(page.named("img").empty());
  for (const Element& element : page.elements())
    for (const auto& [attribute, value] : element.attributes) EXPECT_NE(attribute.substr(0, 2), "on");
  const std::string shown = name.substr(0, name.find('\xff')) + "\uFFFD.bin";
  // The part of a path after its last "/" is the name.
  EXPECT_EQ(page.named("h1")[0].text, shown.substr(shown.rfind('/') + 1));
  EXPECT_EQ(page.value("recording"), shown);
  EXPECT_EQ(page.value("device"), shown);
}

TEST(Report, needs_nothing_from_elsewhere) {
  const std::string html = some_sorting().html();
  const Page page(html);
  for (const char* const name : {"script", "link", "img", "iframe", "object", "use"})
    EXPECT_TRUE(page.named(name).empty()) << name;
  for (const Element& element : page.elements())
    for (const auto& [attribute, value] : element.attributes) {
      EXPECT_NE(attribute, "src");
      EXPECT_TRUE(attribute != "href" || value[0] == '#') << value;
    }
  const std::string style = page.named("style")[0].text;
  for (const char* const part : {"url(", "@import"}) EXPECT_EQ(style.find(part), std::string::npos);
  for (const char* const part : {"prefers-color-scheme: dark", "max-width", "@media print"})
    EXPECT_NE(style.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace kokkosort::test
