#include "driver/run_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "driver/environment.hpp"
#include "driver/report.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort {

RunLog::RunLog(const std::filesystem::path& path) {
  const auto fail = [&](const std::string& why) {
    throw InputError(path.string() + ": cannot be written (" + why + "); set output.folder");
  };
  // What has its name may lead out of the folder, or be a pipe, which would wait for its reader.
  const int file =
      open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (file < 0 && errno == ELOOP) fail("it is a symbolic link");
  if (file < 0) fail(std::strerror(errno));
  struct stat status {};
  const bool is_file = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  if (is_file) file_.reset(fdopen(file, "a"));
  if (file_) return;
  close(file);
  fail("it is not a file");
}

void RunLog::write(const std::string& text) {
  std::string line = utc_now() + "  ";
  for (const char c : text) {
    line += c;
    if (c == '\n') line += "    ";
  }
  while (line.ends_with(' ') || line.ends_with('\n')) line.pop_back();
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), file_.get());
  std::fflush(file_.get());
}

void RunLog::begin(const RunRecord& run) {
  std::string versions;
  for (const auto& [name, version] : run.versions) versions += fmt::format("{}: {}\n", name, version);
  write(fmt::format("{} on {}: {}, {} host threads", run.command, run.backend, run.device, run.threads));
  write("versions\n" + versions);
  write("deck\n" + run.deck);
}

void RunLog::end(const RunRecord& run, const std::string& outcome) {
  std::string seconds;
  for (const StageTime& time : run.times.entries())
    seconds += fmt::format("{}: {:.3f}\n", time.stage, time.seconds);
  write("seconds\n" + seconds);
  write("bytes between host and device\n" + ledger_table(run.ledger));
  write("memory\n" + memory_table(run.memory));
  write(outcome);
}

}  // namespace kokkosort
