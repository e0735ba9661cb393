#include "kokkosort/io/pending_result.hpp"

#include <fstream>
#include <stdexcept>
#include <string>

#include "io/interruption.hpp"
#include "io/pending_steps.hpp"
#include "io/regular_file.hpp"

namespace kokkosort {

namespace fs = std::filesystem;

namespace {

void write_journal(const fs::path& journal, const std::vector<PendingResult*>& results) {
  fs::remove(journal);  // a link of its name could lead elsewhere
  std::ofstream lines(journal);
  for (const PendingResult* const result : results) lines << result->path().string() << '\n';
  lines.close();
  if (!lines) throw std::runtime_error(journal.string() + ": cannot be written");
  sync_to_disk(journal);
}

}  // namespace

void commit_together(const std::vector<PendingResult*>& results, const fs::path& journal) {
  for (PendingResult* const result : results) result->sync();
  const SignalHold hold;
  if (!journal.empty()) write_journal(journal, results);
  for (PendingResult* const result : results) result->place();
  for (PendingResult* const result : results) result->finish();
  if (!journal.empty()) fs::remove(journal);
}

std::vector<fs::path> half_committed(const fs::path& journal) {
  std::vector<fs::path> results;
  if (!no_file_complaint(journal).empty()) return results;
  std::ifstream lines(journal);
  for (std::string line; std::getline(lines, line);) results.emplace_back(line);
  return results;
}

}  // namespace kokkosort
