#include "io/hdf5_trial.hpp"

#include <fcntl.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <vector>

#include "io/hdf5.hpp"
#include "io/hdf5_storage.hpp"

namespace kokkosort::hdf5 {
namespace {

constexpr unsigned longest_wait_s = 60;                                  // a file system may be slow
constexpr std::uintmax_t largest_read_twice = std::uintmax_t{64} << 20;  // bytes of a file, and of a dataset
constexpr rlim_t most_memory = rlim_t{1} << 30;                          // headers may claim any
constexpr int out_of_memory = 3;                                         // exit code
constexpr rlim_t longest_work_s = 3;                                     // of a processor: a million objects

herr_t try_attribute(hid_t object, const char* name, const H5A_info_t*, void*) {
  const Id attribute(H5Aopen(object, name, H5P_DEFAULT));
  const Id type(H5Aget_type(attribute.get()));
  const Id space(H5Aget_space(attribute.get()));
  return 0;
}

/// What damaged chunks do shows when they are unpacked.
void try_values(hid_t dataset, hid_t type, hid_t space) {
  const H5T_class_t kind = H5Tget_class(type);
  const hssize_t n = H5Sget_simple_extent_npoints(space);
  constexpr auto most = static_cast<hssize_t>(largest_read_twice / sizeof(double));
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || n <= 0 || n > most) return;
  std::vector<double> values(static_cast<std::size_t>(n));
  H5Dread(dataset, kind == H5T_FLOAT ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT,
          values.data());
}

/// @param reads  whether values are read, too
void try_dataset(hid_t dataset, bool reads) {
  const Id type(H5Dget_type(dataset));
  if (is_virtual(dataset)) return;  // its extents may lie in other files
  const Id space(H5Dget_space(dataset));
  const Id properties(H5Dget_create_plist(dataset));
  H5Dget_storage_size(dataset);
  hsize_t n_chunks = 0;
  if (H5Pget_layout(properties.get()) == H5D_CHUNKED) H5Dget_num_chunks(dataset, space.get(), &n_chunks);
  const bool lies_here = H5Pget_external_count(properties.get()) == 0;
  if (reads && lies_here) try_values(dataset, type.get(), space.get());
}

herr_t try_object(hid_t root, const char* name, const H5O_info_t*, void* reads) {
  const Id object(H5Oopen(root, name, H5P_DEFAULT));
  if (object.get() < 0) return 0;
  hsize_t n = 0;
  H5Aiterate2(object.get(), H5_INDEX_NAME, H5_ITER_INC, &n, try_attribute, nullptr);
  if (H5Iget_type(object.get()) == H5I_DATASET) try_dataset(object.get(), *static_cast<const bool*>(reads));
  return 0;
}

/// Bytes of memory that are this process's own.
rlim_t memory_in_use() {
  rlim_t pages = 0;
  std::string others;
  std::ifstream sizes("/proc/self/statm");  // all, resident, shared, text, unused, data
  for (int i = 0; i < 5; ++i) sizes >> others;
  sizes >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

herr_t note_lack_of_memory(unsigned, const H5E_error2_t* error, void*) {
  if (error->min_num == H5E_NOSPACE || error->min_num == H5E_CANTALLOC) _exit(out_of_memory);
  return 0;
}

/// Is called where HDF5 fails.
herr_t look_into_error(hid_t stack, void*) {
  return H5Ewalk2(stack, H5E_WALK_UPWARD, note_lack_of_memory, nullptr);
}

/// What the other process does. It leaves no trace of how it ends but its status.
[[noreturn]] void try_file(const std::filesystem::path& path) {
  for (const int signal :
       {SIGALRM, SIGXCPU, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTERM, SIGINT, SIGHUP})
    std::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, STDERR_FILENO);
  const rlimit work{longest_work_s, longest_work_s};
  setrlimit(RLIMIT_CPU, &work);
  const rlim_t memory = memory_in_use() + most_memory;
  const rlimit memory_limit{memory, memory};
  setrlimit(RLIMIT_DATA, &memory_limit);
  H5Eset_auto2(H5E_DEFAULT, look_into_error, nullptr);
  alarm(longest_wait_s);
  const Id file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, unlocked_access().get()));
  std::error_code error;
  bool reads = std::filesystem::file_size(path, error) <= largest_read_twice;
  if (file.get() >= 0) H5Ovisit2(file.get(), H5_INDEX_NAME, H5_ITER_INC, try_object, &reads, H5O_INFO_BASIC);
  _exit(EXIT_SUCCESS);
}

}  // namespace

std::string trial_complaint(const std::filesystem::path& file) {
  // A signal that comes now is this process's: the other one would clean up after it.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t process = fork();
  if (process == 0) try_file(file);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (process < 0) return {};  // no room for another process: what it is to find is rare
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return {};
  if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS) return {};
  if (WIFEXITED(status) && WEXITSTATUS(status) == out_of_memory)
    return "takes HDF5 over 1 GB of memory to look through; is the file damaged?";
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (signal == SIGALRM || signal == SIGXCPU || signal == SIGKILL)
    return "takes HDF5 too long to look through; is the file damaged?";
  return "is damaged: HDF5 crashes when it looks through it";
}

}  // namespace kokkosort::hdf5
