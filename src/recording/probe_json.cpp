#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/counted.hpp"
#include "kokkosort/errors.hpp"
#include "recording/probe_formats.hpp"
#include "recording/probe_numbers.hpp"
#include "recording/small_file.hpp"

namespace kokkosort {
namespace {

using Json = nlohmann::json;

constexpr int deepest = 32;
constexpr std::size_t most_values =
    4000000;  // of a probe of 100 000 contacts with all that ProbeInterface writes

class ProbeJson {
 public:
  ProbeJson(const std::string& text, const std::string& file) : file_(file), root_(parse(text)) {}

  NamedNumbers read() const {
    if (root_.contains("probes")) return read_probeinterface();
    if (root_.contains("chanMap") || root_.contains("xc") || root_.contains("yc")) return read_kilosort();
    throw InputError(file_ +
                     ": is no probe; ProbeInterface's JSON has 'probes', Kilosort's has chanMap, xc, yc, "
                     "kcoords and n_chan");
  }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    throw InputError(fmt::format("{}: {}: {}", file_, key, what));
  }

  Json parse(const std::string& text) const {
    std::size_t n_values = 0;
    const auto bounded = [&](int depth, Json::parse_event_t, const Json&) {
      if (depth > deepest) throw InputError(file_ + ": is nested too deeply for a probe");
      if (++n_values > most_values) throw InputError(file_ + ": holds too many values for a probe");
      return true;
    };
    try {
      return Json::parse(text, bounded);
    } catch (const Json::parse_error& error) {
      const std::size_t place = std::clamp<std::size_t>(error.byte, 1, text.size()) - 1;
      fail_at(text, place);
    } catch (const Json::exception&) {  // a number that no double holds
      throw InputError(file_ + ": is no JSON: a number is too large");
    }
  }

  [[noreturn]] void fail_at(std::string_view text, std::size_t place) const {
    const std::string_view before = text.substr(0, place);
    const std::string_view rest = text.substr(place);
    const std::string where =
        fmt::format("line {}, column {}", std::count(before.begin(), before.end(), '\n') + 1,
                    place - (before.rfind('\n') + 1) + 1);
    // Python writes these in place of numbers.
    if (rest.substr(0, 3) == "NaN" || rest.substr(0, 8) == "Infinity")
      fail(where, "is not a finite number; give every channel a position");
    fail(where, "this is no JSON; is the file complete?");
  }

  const Json& member(const Json& object, const std::string& prefix, const std::string& key,
                     const std::string& remedy) const {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) fail(prefix + key, "is missing; " + remedy);
    return *found;
  }

  const Json& list(const Json& value, const std::string& key) const {
    if (!value.is_array()) fail(key, "is no list");
    return value;
  }

  double number(const Json& value, const std::string& key) const {
    if (!value.is_number())
      fail(key, fmt::format("is {}; it must be a number", value.is_null() ? "null" : "no number"));
    return value.get<double>();
  }

  std::vector<double> numbers(const Json& value, const std::string& key) const {
    std::vector<double> all;
    for (const Json& element : list(value, key))
      all.push_back(number(element, fmt::format("{}[{}]", key, all.size())));
    return all;
  }

  NamedNumbers read_kilosort() const {
    const auto array = [&](const std::string& key) {
      return numbers(member(root_, "", key, "Kilosort's JSON has chanMap, xc, yc, kcoords and n_chan"), key);
    };
    ProbeNumbers probe;
    probe.column = array("chanMap");
    probe.x_um = array("xc");
    probe.y_um = array("yc");
    probe.shank =
        root_.contains("kcoords") ? array("kcoords") : std::vector<double>(probe.column.size(), 0.0);
    const std::size_t n_channels = probe.column.size();
    // Kilosort's own files count here the probe's channels, others the recording's.
    const auto n_chan = root_.find("n_chan");
    if (n_chan != root_.end() && !(number(*n_chan, "n_chan") >= static_cast<double>(n_channels)))
      fail("n_chan", fmt::format("is {}, but chanMap has {}; it must be as many or more",
                                 number(*n_chan, "n_chan"), counted(n_channels, "channel")));
    return {std::move(probe), {"chanMap", "xc", "yc", "kcoords"}};
  }

  NamedNumbers read_probeinterface() const {
    ProbeNumbers all;
    double next_shank = 0.0;
    const Json& probes = list(root_["probes"], "probes");
    for (std::size_t i = 0; i < probes.size(); ++i)
      next_shank = add_probe(probes[i], fmt::format("probes[{}]", i), next_shank, all);
    if (all.column.empty()) fail("probes", "no contact is wired to a channel; set device_channel_indices");
    return {std::move(all),
            {"device_channel_indices", "contact_positions", "contact_positions", "shank_ids"}};
  }

  /// Adds a probe's wired contacts, on shanks from first_shank. @return the first shank after them
  double add_probe(const Json& probe, const std::string& name, double first_shank, ProbeNumbers& all) const {
    if (!probe.is_object()) fail(name, "is no probe (an object)");
    const std::string prefix = name + ".";
    const double scale = micrometres(probe, prefix + "si_units");
    const std::string position_key = prefix + "contact_positions";
    const std::string column_key = prefix + "device_channel_indices";
    const Json& positions =
        list(member(probe, prefix, "contact_positions", "give each contact's x and y"), position_key);
    const std::vector<double> columns =
        numbers(member(probe, prefix, "device_channel_indices",
                       "give each contact's column of the recording (Probe.set_device_channel_indices)"),
                column_key);
    if (is_transposed(positions, columns.size()))
      fail(position_key,
           fmt::format("has shape [2, {0}]; it must be [{0}, 2]: write it transposed", columns.size()));
    check_length(columns.size(), column_key, positions.size());
    const std::vector<double> shanks =
        read_shanks(probe, prefix + "shank_ids", positions.size(), first_shank);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (columns[i] == -1.0) continue;
      const std::vector<double> place = numbers(positions[i], fmt::format("{}[{}]", position_key, i));
      if (place.size() != 2)
        fail(fmt::format("{}[{}]", position_key, i),
             fmt::format("has {}; it must be x and y (Probe.to_2d makes a flat probe)",
                         counted(place.size(), "coordinate")));
      all.column.push_back(columns[i]);
      all.x_um.push_back(scale * place[0]);
      all.y_um.push_back(scale * place[1]);
      all.shank.push_back(shanks[i]);
    }
    return shanks.empty() ? first_shank : *std::max_element(shanks.begin(), shanks.end()) + 1.0;
  }

  /// All contacts' x, then their y.
  static bool is_transposed(const Json& positions, std::size_t n_contacts) {
    return n_contacts != 2 && positions.size() == 2 &&
           std::all_of(positions.begin(), positions.end(), [n_contacts](const Json& axis) {
             return axis.is_array() && axis.size() == n_contacts;
           });
  }

  void check_length(std::size_t size, const std::string& key, std::size_t n_contacts) const {
    if (size != n_contacts)
      fail(key, fmt::format("has {}, but contact_positions has {}; they must agree", counted(size, "element"),
                            n_contacts));
  }

  double micrometres(const Json& probe, const std::string& key) const {
    const auto found = probe.find("si_units");
    if (found == probe.end()) return 1.0;
    if (*found == "um") return 1.0;
    if (*found == "mm") return 1e3;
    if (*found == "m") return 1e6;
    fail(key, fmt::format("is {}; it must be um, mm or m",
                          found->is_string() ? in_quotes(found->get_ref<const std::string&>()) : "no unit"));
  }

  std::vector<double> read_shanks(const Json& probe, const std::string& key, std::size_t n_contacts,
                                  double first) const {
    const auto found = probe.find("shank_ids");
    if (found == probe.end() || found->is_null()) return std::vector<double>(n_contacts, first);
    check_length(list(*found, key).size(), key, n_contacts);
    std::vector<std::string> names;
    for (const Json& id : *found) {
      if (!id.is_string() && !id.is_number_integer())
        fail(fmt::format("{}[{}]", key, names.size()),
             "is no name of a shank; it must be text or a whole number");
      names.push_back(id.is_string() ? id.get<std::string>() : std::to_string(id.get<std::int64_t>()));
    }
    return number_shanks(names, first);
  }

  const std::string& file_;
  Json root_;
};

}  // namespace

NamedNumbers parse_probe_json(const std::string& text, const std::string& file) {
  return ProbeJson(text, file).read();
}

}  // namespace kokkosort
