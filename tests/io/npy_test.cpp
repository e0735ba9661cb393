#include "io/npy.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/temporary_folder.hpp"

namespace kokkosort::test {
namespace {

TEST(Npy, AFileIsAsNumPyDefinesIt) {
  const TemporaryFolder folder;
  const std::vector<std::int32_t> values{1, 2, 3, 4, 5, -6};
  npy::write(folder / "a.npy", {2, 3}, values.data());
  const std::string text = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }";
  const std::string bytes = read_text(folder / "a.npy");
  ASSERT_EQ(bytes.size(), 128u + 24u);
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));  // 118 bytes of text
  EXPECT_EQ(bytes.substr(10, 118), text + std::string(117 - text.size(), ' ') + "\n");
  EXPECT_EQ(bytes.substr(128, 5), std::string("\x01\x00\x00\x00\x02", 5));
  EXPECT_EQ(bytes.substr(148), "\xfa\xff\xff\xff");
}

TEST(Npy, TypesAndShapes) {
  EXPECT_NE(npy::header<bool>({7}).find("'|b1', 'fortran_order': False, 'shape': (7,), }"),
            std::string::npos);
  EXPECT_NE(npy::header<std::int64_t>({0}).find("'<i8', 'fortran_order': False, 'shape': (0,), }"),
            std::string::npos);
  EXPECT_NE(npy::header<std::uint32_t>({1, 2}).find("'<u4'"), std::string::npos);
  EXPECT_NE(npy::header<float>({3, 0, 5}).find("'<f4', 'fortran_order': False, 'shape': (3, 0, 5), }"),
            std::string::npos);
}

TEST(Npy, EveryHeaderEndsAtAMultipleOf64) {
  for (std::size_t digits = 1; digits < 19; ++digits)
    for (const std::size_t axes : {1, 2, 3, 9}) {
      const std::string header = npy::header<float>(npy::Shape(axes, std::stoull(std::string(digits, '9'))));
      EXPECT_EQ(header.size() % 64, 0u) << digits << " " << axes;
      EXPECT_EQ(header.back(), '\n');
      EXPECT_EQ(static_cast<unsigned char>(header[8]) + 256u * static_cast<unsigned char>(header[9]),
                header.size() - 10);
    }
}

TEST(Npy, PartsMakeTheSameFileAsTheWhole) {
  const TemporaryFolder folder;
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  npy::write(folder / "whole.npy", {6}, values.data());
  npy::OutputFile<float> parts(folder / "parts.npy", {6});
  parts.append(values.data(), 4);
  parts.append(values.data() + 4, 0);
  parts.append(values.data() + 4, 2);
  parts.close();
  EXPECT_EQ(read_text(folder / "parts.npy"), read_text(folder / "whole.npy"));
  EXPECT_EQ(npy::read_back<float>(folder / "parts.npy", {6}), values);
}

TEST(Npy, FewerOrMoreValuesThanTheShapeHas) {
  const TemporaryFolder folder;
  const std::vector<float> values(7);
  for (const std::size_t n : {5, 7}) {
    npy::OutputFile<float> file(folder / "a.npy", {2, 3});
    file.append(values.data(), n);
    EXPECT_NE(message_of<std::logic_error>([&] { file.close(); }).find("values for {'descr': '<f4'"),
              std::string::npos);
  }
}

TEST(Npy, WhatIsReadBackIsWhatWasWritten) {
  const TemporaryFolder folder;
  const std::vector<std::int32_t> values{1, 2, 3};
  const auto path = folder / "a.npy";
  npy::write(path, {3}, values.data());
  EXPECT_EQ(npy::read_back<std::int32_t>(path, {3}), values);
  EXPECT_THROW(npy::read_back<float>(path, {3}), std::runtime_error);
  EXPECT_THROW(npy::read_back<std::int32_t>(path, {4}), std::runtime_error);
  const std::string bytes = read_text(path);
  write_text(path, bytes.substr(0, bytes.size() - 1));
  EXPECT_NE(message_of<std::runtime_error>([&] {
              npy::read_back<std::int32_t>(path, {3});
            }).find("has 139 bytes; 140"),
            std::string::npos);
}

TEST(Npy, APlaceThatTakesNoFile) {
  const TemporaryFolder folder;
  EXPECT_NE(message_of<std::runtime_error>([&] {
              npy::OutputFile<float>(folder / "none/a.npy", {0});
            }).find("No such file or directory"),
            std::string::npos);
}

}  // namespace
}  // namespace kokkosort::test
