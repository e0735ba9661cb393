#include "io/interruption.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstddef>
#include <string>

namespace kokkosort {
namespace {

/// Plain characters: a signal handler may neither allocate nor wait.
struct Trace {
  volatile std::sig_atomic_t used = 0;
  std::array<char, PATH_MAX> file{};
  std::size_t made_from = 0;  // length of the uppermost made folder's path; 0: none
};

std::array<Trace, 4> traces;

void remove_trace(Trace& trace) {
  char* path = trace.file.data();
  unlink(path);
  if (trace.made_from == 0) return;
  for (std::size_t length = trace.file.size() - 1; length >= trace.made_from; --length) {
    if (path[length] != '/' && length != trace.made_from) continue;
    path[length] = '\0';
    rmdir(path);
  }
}

extern "C" void clean_up_and_end(int signal) {
  for (Trace& trace : traces)
    if (trace.used != 0) remove_trace(trace);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void clean_up_when_interrupted() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, clean_up_and_end) == SIG_IGN) std::signal(signal, SIG_IGN);
}

InterruptionTrace::InterruptionTrace(const std::filesystem::path& file,
                                     const std::filesystem::path& made_from)
    : place_(-1) {
  const std::string text = file.string();
  for (std::size_t i = 0; i < traces.size() && place_ < 0; ++i)
    if (traces[i].used == 0 && text.size() < traces[i].file.size()) place_ = static_cast<int>(i);
  if (place_ < 0) return;
  Trace& trace = traces[static_cast<std::size_t>(place_)];
  trace.file.fill('\0');
  text.copy(trace.file.data(), text.size());
  trace.made_from = made_from.string().size();
  std::atomic_signal_fence(std::memory_order_release);
  trace.used = 1;
}

InterruptionTrace::~InterruptionTrace() {
  if (place_ >= 0) traces[static_cast<std::size_t>(place_)].used = 0;
}

}  // namespace kokkosort
