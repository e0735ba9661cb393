// An output folder in which others have put something.
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "driver/sort_test.hpp"

namespace kokkosort::test {
namespace {

namespace fs = std::filesystem;

class OutputFolder : public SortTest {
 protected:
  void expect_log_refused(const std::string& part) const {
    const Finished finished = run("sort DECK");
    EXPECT_EQ(finished.exit_code, 2);
    EXPECT_NE(finished.error.find("kokkosort.log: cannot be written (" + part), std::string::npos)
        << finished.error;
  }
};

TEST_F(OutputFolder, WhatIsNoFileThereIsNeitherWaitedForNorFollowed) {
  write_deck();
  fs::create_directory(folder());
  ASSERT_EQ(mkfifo((folder() / "kokkosort.log").c_str(), 0600), 0);
  expect_log_refused("");
  fs::remove(folder() / "kokkosort.log");
  write_text(data_ / "elsewhere", "mine");
  fs::create_symlink("../elsewhere", folder() / "kokkosort.log");
  expect_log_refused("it is a symbolic link)");
  fs::remove(folder() / "kokkosort.log");
  fs::create_symlink("../elsewhere", folder() / ".kokkosort.commit");
  EXPECT_EQ(run("sort DECK input.time_range_s='[0, 3]'").exit_code, 0);
  EXPECT_EQ(read_text(data_ / "elsewhere"), "mine");
}

}  // namespace
}  // namespace kokkosort::test
