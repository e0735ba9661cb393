#pragma once

#include <cctype>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kokkosort::test {

/// An element of a page.
struct Element {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;                // in it and in all that it contains
  std::size_t begin = 0, end = 0;  // elements before it began and after it ended
};

/// Reads a page as strictly as XML is: every element closed in its turn, every attribute quoted and there
/// once, no bare & or <. Its elements are in the order in which they begin.
/// @throws std::runtime_error if a page is not so
class PageReader {
 public:
  static std::vector<Element> read(std::string_view page) {
    PageReader reader(page);
    reader.read_all();
    return std::move(reader.elements_);
  }

 private:
  explicit PageReader(std::string_view page) : rest_(page) {}

  void read_all() {
    skip("<!DOCTYPE html>");
    while (!rest_.empty()) {
      if (rest_[0] != '<')
        add_text(decoded(take_until('<')));
      else if (rest_.substr(0, 2) == "</")
        close();
      else
        open();
    }
    expect(open_.empty(), "an element is not closed");
  }

  void open() {
    skip("<");
    Element element;
    element.name = take_name();
    element.begin = elements_.size();
    element.end = element.begin + 1;
    for (skip_space(); rest_[0] != '>' && rest_[0] != '/'; skip_space()) {
      const std::string name = take_name();
      skip("=\"");
      expect(element.attributes.emplace(name, decoded(take_until('"'))).second, "an attribute comes twice");
      skip("\"");
    }
    open_.push_back(elements_.size());
    elements_.push_back(element);
    const bool is_empty = rest_[0] == '/';
    if (is_empty) skip("/");
    skip(">");
    if (is_empty) open_.pop_back();
  }

  void close() {
    skip("</");
    expect(!open_.empty() && elements_[open_.back()].name == take_name(), "another element is to be closed");
    elements_[open_.back()].end = elements_.size();
    open_.pop_back();
    skip(">");
  }

  void add_text(const std::string& text) {
    for (const std::size_t element : open_) elements_[element].text += text;
    expect(!open_.empty() || text.find_first_not_of("\n") == std::string::npos, "text outside the page");
  }

  static std::string decoded(std::string_view text) {
    static const std::map<std::string_view, char> known = {
        {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};
    std::string result;
    while (!text.empty()) {
      expect(text[0] != '<' && (text[0] == '\n' || static_cast<unsigned char>(text[0]) >= 0x20),
             "no such character in text");
      std::size_t size = 1;
      if (text[0] == '&') {
        size = text.find(';') + 1;
        const auto found = known.find(text.substr(0, size));
        expect(found != known.end(), "unknown entity");
        result += found->second;
      } else {
        result += text[0];
      }
      text.remove_prefix(size);
    }
    return result;
  }

  std::string take_name() {
    std::size_t size = 0;
    while (size < rest_.size() &&
           (std::isalnum(static_cast<unsigned char>(rest_[size])) || rest_[size] == '-'))
      ++size;
    expect(size > 0, "a name is missing");
    const std::string name(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return name;
  }

  std::string_view take_until(char stop) {
    const std::size_t size = rest_.find(stop);
    expect(size != std::string_view::npos || open_.empty(), "the page ends too soon");
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(text.size());
    return text;
  }

  void skip(std::string_view expected) {
    expect(rest_.substr(0, expected.size()) == expected, "something else is expected");
    rest_.remove_prefix(expected.size());
  }

  void skip_space() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
    expect(!rest_.empty(), "the page ends in a tag");
  }

  static void expect(bool holds, const char* what) {
    if (!holds) throw std::runtime_error(what);
  }

  std::string_view rest_;
  std::vector<Element> elements_;
  std::vector<std::size_t> open_;
};

/// What a test looks for in a page.
class Page {
 public:
  explicit Page(std::string_view page) : elements_(PageReader::read(page)) {}

  /// Elements of a class, in the whole page or in an element.
  std::vector<Element> of_class(const std::string& style) const { return of_class(style, elements_[0]); }
  std::vector<Element> of_class(const std::string& style, const Element& in) const {
    return select(in, [&](const Element& e) {
      const auto found = e.attributes.find("class");
      return found != e.attributes.end() &&
             (" " + found->second + " ").find(" " + style + " ") != std::string::npos;
    });
  }
  std::vector<Element> named(const std::string& name) const {
    return select(elements_[0], [&](const Element& e) { return e.name == name; });
  }

  /// What a list of terms says of one: the text of the dd after the dt. @throws std::out_of_range if nothing
  std::string value(const std::string& term) const { return value(term, elements_[0]); }
  std::string value(const std::string& term, const Element& in) const {
    for (std::size_t i = in.begin; i < in.end; ++i)
      if (elements_[i].name == "dt" && elements_[i].text == term) return elements_.at(i + 1).text;
    throw std::out_of_range("the page does not say: " + term);
  }

  const std::vector<Element>& elements() const { return elements_; }

 private:
  template <class Is>
  std::vector<Element> select(const Element& in, const Is& is) const {
    std::vector<Element> found;
    for (std::size_t i = in.begin; i < in.end; ++i)
      if (is(elements_[i])) found.push_back(elements_[i]);
    return found;
  }

  std::vector<Element> elements_;
};

}  // namespace kokkosort::test
