#include "report/svg.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "report/page_reader.hpp"

namespace kokkosort::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string written(double coordinate) {
  std::string text;
  svg::append(text, coordinate);
  return text;
}

TEST(Svg, coordinates_are_short) {
  EXPECT_EQ(written(0.0), "0");
  EXPECT_EQ(written(-0.04), "0");
  EXPECT_EQ(written(12.0), "12");
  EXPECT_EQ(written(12.34), "12.3");
  EXPECT_EQ(written(-12.36), "-12.4");
  EXPECT_EQ(written(0.5), ".5");
  EXPECT_EQ(written(-0.5), "-.5");
}

TEST(Svg, coordinates_are_numbers) {
  EXPECT_EQ(written(infinity - infinity), "0");
  EXPECT_EQ(written(infinity), "0");
  EXPECT_EQ(written(1e300), "99999");
}

TEST(Svg, a_scale_keeps_all_in_the_drawing) {
  const svg::Scale scale{10.0, 20.0, 100.0, 0.0};
  EXPECT_EQ(scale(10.0), 100.0);
  EXPECT_EQ(scale(12.5), 75.0);
  EXPECT_EQ(scale(25.0), 0.0);
  EXPECT_EQ(scale(-infinity), 100.0);
  const svg::Scale of_one_value{3.0, 3.0, 0.0, 10.0};
  EXPECT_EQ(of_one_value(3.0), 5.0);
}

TEST(Svg, numbers_are_rounded_down_to_1_2_or_5) {
  EXPECT_EQ(svg::round_down(1.0), 1.0);
  EXPECT_EQ(svg::round_down(4.9), 2.0);
  EXPECT_EQ(svg::round_down(700.0), 500.0);
  EXPECT_DOUBLE_EQ(svg::round_down(0.3), 0.2);
  EXPECT_EQ(svg::round_down(0.0), 1.0);
  EXPECT_EQ(svg::round_down(infinity), 1.0);
}

TEST(Svg, ticks_are_round_and_few) {
  EXPECT_EQ(svg::ticks(0.0, 120.0, 8), (std::vector<double>{0, 20, 40, 60, 80, 100, 120}));
  EXPECT_EQ(svg::ticks(-12.0, 13.0, 6), (std::vector<double>{-10, -5, 0, 5, 10}));
  EXPECT_TRUE(svg::ticks(5.0, 5.0, 4).empty());
  EXPECT_TRUE(svg::ticks(0.0, infinity, 4).empty());
  for (double range = 1e-3; range < 1e7; range *= 1.37) {
    const std::vector<double> values = svg::ticks(0.1 * range, 1.1 * range, 8);
    EXPECT_GE(values.size(), 3u) << range;
    EXPECT_LE(values.size(), 8u) << range;
  }
}

TEST(Svg, no_marks_are_no_element) { EXPECT_EQ(svg::Marks().element("dots"), ""); }

TEST(Svg, marks_are_one_element) {
  svg::Marks marks;
  marks.dot(1.0, 2.5);
  marks.bar(3.0, 10.0, 4.0);
  marks.line(0.0, 0.0, 5.0, 6.0);
  EXPECT_EQ(marks.element("some"), R"(<path class="some" d="M1 2.5h0M3 10V4M0 0L5 6"/>)");
}

/// What a page's reader must find, or tests of pages could not fail.
TEST(PageReader, refuses_what_is_not_well_formed) {
  for (const char* const page :
       {"<a>", "</a>", "<a></b>", "<a><b></a></b>", "<a x=1/>", "<a x=\"1\" x=\"2\"/>", "<a>&</a>",
        "<a>&nbsp;</a>", "<a x=\"<\"/>", "<a x=\"1/>", "<a", "<a>\x01</a>", "text", "<a/>text"})
    EXPECT_THROW(PageReader::read(std::string("<!DOCTYPE html>") + page), std::runtime_error) << page;
}

TEST(PageReader, reads_elements_their_attributes_and_text) {
  const Page page("<!DOCTYPE html>\n<a x=\"1 &amp; 2\">t<b class=\"c d\"/>&lt;<dt>n</dt><dd>v</dd></a>\n");
  ASSERT_EQ(page.elements().size(), 4u);
  EXPECT_EQ(page.elements()[0].attributes.at("x"), "1 & 2");
  EXPECT_EQ(page.elements()[0].text, "t<nv");
  EXPECT_EQ(page.of_class("d").size(), 1u);
  EXPECT_EQ(page.value("n"), "v");
  EXPECT_THROW(page.value("v"), std::out_of_range);
}

}  // namespace
}  // namespace kokkosort::test
