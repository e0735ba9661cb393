#include "driver/deck.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <set>
#include <system_error>

#include "core/one_line.hpp"
#include "driver/deck_command.hpp"
#include "driver/yaml_text.hpp"
#include "io/descriptor.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort {
namespace {

constexpr std::size_t largest_deck = 1 << 20;

/// Reads what comes next, from a pipe too. @return bytes read; negative if it cannot be
ssize_t read_some(int file, char* to, std::size_t most) {
  constexpr int longest_wait_ms = 30000;
  while (true) {
    const ssize_t got = read(file, to, most);
    if (got >= 0 || (errno != EAGAIN && errno != EINTR)) return got;
    pollfd waiting{file, POLLIN, 0};
    if (poll(&waiting, 1, longest_wait_ms) != 0) continue;
    errno = ETIMEDOUT;
    return -1;
  }
}

/// Walks one deck. Only groups of known keys are entered, so that aliases that multiply cannot.
class DeckReader {
 public:
  DeckReader(const std::filesystem::path& path, const DeckKeys& keys)
      : path_(path), folder_(absolute_path(path).parent_path()), keys_(keys) {}

  /// @return names of the keys that the deck sets
  std::set<std::string> read() {
    const YAML::Node root = parse(load_text());
    if (!root.IsMap()) fail(root.Mark(), "a deck is a map of keys, e.g. 'input: {features: FILE.h5}'");
    collect_names(root, "");
    read_map(root, "");
    return std::move(seen_);
  }

 private:
  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& what) const {
    if (mark.is_null()) throw InputError(fmt::format("{}: {}", path_.string(), what));
    throw InputError(fmt::format("{}:{}: {}", path_.string(), mark.line + 1, what));
  }

  std::string load_text() const {
    const auto fail = [this](const std::string& what) { this->fail(YAML::Mark::null_mark(), what); };
    // A deck may come through a pipe. One that nobody writes into is not waited for: it is empty.
    const Descriptor file(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0 && errno == ENOENT) fail("there is no such deck");
    if (file.get() < 0) fail(std::string("cannot be opened: ") + std::strerror(errno));
    struct stat status {};
    if (fstat(file.get(), &status) == 0 && S_ISDIR(status.st_mode)) fail("is a folder, not a deck");
    std::string text(largest_deck + 1, '\0');
    std::size_t n = 0;
    while (n < text.size()) {
      const ssize_t got = read_some(file.get(), text.data() + n, text.size() - n);
      if (got < 0) fail(std::string("cannot be read: ") + std::strerror(errno));
      if (got == 0) break;
      n += static_cast<std::size_t>(got);
    }
    text.resize(n);
    if (text.size() > largest_deck || text.find('\0') != std::string::npos)
      fail("is not a deck (YAML text); name data files in a deck, under input");
    return text;
  }

  YAML::Node parse(const std::string& text) const {
    try {
      const YamlText deck = read_yaml(text);
      if (deck.n_documents == 0) fail(YAML::Mark::null_mark(), "is empty");
      if (deck.n_documents > 1) fail(deck.second_place, "a second document begins; a deck is one");
      return deck.root;
    } catch (const YAML::Exception& error) {
      fail(error.mark, "is not YAML: " + one_line(error.msg));
    }
  }

  /// All keys of the deck, as far as any command knows the groups that they are in.
  void collect_names(const YAML::Node& map, const std::string& group) {
    for (const auto& entry : map) {
      if (!entry.first.IsScalar()) continue;
      const std::string name = group.empty() ? entry.first.Scalar() : group + "." + entry.first.Scalar();
      if (!entry.second.IsMap())
        names_.insert(name);
      else if (is_group_of_any(name))
        collect_names(entry.second, name);
    }
  }

  void read_map(const YAML::Node& map, const std::string& group) {
    for (const auto& entry : map) {
      if (!entry.first.IsScalar()) fail(entry.first.Mark(), "a key must be a word");
      const std::string name = group.empty() ? entry.first.Scalar() : group + "." + entry.first.Scalar();
      if (!seen_.insert(name).second)
        fail(entry.first.Mark(),
             fmt::format("{} is given twice", keys_.find(name) || keys_.is_group(name) ? name : shown(name)));
      if (const DeckKey* key = keys_.find(name)) {
        read_value(*key, entry.first.Mark(), entry.second);
      } else if (keys_.is_group(name)) {
        read_group(name, entry.first.Mark(), entry.second);
      } else if (entry.second.IsMap()) {
        fail(entry.first.Mark(), unknown_complaint("group", name, keys_.nearest_group(name), keys_, names_));
      } else {
        fail(entry.first.Mark(), unknown_complaint("key", name, keys_.nearest(name), keys_, names_));
      }
    }
  }

  void read_group(const std::string& name, const YAML::Mark& mark, const YAML::Node& node) {
    if (node.IsNull()) return;  // all its keys are commented out
    if (!node.IsMap()) fail(mark, fmt::format("{} is a group of keys, not a value", name));
    read_map(node, name);
  }

  void read_value(const DeckKey& key, const YAML::Mark& mark, const YAML::Node& node) {
    if (key.list && node.IsSequence()) {
      if (!key.set(list_text(node), folder_))
        fail(mark, fmt::format("{} is {}; it must be {}", key.name, shown(list_text(node)), key.allowed));
      return;
    }
    if (!node.IsScalar())
      fail(mark, fmt::format("{} is {}; it must be {}", key.name,
                             node.IsNull()  ? "empty"
                             : node.IsMap() ? "a map"
                                            : "a list",
                             key.allowed));
    if (node.Scalar().find('\0') != std::string::npos)
      fail(mark, fmt::format("{} holds a zero byte; it must be {}", key.name, key.allowed));
    // Quoted values are text for YAML ("!"), also where they look like numbers.
    const bool mistyped = !key.quoted && !key.list && node.Tag() == "!";
    // A list of one: text that begins with [ is here no list.
    const std::string text = key.list ? fmt::format("[{}]", yaml_text(node.Scalar())) : node.Scalar();
    if (mistyped || !key.set(text, folder_))
      fail(mark, fmt::format("{} is {}{}; it must be {}", key.name, mistyped ? "the text " : "",
                             shown(node.Scalar()), key.allowed));
  }

  /// The list as text. yaml-cpp would put other bytes in the place of those that are not UTF-8, as names of
  /// files may have them. It writes the lists in a list: with their aliases, which followed could multiply.
  static std::string list_text(const YAML::Node& list) {
    std::string text;
    for (const YAML::Node& element : list) {
      text += text.empty() ? "[" : ", ";
      text += element.IsScalar() ? element_text(element.Scalar()) : emitted(element);
    }
    return text.empty() ? "[]" : text + "]";
  }

  static std::string element_text(const std::string& scalar) {
    const bool is_plain = std::all_of(scalar.begin(), scalar.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
    });
    const bool is_mark =
        scalar.empty() || scalar == "null" || scalar.find_first_not_of("-.") == std::string::npos;
    return is_plain && !is_mark && scalar.substr(0, 2) != "--" ? scalar : yaml_text(scalar);
  }

  static std::string emitted(const YAML::Node& node) {
    YAML::Emitter emitter;
    emitter.SetSeqFormat(YAML::Flow);
    emitter.SetMapFormat(YAML::Flow);
    emitter << node;
    return emitter.c_str();
  }

  std::filesystem::path path_;
  std::filesystem::path folder_;
  const DeckKeys& keys_;
  std::set<std::string> names_;
  std::set<std::string> seen_;
};

/// @param names  of all keys that deck and command line set
/// @return name of the key set
std::string apply_override(const std::string& text, const DeckKeys& keys,
                           const std::set<std::string>& names) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    throw InputError(fmt::format("command line: {} is not of the form section.key=value", shown(text)));
  std::string name = text.substr(0, equals);
  const std::string value = text.substr(equals + 1);
  const DeckKey* key = keys.find(name);
  if (key == nullptr)
    throw InputError("command line: " + unknown_complaint("key", name, keys.nearest(name), keys, names));
  if (!key->set(value, absolute_path(".")))
    throw InputError(fmt::format("command line: {} is {}; it must be {}", name, shown(value), key->allowed));
  return name;
}

/// @param name  words with dots between them, each a key of the map before
bool has_node(const YAML::Node& map, const std::string& name) {
  if (!map.IsMap()) return false;
  const std::size_t dot = name.find('.');
  const YAML::Node node = map[name.substr(0, dot)];
  return node.IsDefined() && (dot == std::string::npos || has_node(node, name.substr(dot + 1)));
}

}  // namespace

std::filesystem::path absolute_path(const std::filesystem::path& path) {
  if (path.empty()) throw InputError("the deck's name is empty; name a file");
  std::error_code error;
  std::filesystem::path whole = std::filesystem::absolute(path, error);
  if (error) throw InputError(path.string() + ": the current folder is gone; change to one that is there");
  return whole;
}

bool deck_sets(const std::filesystem::path& path, const std::vector<std::string>& overrides,
               const std::string& name) {
  for (const std::string& text : overrides)
    if (text.starts_with(name + ".") || text.starts_with(name + "=")) return true;
  std::error_code error;  // a pipe can be read but once, and load_deck is to read it
  if (!std::filesystem::is_regular_file(path, error) ||
      std::filesystem::file_size(path, error) > largest_deck)
    return false;
  try {
    return has_node(YAML::LoadFile(path.string()), name);
  } catch (const YAML::Exception&) {
    return false;  // load_deck will say what is wrong
  }
}

void load_deck(const std::filesystem::path& path, const std::vector<std::string>& overrides,
               const DeckKeys& keys) {
  std::set<std::string> given = DeckReader(path, keys).read();
  std::set<std::string> names = given;
  for (const std::string& text : overrides) names.insert(text.substr(0, text.find('=')));
  for (const std::string& text : overrides) given.insert(apply_override(text, keys, names));
  for (const DeckKey& key : keys.all())
    if (key.required && !given.contains(key.name))
      throw InputError(fmt::format("{}: {} is missing; it must be {}: {}", path.string(), key.name,
                                   key.allowed, key.help));
}

}  // namespace kokkosort
