#include "kokkosort/io/pending_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <system_error>

#include "io/interruption.hpp"
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
fs::path free_name(const fs::path& path, std::error_code& error) {
  std::string name = path.parent_path().string();
  name.append("/.").append(path.filename().string()).append(".XXXXXX");
  const int descriptor = mkstemp(name.data());
  if (descriptor < 0) {
    error.assign(errno, std::generic_category());
    return {};
  }
  close(descriptor);
  unlink(name.c_str());
  return name;
}

void replace(const fs::path& temporary, const fs::path& path) {
  std::error_code error;
  fs::rename(temporary, path, error);
  if (error) throw std::runtime_error(path.string() + ": " + error.message());
}

/// Gives a file its final name unless another run has made a file of that name: only link() does both at
/// once.
void place_new(const fs::path& temporary, const fs::path& path) {
  if (link(temporary.c_str(), path.c_str()) == 0) {
    unlink(temporary.c_str());
    return;
  }
  refuse_existing(path, false);
  replace(temporary, path);  // a file system without hard links
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

PendingFile::PendingFile(const fs::path& path, bool overwrite)
    : path_(fs::absolute(path)), overwrite_(overwrite), made_from_(first_missing(path_.parent_path())) {
  refuse_existing(path_, overwrite);
  const fs::path folder = path_.parent_path();
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) temporary_ = free_name(path_, error);
  if (!error) {
    trace_ = std::make_unique<InterruptionTrace>(temporary_, made_from_);
    return;
  }
  remove_traces();
  refuse_folder(folder, error.message());
}

PendingFile::~PendingFile() {
  if (!committed_) remove_traces();
}

void PendingFile::remove_traces() const {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove(temporary_, ignored);
  if (made_from_.empty()) return;
  // Only what is empty goes, from the inside out; of what could not be made the outer part may be there.
  for (fs::path folder = path_.parent_path();; folder = folder.parent_path()) {
    fs::remove(folder, ignored);
    if (folder == made_from_) return;
  }
}

void PendingFile::commit() {
  sync(temporary_);
  if (overwrite_)
    replace(temporary_, path_);
  else
    place_new(temporary_, path_);
  committed_ = true;
  sync(path_.parent_path());
}

void check_output(const fs::path& path, bool overwrite) { const PendingFile trial(path, overwrite); }

}  // namespace kokkosort
