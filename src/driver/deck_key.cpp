#include "driver/deck_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <system_error>

#include "core/one_line.hpp"
#include "driver/edit_distance.hpp"

namespace kokkosort {
namespace {

std::string_view last_word(std::string_view name) { return name.substr(name.rfind('.') + 1); }

/// All but the last word; empty for a key outside of groups.
std::string_view group_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

/// How far what was typed is from a key.
std::size_t mistakes(std::string_view typed, std::string_view key) {
  // A key in the wrong group is one mistake, however long the group's name; the group may be all that was
  // typed.
  return std::min({edit_distance(typed, key), 1 + edit_distance(last_word(typed), last_word(key)),
                   1 + edit_distance(typed, group_of(key))});
}

}  // namespace

std::string yaml_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      quoted += fmt::format("\\x{:02x}", c);
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string shown(const std::string& text) {
  constexpr std::size_t longest = 60;
  return "'" + one_line(text.size() > longest ? text.substr(0, longest) + "..." : text) + "'";
}

void DeckKeys::real(const std::string& name, double& option, double low, double high,
                    const std::string& help) {
  const auto set = [&option, low, high](const std::string& text, const std::filesystem::path&) {
    double number = 0.0;
    if (!parse_number(text, number) || !(number >= low && number <= high)) return false;
    option = number;
    return true;
  };
  keys_.push_back({name, fmt::format("a number from {} to {}", low, high), help, false, set,
                   [&option] { return fmt::format("{}", option); }});
}

void DeckKeys::megabytes(const std::string& name, std::size_t& bytes, std::size_t low,
                         const std::string& help) {
  constexpr std::size_t high = std::size_t{1} << 30;  // a petabyte
  const auto set = [&bytes, low](const std::string& text, const std::filesystem::path&) {
    std::size_t number = 0;
    if (!parse_number(text, number) || number < low || number > high) return false;
    bytes = number << 20;
    return true;
  };
  keys_.push_back({name, fmt::format("a whole number of megabytes from {} to {}", low, high), help, false,
                   set, [&bytes] { return std::to_string(bytes >> 20); }});
}

void DeckKeys::text(const std::string& name, std::string& option, const std::string& help, bool required) {
  const auto set = [&option](const std::string& text, const std::filesystem::path&) {
    if (text.empty()) return false;
    option = text;
    return true;
  };
  keys_.push_back({name, "text", help, required, set, [&option] { return option; }, true});
}

void DeckKeys::path(const std::string& name, std::filesystem::path& option, const std::string& help,
                    bool required) {
  const auto set = [&option](const std::string& text, const std::filesystem::path& folder) {
    if (text.empty()) return false;
    option = (folder / text).lexically_normal();
    return true;
  };
  keys_.push_back({name, "a path", help, required, set, [&option] { return option.string(); }, true});
}

const DeckKey* DeckKeys::find(const std::string& name) const {
  const auto found =
      std::find_if(keys_.begin(), keys_.end(), [&](const DeckKey& key) { return key.name == name; });
  return found == keys_.end() ? nullptr : &*found;
}

bool DeckKeys::is_group(const std::string& name) const {
  return std::any_of(keys_.begin(), keys_.end(),
                     [&](const DeckKey& key) { return key.name.starts_with(name + "."); });
}

std::string DeckKeys::nearest_group(const std::string& name) const {
  const std::string_view typed = std::string_view(name).substr(0, 200);
  std::string_view nearest;
  for (const DeckKey& key : keys_) {
    const std::string_view group = group_of(key.name);
    if (group.empty()) continue;
    if (nearest.empty() || edit_distance(typed, group) < edit_distance(typed, nearest)) nearest = group;
  }
  return std::string(nearest);
}

const std::string& DeckKeys::nearest(const std::string& name) const {
  const std::string_view typed = std::string_view(name).substr(0, 200);  // nobody mistypes more
  return std::min_element(keys_.begin(), keys_.end(),
                          [typed](const DeckKey& a, const DeckKey& b) {
                            return mistakes(typed, a.name) < mistakes(typed, b.name);
                          })
      ->name;
}

std::string DeckKeys::to_yaml() const {
  std::string yaml;
  std::string_view group;
  for (const DeckKey& key : keys_) {
    if (key.get().empty()) continue;  // a path that is not set
    if (group_of(key.name) != group) {
      group = group_of(key.name);
      if (!group.empty()) yaml += fmt::format("{}:\n", group);
    }
    yaml += fmt::format("{}{}: {}\n", group.empty() ? "" : "  ", last_word(key.name),
                        key.quoted ? yaml_text(key.get()) : key.get());
  }
  return yaml;
}

std::string DeckKeys::to_help() const {
  std::string help = "Keys of the deck, with what they are if left out:\n";
  for (const DeckKey& key : keys_) {
    const std::string value = key.get();
    help += fmt::format("  {} ({}){}\n      {}\n", key.name, key.allowed,
                        key.required    ? ", required"
                        : value.empty() ? ""
                                        : " = " + value,
                        key.help);
  }
  return help;
}

}  // namespace kokkosort
