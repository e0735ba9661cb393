#pragma once
// What the tests of probe files have in common.

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/temporary_folder.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/recording/probe_file.hpp"

namespace kokkosort::test {

inline ProbeFile read_probe_text(const std::string& text) {
  const TemporaryFolder folder;
  write_text(folder / "probe.file", text);
  return read_probe(folder / "probe.file");
}

/// The error that a text is refused with, without the folder.
inline std::string probe_error(const std::string& text) {
  const std::string message = message_of<InputError>([&] { read_probe_text(text); });
  const std::size_t start = message.find("probe.file: ");
  return start == std::string::npos ? message : message.substr(start + 12);
}

inline void expect_probe(const ProbeFile& file, const std::vector<std::int32_t>& column,
                         const std::vector<double>& x, const std::vector<double>& y,
                         const std::vector<std::int32_t>& shank) {
  EXPECT_EQ(file.column, column);
  EXPECT_EQ(file.probe.x_um, x);
  EXPECT_EQ(file.probe.y_um, y);
  EXPECT_EQ(file.probe.shank, shank);
}

/// A text with another in one place, which must be there.
inline std::string with(std::string text, const std::string& what, const std::string& instead) {
  const std::size_t place = text.find(what);
  if (place == std::string::npos) throw std::logic_error("there is no " + what);
  return text.replace(place, what.size(), instead);
}

/// Whether a message begins so; if not, it is printed.
inline testing::AssertionResult begins(const std::string& message, const std::string& start) {
  if (message.substr(0, start.size()) == start) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << message << "' does not begin with '" << start << "'";
}

}  // namespace kokkosort::test
