#include "io/interruption.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <string>

namespace kokkosort {
namespace {

/// Plain characters: a signal handler may neither allocate nor wait.
struct Trace {
  volatile std::sig_atomic_t used = 0;
  std::array<char, PATH_MAX> path{};
  std::size_t made_from = 0;  // length of the uppermost made folder's path; 0: none
};

std::array<Trace, 8> traces;

// Read and written by a signal handler.
std::atomic<bool> stops_gracefully{false};
std::atomic<int> asked_to_stop{0};  // by this signal
std::atomic<int> holds{0};
std::atomic<int> held{0};  // signal
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

bool is_dots(const char* name) {
  return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

/// Removes a file, or a folder with all that is in it, by system calls alone: readdir() allocates.
void remove_all(int parent, const char* name) {
  if (unlinkat(parent, name, 0) == 0 || errno != EISDIR) return;
  const int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (folder < 0) return;
  alignas(dirent64) char entries[2048];
  for (ssize_t size; (size = getdents64(folder, entries, sizeof(entries))) > 0;)
    for (ssize_t at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
      if (!is_dots(entry->d_name)) remove_all(folder, entry->d_name);
      at += entry->d_reclen;
    }
  close(folder);
  unlinkat(parent, name, AT_REMOVEDIR);
}

void remove_trace(Trace& trace) {
  char* path = trace.path.data();
  remove_all(AT_FDCWD, path);
  if (trace.made_from == 0) return;
  for (std::size_t length = trace.path.size() - 1; length >= trace.made_from; --length) {
    if (path[length] != '/' && length != trace.made_from) continue;
    path[length] = '\0';
    rmdir(path);
  }
}

extern "C" void handle_signal(int signal) {
  int none = 0;
  if (stops_gracefully && asked_to_stop.compare_exchange_strong(none, signal)) return;
  if (holds > 0) {
    held = signal;
    return;
  }
  for (Trace& trace : traces)
    if (trace.used != 0) remove_trace(trace);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void clean_up_when_interrupted() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, handle_signal) == SIG_IGN) std::signal(signal, SIG_IGN);
}

GracefulStop::GracefulStop() { stops_gracefully = true; }
GracefulStop::~GracefulStop() { stops_gracefully = false; }
int GracefulStop::signal() { return asked_to_stop; }

const char* name_of_signal(int signal) {
  return signal == SIGINT    ? "SIGINT"
         : signal == SIGTERM ? "SIGTERM"
         : signal == SIGHUP  ? "SIGHUP"
                             : "a signal";
}

SignalHold::SignalHold() { ++holds; }
SignalHold::~SignalHold() {
  if (--holds > 0) return;
  if (const int signal = held.exchange(0)) std::raise(signal);
}

InterruptionTrace::InterruptionTrace(const std::filesystem::path& path,
                                     const std::filesystem::path& made_from)
    : place_(-1) {
  const std::string text = path.string();
  for (std::size_t i = 0; i < traces.size() && place_ < 0; ++i)
    if (traces[i].used == 0 && text.size() < traces[i].path.size()) place_ = static_cast<int>(i);
  if (place_ < 0) return;
  Trace& trace = traces[static_cast<std::size_t>(place_)];
  trace.path.fill('\0');
  text.copy(trace.path.data(), text.size());
  trace.made_from = made_from.string().size();
  std::atomic_signal_fence(std::memory_order_release);
  trace.used = 1;
}

InterruptionTrace::~InterruptionTrace() {
  if (place_ >= 0) traces[static_cast<std::size_t>(place_)].used = 0;
}

}  // namespace kokkosort
