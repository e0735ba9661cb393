#include "driver/machine.hpp"

#include <gtest/gtest.h>

#include "io/temporary_folder.hpp"

namespace kokkosort::test {
namespace {

namespace fs = std::filesystem;

/// A made-up proc and sys.
class Machine : public testing::Test {
 protected:
  void SetUp() override {
    write("proc/meminfo", "MemTotal: 9000 kB\nMemFree: 1 kB\nMemAvailable: 8000 kB\n");
  }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    write_text(root_ / name, text);
  }
  std::uint64_t available() const { return available_memory(root_.path()).value_or(0); }

  TemporaryFolder root_;
};

TEST_F(Machine, HasWhatTheSystemSays) { EXPECT_EQ(available(), 8000u << 10); }

TEST_F(Machine, HasWhatItsControlGroupLeaves) {
  write("proc/self/cgroup", "0::/batch/job\n");
  write("sys/fs/cgroup/batch/job/memory.max", "max\n");
  write("sys/fs/cgroup/batch/job/memory.current", "1000\n");
  EXPECT_EQ(available(), 8000u << 10);
  write("sys/fs/cgroup/batch/memory.max", "5000000\n");
  write("sys/fs/cgroup/batch/memory.current", "3000000\n");
  EXPECT_EQ(available(), 2000000u);
  write("sys/fs/cgroup/batch/memory.stat", "anon 7\ninactive_file 500000\n");
  EXPECT_EQ(available(), 2500000u);
  write("sys/fs/cgroup/batch/job/memory.max", "1500\n");
  EXPECT_EQ(available(), 500u);
  write("sys/fs/cgroup/batch/job/memory.current", "2000\n");
  EXPECT_EQ(available_memory(root_.path()), 0u);
}

TEST_F(Machine, HasWhatAGroupOfTheFirstVersionLeaves) {
  write("proc/self/cgroup", "5:cpuset:/\n4:cpu,memory:/docker/7\n0::/\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");  // none
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "9000\n");
  EXPECT_EQ(available(), 8000u << 10);
  write("sys/fs/cgroup/memory/docker/7/memory.limit_in_bytes", "4000\n");
  write("sys/fs/cgroup/memory/docker/7/memory.usage_in_bytes", "1000\n");
  EXPECT_EQ(available(), 3000u);
}

TEST_F(Machine, MayNotTell) {
  fs::remove(root_ / "proc/meminfo");
  EXPECT_FALSE(available_memory(root_.path()));
}

TEST_F(Machine, HasADiskEvenWhereNoFolderIsYet) {
  EXPECT_GT(free_disk(root_ / "not/yet/made").value_or(0), 0u);
  EXPECT_GT(available_memory().value_or(0), 0u);  // of the real one
}

}  // namespace
}  // namespace kokkosort::test
