#include "fuzz/mutator.hpp"

#include <array>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

namespace kokkosort::test {
namespace {

using namespace std::string_view_literals;

/// What means something to one reader or another.
constexpr auto words = std::to_array<std::string_view>(
    {"["sv,    "]"sv,      "{"sv,         "}"sv,       "("sv,           ")"sv,
     ":"sv,    ": "sv,     ","sv,         "\""sv,      "'"sv,           "'''"sv,
     "\\"sv,   "#"sv,      "="sv,         "-"sv,       "- "sv,          "\n- "sv,
     "? "sv,   "|\n"sv,    ">-\n"sv,      "&a "sv,     "*a"sv,          "<<: *a\n"sv,
     "!"sv,    "!!int "sv, "%YAML 9\n"sv, "\n---\n"sv, "\n...\n"sv,     "~"sv,
     "null"sv, "true"sv,   "NaN"sv,       ".inf"sv,    "Infinity"sv,    "None"sv,
     "all"sv,  "range"sv,  "range("sv,    "list("sv,   "np.int64("sv,   "(0:0:0:1)"sv,
     "()"sv,   "[]"sv,     "{}"sv,        "[["sv,      "{0:"sv,         "e"sv,
     "."sv,    "+"sv,      " "sv,         "\n"sv,      "\n  "sv,        "\r"sv,
     ";"sv,    "\t"sv,     "\x01"sv,      "\x1b[2J"sv, "\xff"sv,        "\xef\xbb\xbf"sv,
     "\0"sv,   "../"sv,    "/"sv,         "$(id)"sv,   "\xe2\x80\xa8"sv});

constexpr auto numbers = std::to_array<std::string_view>({"0",
                                                          "-0",
                                                          "-1",
                                                          "1",
                                                          "0.5",
                                                          "1e9",
                                                          "1e99",
                                                          "1e308",
                                                          "1e999",
                                                          "-1e308",
                                                          "1e-320",
                                                          "255",
                                                          "65536",
                                                          "2147483647",
                                                          "2147483648",
                                                          "-2147483649",
                                                          "4294967296",
                                                          "9007199254740993",
                                                          "9223372036854775807",
                                                          "9223372036854775808",
                                                          "18446744073709551615",
                                                          "18446744073709551616",
                                                          "99999999999999999999999",
                                                          "0x7f",
                                                          "1_000",
                                                          "007",
                                                          "1.",
                                                          ".5",
                                                          "1e",
                                                          "+1",
                                                          "nan",
                                                          "inf",
                                                          "-inf"});

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whole numbers that headers are wrong with.
constexpr auto extremes = std::to_array<std::uint64_t>(
    {0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
     std::uint64_t{1} << 40, std::numeric_limits<std::int64_t>::max(), std::uint64_t{1} << 63,
     std::numeric_limits<std::uint64_t>::max()});

}  // namespace

Mutator::Part Mutator::part_of(const std::string& text) {
  const std::size_t first = below(text.size() + 1);
  const std::size_t longest = one_in(2) ? 4 : 60;
  return {first, std::min(1 + below(longest), text.size() - first)};
}

std::string Mutator::some_of(const std::string& text) {
  const auto [first, length] = part_of(text);
  return text.substr(first, length);
}

void Mutator::make_number_extreme(std::string& text) {
  std::size_t first = below(text.size() + 1);
  while (first < text.size() && !is_digit(text[first])) ++first;
  std::size_t last = first;
  while (last < text.size() && (is_digit(text[last]) || text[last] == '.')) ++last;
  text.replace(first, last - first, numbers[below(numbers.size())]);
}

void Mutator::repeat_part(std::string& text) {
  constexpr std::size_t largest = std::size_t{1} << 18;
  const Part part = part_of(text);
  const std::string repeated =
      one_in(2) ? text.substr(part.first, part.length) : std::string(words[below(words.size())]);
  const std::size_t n = one_in(16) ? below(20000) : below(20);
  std::string all;
  for (std::size_t i = 0; i < n && all.size() < largest; ++i) all += repeated;
  text.insert(part.first, all);
}

std::string Mutator::text(std::string text, const std::string& other) {
  for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
    const auto [first, length] = part_of(text);
    switch (below(9)) {
      case 0:
        if (length > 0) text[first] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(first, length);
        break;
      case 2:
        text.insert(first, some_of(text));
        break;
      case 3:
        text.replace(first, length, words[below(words.size())]);
        break;
      case 4:
        text.insert(first, words[below(words.size())]);
        break;
      case 5:
        make_number_extreme(text);
        break;
      case 6:
        text.replace(first, length, some_of(other));
        break;
      case 7:
        if (one_in(8)) repeat_part(text);
        break;
      default:
        if (one_in(8)) text.resize(first);
    }
  }
  return text;
}

std::string Mutator::bytes(std::string bytes, const std::string& other) {
  for (std::size_t changes = 1 + below(6); changes > 0 && !bytes.empty(); --changes) {
    const std::size_t place = below(bytes.size());
    switch (below(7)) {
      case 0:
        bytes[place] = static_cast<char>(bytes[place] ^ (1 << below(8)));
        break;
      case 1:
        bytes[place] = static_cast<char>(below(256));
        break;
      case 2:
      case 3: {
        const std::uint64_t value = extremes[below(extremes.size())] + (one_in(4) ? below(9) - 4 : 0);
        const std::size_t width = std::min(std::size_t{1} << below(4), bytes.size() - place);
        std::memcpy(bytes.data() + place, &value, width);
        break;
      }
      case 4: {
        const auto [first, length] = part_of(bytes);
        const std::string copied = bytes.substr(below(bytes.size()), length);
        bytes.replace(first, copied.size(), copied);
        break;
      }
      case 5: {
        const std::string copied = other.substr(std::min(place, other.size()), 1 + below(64));
        bytes.replace(place, copied.size(), copied);
        break;
      }
      default:
        if (one_in(8)) bytes.resize(place);
    }
  }
  return bytes;
}

}  // namespace kokkosort::test
