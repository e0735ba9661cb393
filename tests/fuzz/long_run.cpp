// Feeds damaged inputs to one reader for a while.
//
//   kokkosort_fuzz                        lists the readers
//   kokkosort_fuzz READER SECONDS [SEED]  tells how many inputs it read and refused, and of those that broke
//   a rule the
//                                         seed; the n-th input has the seed SEED + n. Ends with 1 if there
//                                         were any
//   kokkosort_fuzz READER 0 SEED          one input, left in ./kokkosort_fuzz.input, in this process: for a
//   debugger
//
// A child reads, with at most 2 GB more memory than it starts with. If it dies, or takes over 20 s for an
// input, it counts as a crash, or a hang, and another goes on with the next input. For all readers, some
// minutes each:
//
//   for r in $(build/openmp/tests/kokkosort_fuzz); do nice build/openmp/tests/kokkosort_fuzz $r 300; done

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/readers.hpp"
#include "io/temporary_folder.hpp"

namespace kokkosort::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t memory_of_a_child = std::size_t{2} << 30;
constexpr unsigned longest_s = 20;

using Clock = std::chrono::steady_clock;

/// Shared with the child.
struct Counts {
  std::uint64_t n = 0;  // inputs begun
  std::uint64_t read = 0;
  std::uint64_t refused = 0;
  std::uint64_t broken = 0;
  double slowest_s = 0.0;
  std::uint64_t slowest = 0;  // its seed
};

std::vector<std::string> names_of_readers() {
  const Kokkos::ScopeGuard kokkos;
  const TemporaryFolder folder;
  std::vector<std::string> names;
  for (const FuzzedReader& reader : fuzzed_readers(folder.path())) names.push_back(reader.name);
  return names;
}

/// One reader with a folder of its own.
class Reading {
 public:
  Reading(const std::string& name, const fs::path& folder) : folder_(folder) {
    const std::vector<FuzzedReader> readers = fuzzed_readers(folder);
    reader_ = *std::find_if(readers.begin(), readers.end(), [&](const auto& r) { return r.name == name; });
  }

  fs::path write(std::uint64_t seed) const { return write_damaged(reader_, seed, folder_); }

  void read(std::uint64_t seed, Counts& counts) const {
    const fs::path path = write(seed);
    const Clock::time_point start = Clock::now();
    try {
      ++(read_by_the_rules(reader_, path) ? counts.read : counts.refused);
    } catch (const std::exception& error) {
      ++counts.broken;
      fmt::print("{} seed {}: {}\n", reader_.name, seed, error.what());
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (seconds < counts.slowest_s) return;
    counts.slowest_s = seconds;
    counts.slowest = seed;
  }

 private:
  fs::path folder_;
  FuzzedReader reader_;
};

/// What a child does: it alone has Kokkos' threads, which a fork would not copy.
void read_on(const std::string& name, std::uint64_t seed, const fs::path& folder, Counts& counts,
             Clock::time_point end) {
  const Kokkos::ScopeGuard kokkos;
  const Reading reading(name, folder);
  const MemoryBound bound(memory_of_a_child);
  while (Clock::now() < end) {
    alarm(longest_s);
    const std::uint64_t n = counts.n++;
    reading.read(seed + n, counts);
  }
  std::fflush(stdout);
  _exit(EXIT_SUCCESS);
}

int run_long(const std::string& name, double seconds, std::uint64_t seed) {
  void* const shared =
      mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto& counts = *new (shared) Counts;
  const Clock::time_point start = Clock::now();
  const auto end =
      start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  const TemporaryFolder folder;
  std::uint64_t crashes = 0;
  std::uint64_t hangs = 0;
  while (Clock::now() < end) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) read_on(name, seed, folder.path(), counts, end);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS) break;
    const bool hung = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    ++(hung ? hangs : crashes);
    fmt::print("{} seed {}: {}\n", name, seed + counts.n - 1,
               hung                  ? "does not end"
               : WIFSIGNALED(status) ? strsignal(WTERMSIG(status))
                                     : "ends the program");
  }
  fmt::print(
      "{}: seed {}, {} inputs in {:.0f} s: {} read, {} refused, {} crashes, {} hangs, {} broken rules, "
      "slowest {:.3f} s (seed {})\n",
      name, seed, counts.n, std::chrono::duration<double>(Clock::now() - start).count(), counts.read,
      counts.refused, crashes, hangs, counts.broken, counts.slowest_s, counts.slowest);
  return crashes + hangs + counts.broken > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int run_one(const std::string& name, std::uint64_t seed) {
  const Kokkos::ScopeGuard kokkos;
  const TemporaryFolder folder;
  const Reading reading(name, folder.path());
  fs::copy_file(reading.write(seed), "kokkosort_fuzz.input", fs::copy_options::overwrite_existing);
  Counts counts;
  reading.read(seed, counts);
  fmt::print("{}\n", counts.broken > 0 ? "broke a rule" : counts.read > 0 ? "was read" : "was refused");
  return counts.broken > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int list_readers() {
  for (const std::string& name : names_of_readers()) fmt::print("{}\n", name);
  return EXIT_SUCCESS;
}

int run(int argc, char** argv) {
  if (argc < 3) return list_readers();
  const double seconds = std::strtod(argv[2], nullptr);
  const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  return seconds > 0.0 ? run_long(argv[1], seconds, seed) : run_one(argv[1], seed);
}

}  // namespace
}  // namespace kokkosort::test

int main(int argc, char** argv) {
  setenv("OMP_PROC_BIND", "false", 0);  // or Kokkos would ask for it
  return kokkosort::test::run(argc, argv);
}
