#pragma once
// Text files that describe recordings. Nothing in them is trusted.

#include <filesystem>
#include <string>
#include <string_view>

namespace kokkosort {

/// A file's bytes. @throws InputError if it is not there, is no file, cannot be read, is empty or over 64 MB
std::string read_small_file(const std::filesystem::path& path);

/// Text of a file as an error shows it: short, on one line, in quotes.
std::string in_quotes(std::string_view text);

}  // namespace kokkosort
