#include "io/python_text.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kokkosort {
namespace {

struct Character {
  std::uint32_t code;
  std::size_t bytes;
};

/// The first character of a text in UTF-8; a byte that begins none stands for itself as a lone surrogate
/// (Python's "surrogateescape").
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::size_t ones = static_cast<std::size_t>(std::countl_one(static_cast<unsigned char>(text[0])));
  if (ones == 0) return {byte(0), 1};
  const Character invalid{0xDC00 + byte(0), 1};
  if (ones == 1 || ones > 4 || ones > text.size()) return invalid;
  std::uint32_t code = byte(0) & (0x7Fu >> ones);
  for (std::size_t i = 1; i < ones; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return invalid;
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  return code < smallest[ones] || code > 0x10FFFF || is_surrogate ? invalid : Character{code, ones};
}

bool is_plain(std::uint32_t code) {
  return (code >= '0' && code <= '9') || (code >= 'A' && code <= 'Z') || (code >= 'a' && code <= 'z') ||
         (code < 0x80 &&
          std::string_view("/._-+=,:@ ").find(static_cast<char>(code)) != std::string_view::npos);
}

}  // namespace

std::string python_literal(const std::string& path) {
  std::string literal = "'";
  for (std::string_view rest = path; !rest.empty();) {
    const Character character = first_character(rest);
    rest.remove_prefix(character.bytes);
    const std::uint32_t code = character.code;
    if (is_plain(code))
      literal += static_cast<char>(code);
    else if (code < 0x100)
      literal += fmt::format("\\x{:02x}", code);
    else if (code < 0x10000)
      literal += fmt::format("\\u{:04x}", code);
    else
      literal += fmt::format("\\U{:08x}", code);
  }
  return literal + "'";
}

}  // namespace kokkosort
