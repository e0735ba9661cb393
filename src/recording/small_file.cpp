#include "recording/small_file.hpp"

#include <fstream>
#include <system_error>

#include "kokkosort/errors.hpp"

namespace kokkosort {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largest_bytes = 64 << 20;  // a probe of 100 000 contacts takes up less

}  // namespace

std::string read_small_file(const fs::path& path) {
  const auto fail = [&](const std::string& what) { throw InputError(path.string() + ": " + what); };
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) fail("there is no such file");
  if (!fs::is_regular_file(status)) fail("is not a file");  // a pipe would wait for its writer
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
  std::string shown(text.substr(0, longest));
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  return "'" + shown + (text.size() > longest ? "..." : "") + "'";
}

}  // namespace kokkosort
