#include "io/checkpoint_folder.hpp"

#include <fmt/format.h>

#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "io/checkpoint_file.hpp"
#include "io/pending_steps.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort {
namespace {

namespace fs = std::filesystem;

constexpr const char* unfinished = ".unfinished";  // extension of a checkpoint that is being written

/// The first line of a text that the other does not have, and the one in its place.
std::string first_difference(const std::string& was, const std::string& is) {
  std::istringstream old_lines(was);
  std::istringstream new_lines(is);
  std::string a;
  std::string b;
  while (std::getline(old_lines, a) && std::getline(new_lines, b))
    if (a != b) return fmt::format("'{}' has become '{}'", a, b);
  return "it depends on something else";
}

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(folder, error)) files.push_back(file.path());
  return files;
}

}  // namespace

CheckpointFolder::CheckpointFolder(const fs::path& folder, CheckpointOptions options)
    : folder_(fs::absolute(folder)), options_(std::move(options)) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) refuse_place(folder_, error.message());
  for (const fs::path& file : files_of(folder_))
    if (file.extension() == unfinished) fs::remove(file, error);
}

CheckpointFolder::~CheckpointFolder() {
  finish();
  std::error_code ignored;
  if (files_of(folder_).empty()) fs::remove(folder_, ignored);
}

fs::path CheckpointFolder::path_of(const std::string& name) const { return folder_ / (name + ".checkpoint"); }

const std::string& CheckpointFolder::fingerprint_of(const std::string& name) const {
  // The last that fits is the longest.
  for (auto entry = options_.fingerprints.rbegin(); entry != options_.fingerprints.rend(); ++entry)
    if (name.starts_with(entry->first)) return entry->second;
  throw std::logic_error("a checkpoint has no fingerprint: " + name);
}

std::optional<SavedArrays> CheckpointFolder::load(const std::string& name) {
  const fs::path path = path_of(name);
  const std::optional<std::string> fingerprint = read_fingerprint(path);
  if (fingerprint && *fingerprint != fingerprint_of(name)) {
    tell_difference(name, *fingerprint);
    return {};
  }
  std::optional<SavedArrays> saved;
  if (fingerprint) saved = read_checkpoint(path);
  std::error_code error;
  if (!saved && fs::exists(path, error)) options_.tell(path.string() + ": is damaged, and not used");
  return saved;
}

/// All checkpoints of a deck that was changed differ in the same line.
void CheckpointFolder::tell_difference(const std::string& name, const std::string& found) {
  const std::string difference = first_difference(found, fingerprint_of(name));
  if (told_.insert(difference).second)
    options_.tell(fmt::format("{}: is not used: {}", path_of(name).string(), difference));
}

void CheckpointFolder::save(const std::string& name, ArraysToSave arrays) {
  finish();
  saved_ = Clock::now();
  const fs::path path = path_of(name);
  fs::path written = path;
  written += unfinished;
  saving_ = std::async(std::launch::async,
                       [path, written, fingerprint = fingerprint_of(name), arrays = std::move(arrays)] {
                         try {
                           write_checkpoint(written, fingerprint, arrays);
                           sync_to_disk(written);
                           fs::rename(written, path);
                           sync_to_disk(path.parent_path());
                         } catch (...) {
                           std::error_code ignored;  // a full disk needs the room
                           fs::remove(written, ignored);
                           throw;
                         }
                       });
}

bool CheckpointFolder::finish() {
  if (!saving_.valid()) return true;
  try {
    saving_.get();
    return true;
  } catch (const std::exception& error) {
    options_.tell(std::string(error.what()) + "; this checkpoint is not kept, the run goes on");
    return false;
  }
}

void CheckpointFolder::remove(const std::string& beginning) {
  finish();
  std::error_code ignored;
  for (const fs::path& file : files_of(folder_))
    if (file.extension() == ".checkpoint" && file.filename().string().starts_with(beginning))
      fs::remove(file, ignored);
}

double CheckpointFolder::seconds_at_risk() const {
  return std::chrono::duration<double>(Clock::now() - saved_).count();
}

bool CheckpointFolder::is_due() const { return seconds_at_risk() >= options_.seconds; }

bool CheckpointFolder::is_worth(std::size_t bytes) const {
  constexpr double bytes_a_second = 50e6;  // of a disk that others use, too
  return is_due() || seconds_at_risk() >= static_cast<double>(bytes) / bytes_a_second;
}

}  // namespace kokkosort
