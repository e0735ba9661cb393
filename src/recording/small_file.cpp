#include "recording/small_file.hpp"

#include <fstream>
#include <system_error>

#include "core/one_line.hpp"
#include "io/regular_file.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largest_bytes = 64 << 20;  // a probe of 100 000 contacts takes up less

}  // namespace

std::string read_small_file(const fs::path& path) {
  const auto fail = [&](const std::string& what) { throw InputError(path.string() + ": " + what); };
  if (const std::string complaint = no_file_complaint(path); !complaint.empty()) fail(complaint);
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(path, error);
  if (!error && bytes > largest_bytes) fail("is larger than 64 MB; is it the right file?");
  std::ifstream stream(path, std::ios::binary);
  std::string text(error ? 0 : static_cast<std::size_t>(bytes), '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (error || !stream) fail("cannot be read");
  if (text.empty()) fail("is empty");
  return text;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  return "'" + one_line(std::string(text.substr(0, longest))) + (text.size() > longest ? "..." : "") + "'";
}

}  // namespace kokkosort
