#pragma once
// What pending results, files and folders, have in common.

#include <filesystem>
#include <string>

namespace kokkosort {

/// @throws InputError that says why no result can be written there
[[noreturn]] void refuse_place(const std::filesystem::path& folder, const std::string& reason);

/// The uppermost folder of a path that is not there; empty if all are.
std::filesystem::path first_missing(const std::filesystem::path& folder);

/// Removes folders that were made for a result, as far as they are empty: from the innermost out.
/// @param made_from  the uppermost of them; empty: none was made
void remove_made(const std::filesystem::path& innermost, const std::filesystem::path& made_from);

/// A pattern for mkstemp() and mkdtemp(): a hidden name beside the path.
std::string hidden_pattern(const std::filesystem::path& path);

/// Removes what runs that were killed have left beside a path under hidden names: no other run may be writing
/// there.
void remove_abandoned(const std::filesystem::path& path);

/// Lets the disk begin to take what a file has by now, so that there is less to wait for at last. A hint.
void begin_to_disk(const std::filesystem::path& path);

/// Waits until a file or folder is on the disk.
void sync_to_disk(const std::filesystem::path& path);

}  // namespace kokkosort
