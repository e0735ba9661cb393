#include "io/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "kokkosort/errors.hpp"

namespace kokkosort {

FolderLock::FolderLock(const std::filesystem::path& folder)
    : folder_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  is_held_ = folder_.get() >= 0 && flock(folder_.get(), LOCK_EX | LOCK_NB) == 0;
  if (!is_held_ && errno == EWOULDBLOCK)
    throw InputError(folder.string() +
                     ": another run is writing its results there; wait for it, or set output.folder");
}

}  // namespace kokkosort
