#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "driver/deck_key.hpp"
#include "driver/yaml_text.hpp"

namespace kokkosort {
namespace {

/// An element of a list on its own is the list.
std::vector<YAML::Node> elements(const YAML::Node& node) {
  if (!node.IsSequence()) return {node};
  return {node.begin(), node.end()};
}

/// @return false if the text is more or less than one list or one element
bool parse_list(const std::string& text, std::vector<YAML::Node>& list) {
  try {
    // As the one element of another list: what stands behind it, a comment too, is then not YAML.
    const YamlText yaml = read_yaml("[" + text + "]");
    if (yaml.n_documents != 1 || !yaml.root.IsSequence() || yaml.root.size() != 1) return false;
    list = elements(yaml.root[0]);
    return !list.empty();
  } catch (const YAML::Exception&) {
    return false;
  }
}

bool parse_element(const YAML::Node& node, std::int64_t& number) {
  if (!node.IsScalar()) return false;
  if (node.Scalar() == "true" || node.Scalar() == "false") {
    number = node.Scalar() == "true" ? 1 : 0;
    return true;
  }
  return parse_number(node.Scalar(), number);
}

bool parse_numbers(const YAML::Node& node, std::vector<std::int64_t>& numbers) {
  for (const YAML::Node& element : elements(node)) {
    std::int64_t number = 0;
    if (!parse_element(element, number)) return false;
    numbers.push_back(number);
  }
  return !numbers.empty();
}

bool parse_paths(const std::string& text, const std::filesystem::path& folder,
                 std::vector<std::filesystem::path>& paths) {
  std::vector<YAML::Node> nodes{YAML::Node(text)};
  if (text.starts_with('[') && !parse_list(text, nodes)) return false;
  for (const YAML::Node& node : nodes) {
    if (!node.IsScalar() || node.Scalar().empty() || node.Scalar().find('\0') != std::string::npos)
      return false;
    paths.push_back((folder / node.Scalar()).lexically_normal());
  }
  return true;
}

/// Either all elements are lists, or they are the one list.
bool parse_number_lists(const std::string& text, std::vector<std::vector<std::int64_t>>& lists) {
  std::vector<YAML::Node> nodes;
  if (!parse_list(text, nodes)) return false;
  const bool nested = nodes.front().IsSequence();
  if (!nested) nodes = {YAML::Load("[" + text + "]")[0]};
  for (const YAML::Node& node : nodes) {
    if (nested && !node.IsSequence()) return false;
    if (!parse_numbers(node, lists.emplace_back())) return false;
  }
  return true;
}

}  // namespace

void DeckKeys::words(const std::string& name, std::vector<std::string>& option, const std::string& help,
                     bool required) {
  const auto set = [&option](const std::string& text, const std::filesystem::path&) {
    std::vector<YAML::Node> nodes;
    if (!parse_list(text, nodes)) return false;
    std::vector<std::string> words;
    for (const YAML::Node& node : nodes) {
      if (!node.IsScalar() || node.Scalar().empty()) return false;
      words.push_back(node.Scalar());
    }
    option = words;
    return true;
  };
  const auto get = [&option] {
    std::vector<std::string> texts;
    for (const std::string& word : option) texts.push_back(yaml_text(word));
    return fmt::format("[{}]", fmt::join(texts, ", "));
  };
  keys_.push_back({name, "a word, or a list of words", help, required, set, get});
  keys_.back().list = true;
}

void DeckKeys::paths(const std::string& name, std::vector<std::filesystem::path>& option,
                     const std::string& help, bool required) {
  const auto set = [&option](const std::string& text, const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> paths;
    if (!parse_paths(text, folder, paths)) return false;
    option = paths;
    return true;
  };
  const auto get = [&option] {
    std::vector<std::string> texts;
    for (const std::filesystem::path& path : option) texts.push_back(yaml_text(path.string()));
    return texts.empty() ? std::string() : fmt::format("[{}]", fmt::join(texts, ", "));
  };
  keys_.push_back({name, "a path, or a list of paths", help, required, set, get});
  keys_.back().list = true;
}

void DeckKeys::numbers(const std::string& name, std::vector<std::int64_t>& option, const std::string& help) {
  const auto set = [&option](const std::string& text, const std::filesystem::path&) {
    std::vector<YAML::Node> nodes;
    if (!parse_list(text, nodes)) return false;
    std::vector<std::int64_t> numbers(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (!nodes[i].IsScalar() || !parse_number(nodes[i].Scalar(), numbers[i]) || numbers[i] < 0)
        return false;
    option = numbers;
    return true;
  };
  const auto get = [&option] {
    return option.empty() ? std::string() : fmt::format("[{}]", fmt::join(option, ", "));
  };
  keys_.push_back({name, "a list of whole numbers from 0", help, false, set, get});
  keys_.back().list = true;
}

void DeckKeys::range(const std::string& name, std::array<double, 2>& option, const std::string& help) {
  const auto set = [&option](const std::string& text, const std::filesystem::path&) {
    std::vector<YAML::Node> nodes;
    if (!parse_list(text, nodes) || nodes.size() != 2) return false;
    std::array<double, 2> ends{};
    for (std::size_t i = 0; i < 2; ++i)
      if (!nodes[i].IsScalar() || !parse_number(nodes[i].Scalar(), ends[i]) ||
          !(ends[i] >= 0.0 && ends[i] <= 1e12))
        return false;
    if (ends[1] != 0.0 && ends[1] <= ends[0]) return false;
    option = ends;
    return true;
  };
  keys_.push_back({name, "two numbers [first, last], first < last, or last = 0 for the end", help, false, set,
                   [&option] { return fmt::format("[{}, {}]", option[0], option[1]); }});
  keys_.back().list = true;
}

void DeckKeys::number_lists(const std::string& name, std::vector<std::vector<std::int64_t>>& option,
                            const std::string& help, bool required) {
  const auto set = [&option](const std::string& text, const std::filesystem::path&) {
    std::vector<std::vector<std::int64_t>> lists;
    if (!parse_number_lists(text, lists)) return false;
    option = lists;
    return true;
  };
  const auto get = [&option] {
    std::vector<std::string> lists;
    for (const auto& numbers : option) lists.push_back(fmt::format("[{}]", fmt::join(numbers, ", ")));
    return fmt::format("[{}]", fmt::join(lists, ", "));
  };
  keys_.push_back({name, "a list of whole numbers, or a list of such lists", help, required, set, get});
  keys_.back().list = true;
}

}  // namespace kokkosort
