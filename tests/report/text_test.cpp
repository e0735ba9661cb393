#include "report/text.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace kokkosort::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Escaped, leaves_no_markup) {
  EXPECT_EQ(escaped("a <b> & \"c\" 'd'"), "a &lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(escaped("&lt;"), "&amp;lt;");
  EXPECT_EQ(escaped(""), "");
}

TEST(Escaped, keeps_what_is_utf8) {
  for (const char* const text : {"Größe 3 µm", "試料", "🐭 tab\tline\n", "\x7f"})
    EXPECT_EQ(escaped(text), text);
}

TEST(Escaped, replaces_what_no_page_may_hold) {
  const std::string bad = "\uFFFD";
  EXPECT_EQ(escaped("a\x01z\x1b"), "a" + bad + "z" + bad);
  EXPECT_EQ(escaped(std::string("a\0b", 3)), "a" + bad + "b");
  EXPECT_EQ(escaped("\xff<"), bad + "&lt;");
  EXPECT_EQ(escaped("\xc3"), bad);                      // cut short
  EXPECT_EQ(escaped("\xc3<"), bad + "&lt;");            // cut short, and markup must not be its second byte
  EXPECT_EQ(escaped("\xc0\xbc"), bad + bad);            // "<" in two bytes
  EXPECT_EQ(escaped("\xe0\x80\xbc"), bad + bad + bad);  // in three
  EXPECT_EQ(escaped("\xed\xa0\x80"), bad + bad + bad);  // half of a pair
  EXPECT_EQ(escaped("\xef\xbf\xbe"), bad + bad + bad);  // U+FFFE
  EXPECT_EQ(escaped("\xf4\x90\x80\x80"), bad + bad + bad + bad);  // above U+10FFFF
}

TEST(Grouped, has_a_comma_before_each_three_digits) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(-123456), "-123,456");
}

TEST(Rounded, has_three_digits_or_is_whole) {
  EXPECT_EQ(rounded(0.0), "0");
  EXPECT_EQ(rounded(0.12345), "0.123");
  EXPECT_EQ(rounded(12.345), "12.3");
  EXPECT_EQ(rounded(12345.6), "12346");
  EXPECT_EQ(rounded(infinity), "–");
  EXPECT_EQ(rounded(infinity - infinity), "–");
}

TEST(Percent, has_one_decimal) {
  EXPECT_EQ(percent(0.0), "0.0 %");
  EXPECT_EQ(percent(0.0375), "3.8 %");
  EXPECT_EQ(percent(1.0), "100.0 %");
  EXPECT_EQ(percent(infinity), "–");
}

}  // namespace
}  // namespace kokkosort::test
