#include "driver/run_log.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "driver/environment.hpp"
#include "driver/report.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort {

RunLog::RunLog(const std::filesystem::path& path) : file_(std::fopen(path.c_str(), "ae")) {
  if (!file_)
    throw InputError(path.string() + ": cannot be written (" + std::strerror(errno) + "); set output.folder");
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
