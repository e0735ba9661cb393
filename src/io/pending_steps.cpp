#include "io/pending_steps.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "kokkosort/errors.hpp"

namespace kokkosort {

namespace fs = std::filesystem;

void refuse_place(const fs::path& folder, const std::string& reason) {
  throw InputError(folder.string() + ": results cannot be written there (" + reason + "); set output.folder");
}

fs::path first_missing(const fs::path& folder) {
  fs::path missing;
  std::error_code error;
  for (fs::path part = folder; !fs::exists(part, error); part = part.parent_path()) missing = part;
  return missing;
}

void remove_made(const fs::path& innermost, const fs::path& made_from) {
  if (made_from.empty()) return;
  std::error_code ignored;  // of what could not be made the outer part may be there
  for (fs::path folder = innermost;; folder = folder.parent_path()) {
    fs::remove(folder, ignored);
    if (folder == made_from) return;
  }
}

std::string hidden_pattern(const fs::path& path) {
  return path.parent_path().string() + "/." + path.filename().string() + ".XXXXXX";
}

void remove_abandoned(const fs::path& path) {
  const std::string pattern = fs::path(hidden_pattern(fs::absolute(path))).filename().string();
  const std::string beginning = pattern.substr(0, pattern.find_last_of('.') + 1);
  std::error_code ignored;
  std::vector<fs::path> abandoned;
  for (const fs::directory_entry& entry : fs::directory_iterator(path.parent_path(), ignored)) {
    std::string name = entry.path().filename().string();
    if (name.ends_with(".old")) name.resize(name.size() - 4);  // what it was to replace
    if (name.starts_with(beginning) && name.size() == pattern.size()) abandoned.push_back(entry.path());
  }
  for (const fs::path& entry : abandoned) fs::remove_all(entry, ignored);
}

void begin_to_disk(const fs::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY);
  if (descriptor < 0) return;
  sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);  // 0: to the end
  close(descriptor);
}

void sync_to_disk(const fs::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY);
  const bool failed = descriptor < 0 || fsync(descriptor) != 0;
  const int reason = errno;
  if (descriptor >= 0) close(descriptor);
  // EINVAL: a file system that cannot sync this kind of object.
  if (failed && reason != EINVAL) throw std::runtime_error(path.string() + ": " + std::strerror(reason));
}

}  // namespace kokkosort
