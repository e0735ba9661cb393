#include "recording/python_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>

#include "kokkosort/errors.hpp"
#include "recording/small_file.hpp"

namespace kokkosort {
namespace {

using Kind = PythonValue::Kind;

constexpr int deepest = 32;
constexpr std::size_t most_values = 1000000;  // of a probe of over 100 000 channels

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class PythonReader {
 public:
  PythonReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  /// The last value assigned to a name.
  std::optional<PythonValue> read(const std::string& name) {
    std::optional<PythonValue> wanted;
    for (skip_blank(true); !at_end(); skip_blank(true)) {
      if (peek() == ';') {
        ++place_;
        continue;
      }
      if (starts_name(peek())) {
        auto [assigned, value] = read_assignment();
        if (assigned == name) wanted = std::move(value);
      } else {
        if (!at_quote()) fail_here();
        read_text();  // a note on the file
      }
      expect_end_of_statement();
    }
    return wanted;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const auto line =
        1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(place_), '\n');
    throw InputError(fmt::format("{}: line {}: {}", file_, line, what));
  }

  [[noreturn]] void fail_here() const {
    if (at_end()) fail("the text ends within a value; is the file complete?");
    const std::string_view rest = text_.substr(place_);
    fail(in_quotes(rest.substr(0, rest.find('\n'))) +
         " is no plain data; write NAME = VALUE with numbers, strings, lists, tuples, dicts or range()");
  }

  bool at_end() const { return place_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[place_]; }
  bool at_quote() const { return peek() == '"' || peek() == '\''; }

  /// Skips spaces and comments, and line breaks too within brackets or between statements.
  void skip_blank(bool line_breaks) {
    for (; !at_end(); ++place_) {
      const char c = peek();
      if (c == '#') place_ = std::min(text_.find('\n', place_), text_.size());
      if (at_end() || (peek() == '\n' && !line_breaks)) return;
      if (peek() == '\\' && place_ + 1 < text_.size() && text_[place_ + 1] == '\n') {
        ++place_;
        continue;
      }
      if (peek() != ' ' && peek() != '\t' && peek() != '\r' && peek() != '\n') return;
    }
  }

  /// Takes a character if it comes next.
  bool take(char c) {
    skip_blank(true);
    return take_at_once(c);
  }
  bool take_at_once(char c) {
    const bool comes = peek() == c;
    if (comes) ++place_;
    return comes;
  }
  void expect(char c) {
    if (!take(c)) fail_here();
  }

  void expect_end_of_statement() {
    skip_blank(false);
    if (!at_end() && peek() != '\n' && peek() != ';') fail_here();
  }

  std::pair<std::string, PythonValue> read_assignment() {
    const std::size_t start = place_;
    const std::string name = read_name();
    skip_blank(false);
    const bool assigns = peek() == '=' && text_.substr(place_, 2) != "==";
    if (!assigns) {
      place_ = start;
      fail_here();
    }
    ++place_;
    skip_blank(false);
    return {name, read_value(0)};
  }

  std::string read_name() {
    const std::size_t start = place_;
    while (starts_name(peek()) || is_digit(peek())) ++place_;
    return std::string(text_.substr(start, place_ - start));
  }

  PythonValue read_value(int depth) {
    if (depth > deepest) fail("is nested too deeply for a probe");
    count_values(1);
    skip_blank(depth > 0);
    const char c = peek();
    if (c == '{') return read_dict(depth);
    if (c == '[') return read_list(']', depth);
    if (c == '(') return read_list(')', depth);
    if (at_quote()) return {Kind::text, 0.0, read_text(), {}};
    if (is_digit(c) || c == '.' || c == '-' || c == '+') return {Kind::number, read_number(), {}, {}};
    if (starts_name(c)) return read_word(depth);
    fail_here();
  }

  void count_values(std::size_t n) {
    if (n > most_values - n_values_) fail("the file holds too many values for a probe");
    n_values_ += n;
  }

  PythonValue read_dict(int depth) {
    PythonValue dict{Kind::dict, 0.0, {}, {}};
    expect('{');
    while (!take('}')) {
      dict.items.push_back(read_value(depth + 1));
      expect(':');
      dict.items.push_back(read_value(depth + 1));
      if (take(',')) continue;
      expect('}');
      break;
    }
    return dict;
  }

  PythonValue read_list(char close, int depth) {
    PythonValue list{Kind::list, 0.0, {}, {}};
    const bool ends_with_comma = read_items(close, depth, list.items);
    const bool only_brackets = close == ')' && list.items.size() == 1 && !ends_with_comma;
    return only_brackets ? PythonValue(std::move(list.items[0])) : list;
  }

  /// Reads values between brackets, of which the first comes next. @return whether a comma follows the last
  bool read_items(char close, int depth, std::vector<PythonValue>& items) {
    ++place_;
    while (!take(close)) {
      items.push_back(read_value(depth + 1));
      if (take(',')) continue;
      expect(close);
      return false;
    }
    return true;
  }

  std::string read_text() {
    const std::size_t start = place_;
    const std::string mark(text_.substr(place_, 3) == std::string(3, peek()) ? 3 : 1, peek());
    place_ += mark.size();
    std::string read;
    while (!at_end() && text_.substr(place_, mark.size()) != mark) {
      if (peek() == '\n' && mark.size() == 1) fail("a string does not end on its line");
      if (peek() == '\\') ++place_;  // the escaped character itself: names of keys have none
      if (!at_end()) read += text_[place_++];
    }
    if (at_end()) {
      place_ = start;
      fail("a string that begins here does not end; is the file complete?");
    }
    place_ += mark.size();
    return read;
  }

  double read_number() {
    const std::size_t start = place_;
    const bool negative = take_at_once('-');
    if (!negative) take_at_once('+');
    double number = 0.0;
    const char* const first = text_.data() + place_;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), number);
    const bool begins_right = is_digit(peek()) || peek() == '.';  // unlike inf and nan
    place_ += static_cast<std::size_t>(end - first);
    if (!begins_right || error != std::errc() || starts_name(peek()) || is_digit(peek()) || peek() == '.') {
      place_ = start;
      fail_here();
    }
    return negative ? -number : number;
  }

  PythonValue read_word(int depth) {
    const std::size_t start = place_;
    std::string word = read_name();
    while (take_at_once('.')) word += fmt::format(".{}", read_name());
    if (word == "None" || word == "True" || word == "False") return {};
    std::vector<PythonValue> arguments;
    skip_blank(false);
    if ((word == "range" || word == "list" || is_number_type(word)) && peek() == '(') {
      read_items(')', depth, arguments);
      if (is_number_type(word) && arguments.size() == 1 && arguments[0].kind == Kind::number)
        return std::move(arguments[0]);
      if (word == "list" && arguments.size() == 1 && arguments[0].kind == Kind::list)
        return std::move(arguments[0]);
      if (word == "range" && is_range(arguments)) return range(arguments);
    }
    place_ = start;
    fail_here();
  }

  /// ProbeInterface writes numbers as NumPy 2 shows them.
  static bool is_number_type(const std::string& word) {
    return word == "np.int64" || word == "np.float64" || word == "np.int32" || word == "np.float32";
  }

  static bool is_range(const std::vector<PythonValue>& arguments) {
    constexpr double largest = 1e9;
    return (arguments.size() == 1 || arguments.size() == 2) &&
           std::all_of(arguments.begin(), arguments.end(), [](const PythonValue& a) {
             return a.kind == Kind::number && std::abs(a.number) <= largest &&
                    std::floor(a.number) == a.number;
           });
  }

  PythonValue range(const std::vector<PythonValue>& arguments) {
    const double first = arguments.size() == 2 ? arguments[0].number : 0.0;
    const double n = std::max(0.0, arguments.back().number - first);
    count_values(static_cast<std::size_t>(n));
    PythonValue list{Kind::list, 0.0, {}, {}};
    for (double i = 0.0; i < n; ++i) list.items.push_back({Kind::number, first + i, {}, {}});
    return list;
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t place_ = 0;
  std::size_t n_values_ = 0;
};

}  // namespace

const PythonValue* PythonValue::find(std::string_view key) const {
  for (std::size_t i = items.size(); i >= 2; i -= 2)
    if (items[i - 2].kind == Kind::text && items[i - 2].text == key) return &items[i - 1];
  return nullptr;
}

PythonValue read_python_value(const std::string& text, const std::string& name, const std::string& file) {
  std::optional<PythonValue> value = PythonReader(text, file).read(name);
  if (!value) throw InputError(fmt::format("{}: does not set {}", file, name));
  return std::move(*value);
}

}  // namespace kokkosort
