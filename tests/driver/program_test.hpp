#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "io/temporary_folder.hpp"

namespace kokkosort::test {

struct Finished {
  int exit_code;
  std::string out;
  std::string error;
};

/// Runs the program itself on a deck, deck.yaml, whose output.folder is out.
class ProgramTest : public testing::Test {
 protected:
  /// Runs kokkosort with DECK replaced by the deck's path. @param before  shell text, e.g. "NAME=value"
  Finished run(std::string arguments, const std::string& before = "") const {
    const std::string word = "DECK";
    if (const std::size_t at = arguments.find(word); at != std::string::npos)
      arguments.replace(at, word.size(), "'" + deck().string() + "'");
    const std::string out = (streams_ / "out").string();
    const std::string error = (streams_ / "error").string();
    const int status = std::system(
        (before + " " KOKKOSORT_BINARY " " + arguments + " > '" + out + "' 2> '" + error + "'").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(out), read_text(error)};
  }

  /// Exit code 2, one line, which has this part, and nothing made.
  void expect_refused(const std::string& arguments, const std::string& part,
                      const std::string& before = "") const {
    SCOPED_TRACE(before + " " + arguments);
    const Finished finished = run(arguments, before);
    EXPECT_EQ(finished.exit_code, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(finished.error.find('\n'), finished.error.size() - 1) << finished.error;
    EXPECT_EQ(finished.error.rfind("kokkosort: ", 0), 0u) << finished.error;
    EXPECT_NE(finished.error.find(part), std::string::npos) << finished.error;
    EXPECT_FALSE(std::filesystem::exists(folder()));
  }

  std::filesystem::path deck() const { return data_ / "deck.yaml"; }
  std::filesystem::path folder() const { return data_ / "out"; }

  TemporaryFolder data_;
  TemporaryFolder streams_;
};

}  // namespace kokkosort::test
