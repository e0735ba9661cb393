#include "kokkosort/io/pending_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <system_error>

#include "kokkosort/errors.hpp"

namespace kokkosort {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_folder(const fs::path& folder, const std::string& reason) {
  throw InputError(folder.string() + ": results cannot be written there (" + reason + "); set output.folder");
}

void refuse_existing(const fs::path& path, bool overwrite) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (!fs::exists(status)) return;
  if (fs::is_directory(status))
    throw InputError(path.string() + ": is a folder; remove it, or set output.folder");
  if (!overwrite)
    throw InputError(path.string() + ": exists; --overwrite replaces it, output.folder moves the result");
}

/// The uppermost folder of a path that is not there; empty if all are.
fs::path first_missing(const fs::path& folder) {
  fs::path missing;
  std::error_code error;
  for (fs::path part = folder; !fs::exists(part, error); part = part.parent_path()) missing = part;
  return missing;
}

/// A name beside the path that no file has. Made and removed once: the folder takes files.
fs::path free_name(const fs::path& path) {
  std::string name = path.parent_path().string();
  name.append("/.").append(path.filename().string()).append(".XXXXXX");
  const int descriptor = mkstemp(name.data());
  if (descriptor < 0) refuse_folder(path.parent_path(), std::strerror(errno));
  close(descriptor);
  unlink(name.c_str());
  return name;
}

/// Waits until a file or folder is on the disk.
void sync(const fs::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY);
  const bool failed = descriptor < 0 || fsync(descriptor) != 0;
  const int reason = errno;
  if (descriptor >= 0) close(descriptor);
  // EINVAL: a file system that cannot sync this kind of object.
  if (failed && reason != EINVAL) throw std::runtime_error(path.string() + ": " + std::strerror(reason));
}

}  // namespace

PendingFile::PendingFile(const fs::path& path, bool overwrite) : path_(fs::absolute(path)) {
  refuse_existing(path_, overwrite);
  const fs::path folder = path_.parent_path();
  made_from_ = first_missing(folder);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) refuse_folder(folder, error.message());
  temporary_ = free_name(path_);
}

PendingFile::~PendingFile() {
  if (committed_) return;
  std::error_code ignored;
  fs::remove(temporary_, ignored);
  if (made_from_.empty()) return;
  // Only what is empty goes, from the inside out.
  for (fs::path folder = path_.parent_path(); fs::remove(folder, ignored) && folder != made_from_;)
    folder = folder.parent_path();
}

void PendingFile::commit() {
  sync(temporary_);
  fs::rename(temporary_, path_);
  committed_ = true;
  sync(path_.parent_path());
}

void check_output(const fs::path& path, bool overwrite) {
  const fs::path whole = fs::absolute(path);
  refuse_existing(whole, overwrite);
  const fs::path missing = first_missing(whole.parent_path());
  const fs::path folder = missing.empty() ? whole.parent_path() : missing.parent_path();
  if (!fs::is_directory(folder)) refuse_folder(whole.parent_path(), folder.string() + " is not a folder");
  if (access(folder.c_str(), W_OK | X_OK) != 0) refuse_folder(whole.parent_path(), std::strerror(errno));
}

}  // namespace kokkosort
