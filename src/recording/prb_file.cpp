#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/counted.hpp"
#include "kokkosort/errors.hpp"
#include "recording/probe_formats.hpp"
#include "recording/probe_numbers.hpp"
#include "recording/python_data.hpp"
#include "recording/small_file.hpp"

namespace kokkosort {
namespace {

using Kind = PythonValue::Kind;

class PrbReader {
 public:
  PrbReader(const std::string& text, const std::string& file)
      : file_(file), groups_(read_python_value(text, root, file)) {}

  NamedNumbers read() const {
    if (groups_.kind != Kind::dict)
      fail(root, "is no dict of groups, e.g. {0: {'channels': ..., 'geometry': ...}}");
    const std::vector<std::string> names = group_names();
    const std::vector<double> shanks = number_shanks(names);
    ProbeNumbers all;
    for (std::size_t i = 0; i < names.size(); ++i)
      add_group(groups_.items[2 * i + 1], fmt::format("{}[{}]", root, names[i]), shanks[i], all);
    return {std::move(all), {"channels", "geometry", "geometry", root}};
  }

 private:
  static constexpr const char* root = "channel_groups";

  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    throw InputError(fmt::format("{}: {}: {}", file_, key, what));
  }

  std::vector<std::string> group_names() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < groups_.items.size(); i += 2) {
      const PythonValue& key = groups_.items[i];
      if (key.kind != Kind::number && key.kind != Kind::text)
        fail(root, "the name of a group must be a number or text");
      names.push_back(key.kind == Kind::number ? fmt::format("{}", key.number) : in_quotes(key.text));
    }
    std::vector<std::string> sorted = names;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) fail(root, fmt::format("has two groups {}; give each its own name", *twice));
    return names;
  }

  /// A group's key, a list or a dict.
  const PythonValue& member(const PythonValue& group, const std::string& name, const std::string& key) const {
    const PythonValue* const found = group.find(key);
    if (found == nullptr) fail(name, fmt::format("has no '{}'; give it", key));
    return *found;
  }

  void add_group(const PythonValue& group, const std::string& name, double shank, ProbeNumbers& all) const {
    if (group.kind != Kind::dict) fail(name, "is no dict with 'channels' and 'geometry'");
    const std::vector<double> channels = numbers(member(group, name, "channels"), name + "['channels']");
    const PythonValue& geometry = member(group, name, "geometry");
    const std::string key = name + "['geometry']";
    if (geometry.kind == Kind::list)
      add_in_order(geometry.items, key, channels.size(), all);
    else if (geometry.kind == Kind::dict)
      add_by_channel(geometry.items, key, channels, all);
    else
      fail(key, "is no dict {channel: (x, y)} and no list of (x, y)");
    all.column.insert(all.column.end(), channels.begin(), channels.end());
    all.shank.insert(all.shank.end(), channels.size(), shank);
  }

  void add_in_order(const std::vector<PythonValue>& places, const std::string& key, std::size_t n_channels,
                    ProbeNumbers& all) const {
    const auto holds_all = [n_channels](const PythonValue& axis) {
      return axis.kind == Kind::list && axis.items.size() == n_channels;
    };
    if (places.size() == 2 && n_channels != 2 && std::all_of(places.begin(), places.end(), holds_all))
      fail(key, fmt::format("has shape [2, {0}]; it must be [{0}, 2]: write it transposed", n_channels));
    if (places.size() != n_channels)
      fail(key, fmt::format("has {}, but 'channels' has {}; they must agree",
                            counted(places.size(), "position"), n_channels));
    for (std::size_t i = 0; i < n_channels; ++i) add_place(places[i], fmt::format("{}[{}]", key, i), all);
  }

  void add_by_channel(const std::vector<PythonValue>& entries, const std::string& key,
                      const std::vector<double>& channels, ProbeNumbers& all) const {
    std::unordered_map<double, const PythonValue*> place_of;
    for (std::size_t i = 0; i < entries.size(); i += 2)
      if (entries[i].kind == Kind::number) place_of[entries[i].number] = &entries[i + 1];
    for (const double channel : channels) {
      const auto found = place_of.find(channel);
      if (found == place_of.end()) fail(key, fmt::format("has no channel {}; give its (x, y)", channel));
      add_place(*found->second, fmt::format("{}[{}]", key, channel), all);
    }
  }

  void add_place(const PythonValue& place, const std::string& key, ProbeNumbers& all) const {
    const std::vector<double> xy = numbers(place, key);
    if (xy.size() != 2) fail(key, fmt::format("has {}; it must be (x, y)", counted(xy.size(), "coordinate")));
    all.x_um.push_back(xy[0]);
    all.y_um.push_back(xy[1]);
  }

  std::vector<double> numbers(const PythonValue& list, const std::string& key) const {
    if (list.kind != Kind::list) fail(key, "is no list");
    std::vector<double> all;
    for (const PythonValue& item : list.items) {
      if (item.kind != Kind::number) fail(fmt::format("{}[{}]", key, all.size()), "is no number");
      all.push_back(item.number);
    }
    return all;
  }

  const std::string& file_;
  PythonValue groups_;
};

}  // namespace

NamedNumbers parse_prb(const std::string& text, const std::string& file) {
  return PrbReader(text, file).read();
}

}  // namespace kokkosort
