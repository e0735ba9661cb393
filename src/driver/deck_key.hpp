#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kokkosort {

/// One key of a deck, bound to the option it sets. The option's value before a deck is read is the key's
/// default.
struct DeckKey {
  std::string name;     // "clustering.seeds"
  std::string allowed;  // what follows "it must be"
  std::string help;
  bool required = false;
  /// Sets the option. @param folder  that relative paths start from. @return false if the text is not allowed
  std::function<bool(const std::string& text, const std::filesystem::path& folder)> set;
  std::function<std::string()> get;  // the option as text that set() takes
  bool quoted = false;               // text, which YAML would otherwise take for something else
  bool list = false;                 // text is a YAML list, or one value
};

/// The keys of a command. Each function below adds one.
class DeckKeys {
 public:
  /// A whole number in [low, high].
  template <class T>
  void whole(const std::string& name, T& option, T low, T high, const std::string& help);
  /// A number in [low, high].
  void real(const std::string& name, double& option, double low, double high, const std::string& help);
  /// An amount of memory, in MB in the deck and in bytes in the option.
  void megabytes(const std::string& name, std::size_t& bytes, std::size_t low, const std::string& help);
  /// A list of words. One word is a list of one.
  void words(const std::string& name, std::vector<std::string>& option, const std::string& help,
             bool required = false);
  /// A list of whole numbers, or of lists of them; false and true count as 0 and 1.
  void number_lists(const std::string& name, std::vector<std::vector<std::int64_t>>& option,
                    const std::string& help, bool required = false);
  /// A list of whole numbers from 0. One number is a list of one.
  void numbers(const std::string& name, std::vector<std::int64_t>& option, const std::string& help);
  /// A range of numbers from 0, [first, last]; a last one of 0 is open.
  void range(const std::string& name, std::array<double, 2>& option, const std::string& help);
  /// One of several words.
  template <class Enum>
  void choice(const std::string& name, Enum& option, const std::vector<std::pair<std::string, Enum>>& words,
              const std::string& help);
  void text(const std::string& name, std::string& option, const std::string& help, bool required = false);
  void path(const std::string& name, std::filesystem::path& option, const std::string& help,
            bool required = false);
  /// A list of paths. Text that does not begin with [ is one path, a list of one; a path that does is ./[...
  void paths(const std::string& name, std::vector<std::filesystem::path>& option, const std::string& help,
             bool required = false);

  const std::vector<DeckKey>& all() const { return keys_; }
  const DeckKey* find(const std::string& name) const;
  /// Whether keys begin with these words: "clustering".
  bool is_group(const std::string& name) const;
  /// The group of keys most like this one.
  std::string nearest_group(const std::string& name) const;
  /// The known key most like this one.
  const std::string& nearest(const std::string& name) const;

  /// All keys with their values, as a deck.
  std::string to_yaml() const;
  /// All keys with defaults, allowed values and meaning, for --help.
  std::string to_help() const;

 private:
  std::vector<DeckKey> keys_;
};

/// Text in quotes, as YAML reads it back.
std::string yaml_text(const std::string& text);

/// A value as an error shows it: short, in quotes.
std::string shown(const std::string& text);

/// Reads a number that takes up the whole text.
template <class T>
bool parse_number(std::string_view text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

template <class T>
void DeckKeys::whole(const std::string& name, T& option, T low, T high, const std::string& help) {
  const auto set = [&option, low, high](const std::string& text, const std::filesystem::path&) {
    T number{};
    if (!parse_number(text, number) || number < low || number > high) return false;
    option = number;
    return true;
  };
  keys_.push_back({name, "a whole number from " + std::to_string(low) + " to " + std::to_string(high), help,
                   false, set, [&option] { return std::to_string(option); }});
}

template <class Enum>
void DeckKeys::choice(const std::string& name, Enum& option,
                      const std::vector<std::pair<std::string, Enum>>& words, const std::string& help) {
  std::string allowed;
  for (const auto& [word, value] : words) allowed += (allowed.empty() ? "" : ", ") + word;
  const auto set = [&option, words](const std::string& text, const std::filesystem::path&) {
    for (const auto& [word, value] : words)
      if (word == text) {
        option = value;
        return true;
      }
    return false;
  };
  const auto get = [&option, words] {
    for (const auto& [word, value] : words)
      if (value == option) return word;
    return std::string();
  };
  keys_.push_back({name, "one of " + allowed, help, false, set, get, true});
}

}  // namespace kokkosort
