#include "driver/machine.hpp"

#include <sys/statvfs.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace kokkosort {
namespace {

namespace fs = std::filesystem;

/// The number behind a name in a file of lines "NAME NUMBER ..."; nothing if there is none.
std::optional<std::uint64_t> number_of(const fs::path& file, const std::string& name) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string first;
    std::uint64_t number = 0;
    if (words >> first && first == name && words >> number) return number;
  }
  return std::nullopt;
}

/// A file that is a number; nothing if it is a word ("max").
std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::ifstream stream(file);
  std::uint64_t number = 0;
  if (stream >> number) return number;
  return std::nullopt;
}

/// How a version of control groups calls its files.
struct GroupFiles {
  fs::path mount;
  std::string limit;
  std::string usage;
  std::string cache;  // of memory.stat: what the system gives back when memory is short
};

std::optional<std::uint64_t> smaller(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

/// What a group leaves; a limit of almost 2^63 is none.
std::optional<std::uint64_t> left_of(const fs::path& group, const GroupFiles& files) {
  constexpr std::uint64_t unlimited = std::uint64_t{1} << 60;
  const auto limit = number_in(group / files.limit);
  const auto usage = number_in(group / files.usage);
  if (!limit || !usage || *limit >= unlimited) return std::nullopt;
  const std::uint64_t cache = number_of(group / "memory.stat", files.cache).value_or(0);
  const std::uint64_t used = *usage - std::min(*usage, cache);
  return *limit - std::min(*limit, used);
}

/// What a group and those that it is part of leave. In a container the upper ones are not to be seen.
std::optional<std::uint64_t> left_up_from(fs::path group, const GroupFiles& files) {
  std::optional<std::uint64_t> left = left_of(files.mount, files);
  for (; group.has_relative_path(); group = group.parent_path())
    left = smaller(left, left_of(files.mount / group.relative_path(), files));
  return left;
}

/// @param root  of proc and sys
std::optional<std::uint64_t> left_of_groups(const fs::path& root) {
  const fs::path mount = root / "sys/fs/cgroup";
  std::optional<std::uint64_t> left;
  std::ifstream stream(root / "proc/self/cgroup");
  for (std::string line; std::getline(stream, line);) {  // NUMBER:CONTROLLERS:GROUP
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const fs::path group = line.substr(second + 1);
    if (controllers == ",,")
      left = smaller(left, left_up_from(group, {mount, "memory.max", "memory.current", "inactive_file"}));
    else if (controllers.find(",memory,") != controllers.npos)
      left = smaller(left, left_up_from(group, {mount / "memory", "memory.limit_in_bytes",
                                                "memory.usage_in_bytes", "total_inactive_file"}));
  }
  return left;
}

}  // namespace

std::optional<std::uint64_t> available_memory(const fs::path& root) {
  std::optional<std::uint64_t> available = number_of(root / "proc/meminfo", "MemAvailable:");
  if (available) *available <<= 10;
  return smaller(available, left_of_groups(root));
}

std::optional<std::uint64_t> free_disk(const fs::path& folder) {
  std::error_code error;
  fs::path there = fs::absolute(folder, error);
  while (!error && !fs::exists(there, error) && there.has_relative_path()) there = there.parent_path();
  struct statvfs disk {};
  if (error || statvfs(there.c_str(), &disk) != 0) return std::nullopt;
  return std::uint64_t{disk.f_bavail} * disk.f_frsize;
}

}  // namespace kokkosort
