#include "report/text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

namespace kokkosort {
namespace {

constexpr std::string_view replacement = "\uFFFD";
constexpr std::string_view unknown = "–";

bool is_xml_character(std::uint32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return !is_surrogate && code != 0xFFFE && code != 0xFFFF && code <= 0x10FFFF;
}

/// Bytes of the UTF-8 character that a text starts with, as its first byte says; 0: none can start so.
std::size_t announced_size(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

/// Bytes of the character that a text starts with; 0: it is none.
std::size_t character_size(std::string_view text) {
  constexpr std::uint32_t smallest_of_size[] = {0, 0, 0x80, 0x800, 0x10000};
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t size = announced_size(first);
  if (size == 0 || size > text.size()) return 0;
  std::uint32_t code = size == 1 ? first : first & (0x7Fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0u) != 0x80u) return 0;
    code = code << 6 | (byte & 0x3Fu);
  }
  return is_xml_character(code) && code >= smallest_of_size[size] ? size : 0;
}

std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return "";
  }
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    if (size == 0)
      result += replacement;
    else if (const std::string_view known = entity(text[0]); !known.empty())
      result += known;
    else
      result += text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return result;
}

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string rounded(double number) {
  if (!std::isfinite(number)) return std::string(unknown);
  return std::abs(number) >= 100.0 ? fmt::format("{:.0f}", number) : fmt::format("{:.3g}", number);
}

std::string percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f} %", 100.0 * share) : std::string(unknown);
}

}  // namespace kokkosort
