#include "kokkosort/io/pending_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>

#include "io/interruption.hpp"
#include "io/pending_steps.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort {
namespace {

namespace fs = std::filesystem;

void refuse_existing(const fs::path& path, bool overwrite) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (!fs::exists(status)) return;
  if (fs::is_directory(status))
    throw InputError(path.string() + ": is a folder; remove it, or set output.folder");
  if (!overwrite)
    throw InputError(path.string() + ": exists; --overwrite replaces it, output.folder moves the result");
}

/// A name beside the path that no file has. Made and removed once: the folder takes files.
fs::path free_name(const fs::path& path, std::error_code& error) {
  std::string name = hidden_pattern(path);
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
  refuse_place(folder, error.message());
}

PendingFile::~PendingFile() {
  if (!is_placed_) remove_traces();
}

void PendingFile::remove_traces() const {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove(temporary_, ignored);
  remove_made(path_.parent_path(), made_from_);
}

void PendingFile::sync() { sync_to_disk(temporary_); }

void PendingFile::place() {
  if (overwrite_)
    replace(temporary_, path_);
  else
    place_new(temporary_, path_);
  is_placed_ = true;
}

void PendingFile::finish() { sync_to_disk(path_.parent_path()); }

void check_output(const fs::path& path, bool overwrite) { const PendingFile trial(path, overwrite); }

}  // namespace kokkosort
