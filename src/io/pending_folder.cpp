#include "io/pending_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <system_error>
#include <vector>

#include "io/interruption.hpp"
#include "io/pending_steps.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort {
namespace {

namespace fs = std::filesystem;

/// Makes an empty folder beside the path, with the permissions that the user's other folders get: mkdtemp()
/// makes private ones.
fs::path make_hidden(const fs::path& path, std::error_code& error) {
  std::string name = hidden_pattern(path);
  if (mkdtemp(name.data()) == nullptr) {
    error.assign(errno, std::generic_category());
    return {};
  }
  rmdir(name.c_str());
  fs::create_directory(name, error);
  return name;
}

/// Renames as renameat2() does with these flags. @return whether it did
bool rename_with(unsigned flags, const fs::path& from, const fs::path& to) {
  return renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0;
}

/// Exchanges two folders. Where the file system cannot in one step, there is for a moment none at `to`.
void exchange(const fs::path& from, const fs::path& to) {
  if (rename_with(RENAME_EXCHANGE, from, to)) return;
  const fs::path aside = from.string() + ".old";
  fs::rename(to, aside);
  fs::rename(from, to);
  fs::rename(aside, from);
}

}  // namespace

PendingFolder::PendingFolder(const fs::path& path, bool overwrite, const Complaint& complaint)
    : path_(fs::absolute(path)),
      overwrite_(overwrite),
      complaint_(complaint),
      made_from_(first_missing(path_.parent_path())) {
  refuse_existing();
  const fs::path around = path_.parent_path();
  std::error_code error;
  fs::create_directories(around, error);
  if (!error) temporary_ = make_hidden(path_, error);
  if (!error) {
    trace_ = std::make_unique<InterruptionTrace>(temporary_, made_from_);
    return;
  }
  remove_traces();
  refuse_place(around, error.message());
}

PendingFolder::~PendingFolder() {
  if (!is_placed_) remove_traces();
}

void PendingFolder::refuse_existing() const {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path_, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status))
    throw InputError(path_.string() + ": is not a folder; remove it, or set output.folder");
  if (!overwrite_)
    throw InputError(path_.string() + ": exists; --overwrite replaces it, output.folder moves the result");
  if (const std::string complaint = complaint_(path_); !complaint.empty())
    throw InputError(path_.string() + ": " + complaint + "; remove it, or set output.folder");
}

void PendingFolder::remove_traces() const {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
  remove_made(path_.parent_path(), made_from_);
}

void PendingFolder::place() {
  if (!rename_with(RENAME_NOREPLACE, temporary_, path_)) {
    refuse_existing();
    if (fs::exists(path_))
      exchange(temporary_, path_);
    else
      fs::rename(temporary_, path_);  // a file system without such flags
  }
  is_placed_ = true;
}

void PendingFolder::finish() {
  std::error_code ignored;  // the result is in its place, whatever becomes of the old one
  fs::remove_all(temporary_, ignored);
  sync_to_disk(path_.parent_path());
}

void PendingFolder::sync() {
  std::vector<std::future<void>> synced;  // all at once: one by one, each would wait for the disk anew
  for (const fs::directory_entry& file : fs::directory_iterator(temporary_))
    synced.push_back(std::async(std::launch::async, [path = file.path()] { sync_to_disk(path); }));
  for (std::future<void>& file : synced) file.get();
  sync_to_disk(temporary_);
}

}  // namespace kokkosort
