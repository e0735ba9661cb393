#include "io/python_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kokkosort::test {
namespace {

TEST(PythonText, PlainPathsStayReadable) {
  EXPECT_EQ(python_literal("/data/Mouse 1/2024-05-01_g0.imec0:a+b=c,d@e.bin"),
            "'/data/Mouse 1/2024-05-01_g0.imec0:a+b=c,d@e.bin'");
  EXPECT_EQ(python_literal(""), "''");
}

TEST(PythonText, NoCharacterEndsTheLiteralOrBeginsAnother) {
  EXPECT_EQ(python_literal("a'b\"c\\d\ne\tf{g}(3)"), R"('a\x27b\x22c\x5cd\x0ae\x09f\x7bg\x7d\x283\x29')");
  EXPECT_EQ(python_literal(std::string(1, '\x7f')), R"('\x7f')");
}

TEST(PythonText, CharactersOfAllLengths) {
  EXPECT_EQ(python_literal("\xc3\xa9"), R"('\xe9')");
  EXPECT_EQ(python_literal("\xe8\x84\xb3"), R"('\u8133')");
  EXPECT_EQ(python_literal("\xf0\x9f\xa7\xa0"), R"('\U0001f9e0')");
}

TEST(PythonText, BytesThatAreNoUtf8) {
  EXPECT_EQ(python_literal("\xe9t\xe9"), R"('\udce9t\udce9')");          // Latin 1
  EXPECT_EQ(python_literal("\xc3"), R"('\udcc3')");                      // cut short
  EXPECT_EQ(python_literal("\xc0\xaf"), R"('\udcc0\udcaf')");            // longer than need be
  EXPECT_EQ(python_literal("\xed\xa0\x80"), R"('\udced\udca0\udc80')");  // a surrogate
  EXPECT_EQ(python_literal("\xf5\x80\x80\x80"), R"('\udcf5\udc80\udc80\udc80')");
  EXPECT_EQ(python_literal("\x80"), R"('\udc80')");
}

}  // namespace
}  // namespace kokkosort::test
