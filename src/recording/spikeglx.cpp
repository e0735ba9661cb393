#include "kokkosort/recording/spikeglx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/counted.hpp"
#include "kokkosort/errors.hpp"
#include "recording/probe_numbers.hpp"
#include "recording/small_file.hpp"

namespace kokkosort {
namespace {

namespace fs = std::filesystem;

constexpr double most_channels = 1e6;
constexpr int np10 = 0, np20_one_shank_prototype = 21, np20_four_shanks_prototype = 24;  // imDatPrb_type

/// Where ~snsShankMap's columns and rows are on a kind of probe.
struct Layout {
  double x_even_um;  // of column 0, in even rows
  double x_odd_um;
  double column_um;
  double row_um;
  double shank_um;
};

std::optional<Layout> layout_of(int probe_type) {
  switch (probe_type) {
    case np10:
      return Layout{27.0, 11.0, 32.0, 20.0, 0.0};
    case np20_one_shank_prototype:
    case 2003:
    case 2004:
      return Layout{27.0, 27.0, 32.0, 15.0, 0.0};
    case np20_four_shanks_prototype:
    case 2013:
    case 2014:
    case 2020:
    case 2021:
      return Layout{27.0, 27.0, 32.0, 15.0, 250.0};
    default:
      return std::nullopt;
  }
}

/// Whether ~imroTbl has a gain for each channel.
bool sets_gain_by_channel(int probe_type) {
  constexpr int active_uhd = 1110;
  return probe_type == np10 || (probe_type >= 1000 && probe_type < 2000 && probe_type != active_uhd);
}

std::optional<double> fixed_gain(int probe_type) {
  if (probe_type == np20_one_shank_prototype || probe_type == np20_four_shanks_prototype) return 80.0;
  if (layout_of(probe_type) && probe_type != np10) return 100.0;
  return std::nullopt;
}

/// Takes what comes before a separator, or all, off the text.
std::string_view take_field(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view field = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return field;
}

bool parse_number(std::string_view text, double& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && std::isfinite(number);
}

/// A value like "(a,b)(c:d)(e:f)", one bracket after the other.
class Brackets {
 public:
  explicit Brackets(std::string_view text) : rest_(text) {}

  /// What is in the next; nothing after the last.
  std::optional<std::string_view> next() {
    const std::size_t open = rest_.find('(');
    if (open == rest_.npos) return std::nullopt;
    rest_.remove_prefix(open + 1);
    return take_field(rest_, ')');
  }

 private:
  std::string_view rest_;
};

/// The lines KEY=VALUE of a .meta file.
class MetaFile {
 public:
  explicit MetaFile(const fs::path& path) : path_(path), text_(read_small_file(path)) {
    std::string_view rest = text_;
    while (!rest.empty()) {
      std::string_view line = take_field(rest, '\n');
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      const std::string_view key = take_field(line, '=');
      values_[key] = line;
    }
  }

  [[noreturn]] void fail(std::string_view key, const std::string& what) const {
    throw InputError(fmt::format("{}: {}: {}", path_.string(), key, what));
  }
  std::string name() const { return path_.string(); }

  bool has(std::string_view key) const { return values_.count(key) > 0; }
  std::string_view text(std::string_view key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) fail(key, "is missing; is this the .meta file that SpikeGLX wrote?");
    return found->second;
  }

  double number(std::string_view key, double low, double high) const {
    double value = 0.0;
    if (!parse_number(text(key), value) || !(value >= low && value <= high))
      fail(key, fmt::format("is {}; it must be a number from {} to {}", in_quotes(text(key)), low, high));
    return value;
  }

  std::size_t count(std::string_view key) const {
    const double value = number(key, 1.0, most_channels);
    if (std::floor(value) != value) fail(key, fmt::format("is {}; it must be a whole number", value));
    return static_cast<std::size_t>(value);
  }

  /// Counts like "384,0,1".
  std::vector<std::size_t> counts(std::string_view key, std::size_t n) const {
    std::vector<std::size_t> values;
    for (std::string_view rest = text(key); !rest.empty() && values.size() <= n;) {
      double value = -1.0;
      const bool is_number = parse_number(take_field(rest, ','), value);
      if (!is_number || !(value >= 0.0 && value <= most_channels) || std::floor(value) != value) break;
      values.push_back(static_cast<std::size_t>(value));
    }
    if (values.size() != n)
      fail(key, fmt::format("is {}; it must be {} numbers of channels", in_quotes(text(key)), n));
    return values;
  }

  /// Numbers like "0:27:0:1" of one bracket.
  std::vector<double> numbers(std::string_view key, std::string_view bracket, char separator) const {
    std::vector<double> values;
    for (std::string_view rest = bracket; !rest.empty();) {
      double value = 0.0;
      if (!parse_number(take_field(rest, separator), value))
        fail(key, fmt::format("({}) is not understood; it must hold numbers", in_quotes(bracket)));
      values.push_back(value);
    }
    return values;
  }

 private:
  fs::path path_;
  std::string text_;
  std::map<std::string_view, std::string_view> values_;
};

/// Reads ~snsGeomMap or ~snsShankMap: a header and for each neural channel (shank:x:y:used) or
/// (shank:column:row:used). @param to_place  of shank, and the two numbers after it: x and y in µm
template <class ToPlace>
ProbeFile read_map(const MetaFile& meta, const std::string& key, std::size_t n_channels,
                   const ToPlace& to_place) {
  Brackets brackets(meta.text(key));
  brackets.next();
  ProbeNumbers probe;
  std::size_t column = 0;
  while (const std::optional<std::string_view> bracket = brackets.next()) {
    const std::vector<double> site = meta.numbers(key, *bracket, ':');
    if (site.size() != 4)
      meta.fail(key, fmt::format("({}) has {}; each channel has 4", in_quotes(*bracket),
                                 counted(site.size(), "number")));
    if (site[3] != 0.0) {
      const auto [x, y] = to_place(site[0], site[1], site[2]);
      probe.column.push_back(static_cast<double>(column));
      probe.x_um.push_back(x);
      probe.y_um.push_back(y);
      probe.shank.push_back(site[0]);
    }
    ++column;
  }
  if (column != n_channels)
    meta.fail(key, fmt::format("has {}, but {} neural channels were saved; was the file changed?",
                               counted(column, "position"), n_channels));
  return checked_probe(probe, meta.name(), {key, key, key, key});
}

int probe_type(const MetaFile& meta) {
  const std::string key = "imDatPrb_type";  // the first generation of probes had none
  return meta.has(key) ? static_cast<int>(meta.number(key, 0.0, 1e6)) : np10;
}

ProbeFile read_geometry(const MetaFile& meta, std::size_t n_channels) {
  const std::string geometry = "~snsGeomMap", shanks = "~snsShankMap";
  if (meta.has(geometry)) {
    std::string_view header = Brackets(meta.text(geometry)).next().value_or("");
    take_field(header, ',');  // the probe's part number
    const std::vector<double> numbers = meta.numbers(geometry, header, ',');
    if (numbers.size() != 3)
      meta.fail(geometry, "does not begin with (part number,shanks,shank pitch,shank width)");
    return read_map(meta, geometry, n_channels,
                    [&](double shank, double x, double y) { return std::pair(x + shank * numbers[1], y); });
  }
  const std::optional<Layout> layout = layout_of(probe_type(meta));
  if (!meta.has(shanks) || !layout) return {};
  return read_map(meta, shanks, n_channels, [&](double shank, double column, double row) {
    const double first = std::fmod(row, 2.0) == 0.0 ? layout->x_even_um : layout->x_odd_um;
    return std::pair(first + column * layout->column_um + shank * layout->shank_um, row * layout->row_um);
  });
}

/// The number that the first saved channel had when it was acquired.
double first_acquired(const MetaFile& meta) {
  const std::string key = "snsSaveChanSubset";
  if (!meta.has(key) || meta.text(key) == "all") return 0.0;
  const std::string_view list = meta.text(key);
  double first = 0.0;
  if (!parse_number(list.substr(0, list.find_first_of(":,")), first))
    meta.fail(key, fmt::format("is {}; it must be 'all', or channels like 0:3,8", in_quotes(list)));
  return first;
}

/// The amplification of the first saved channel; nothing if the file does not tell.
std::optional<double> ap_gain(const MetaFile& meta) {
  constexpr double lowest = 1e-3, highest = 1e6;
  const std::string table = "~imroTbl", first_gain = "imChan0apGain";
  const int type = probe_type(meta);
  if (sets_gain_by_channel(type) && meta.has(table)) {
    const double channel = first_acquired(meta);
    Brackets brackets(meta.text(table));
    brackets.next();
    while (const std::optional<std::string_view> bracket = brackets.next()) {
      const std::vector<double> entry = meta.numbers(table, *bracket, ' ');
      if (entry.empty() || entry[0] != channel) continue;
      if (entry.size() < 5 || !(entry[3] >= lowest && entry[3] <= highest))
        meta.fail(table, fmt::format("({}) has no gain; it must be channel, bank, reference, AP and LF gain",
                                     in_quotes(*bracket)));
      return entry[3];
    }
    meta.fail(table, fmt::format("has no channel {}, which was saved first", channel));
  }
  if (meta.has(first_gain)) return meta.number(first_gain, lowest, highest);
  return fixed_gain(type);
}

double probe_gain_to_uv(const MetaFile& meta) {
  const std::string range = "imAiRangeMax", steps = "imMaxInt";
  const std::optional<double> gain = ap_gain(meta);
  if (!gain || !meta.has(range)) return 0.0;
  const int type = probe_type(meta);
  const bool has_14_bits = type == np20_one_shank_prototype || type == np20_four_shanks_prototype;
  const double largest = meta.has(steps) ? meta.number(steps, 1.0, 32768.0) : has_14_bits ? 8192.0 : 512.0;
  return 1e6 * meta.number(range, 1e-6, 1e3) / largest / *gain;
}

double ni_gain_to_uv(const MetaFile& meta) {
  const std::string range = "niAiRangeMax", steps = "niMaxInt", gain = "niMNGain";
  if (!meta.has(range) || !meta.has(gain)) return 0.0;
  const double largest = meta.has(steps) ? meta.number(steps, 1.0, 32768.0) : 32768.0;
  return 1e6 * meta.number(range, 1e-6, 1e3) / largest / meta.number(gain, 1e-3, 1e6);
}

}  // namespace

SpikeGlxMeta read_spikeglx_meta(const fs::path& path) {
  constexpr double lowest_rate_hz = 100.0, highest_rate_hz = 1e7;
  const MetaFile file(path);
  const std::string imec_counts = "snsApLfSy", ni_counts = "snsMnMaXaDw";
  const bool is_imec = file.has(imec_counts);
  if (!is_imec && !file.has(ni_counts))
    file.fail(imec_counts,
              "is missing, and snsMnMaXaDw too; it must be the .meta of an Imec probe or an NI device");
  const std::string& key = is_imec ? imec_counts : ni_counts;
  const std::vector<std::size_t> counts = file.counts(key, is_imec ? 3 : 4);

  SpikeGlxMeta meta;
  meta.n_columns = file.count("nSavedChans");
  meta.n_neural = counts[0];
  std::size_t sum = 0;
  for (const std::size_t n : counts) sum += n;
  if (sum != meta.n_columns)
    file.fail(key, fmt::format("adds up to {}, but nSavedChans is {}; was the file changed?",
                               counted(sum, "channel"), meta.n_columns));
  if (meta.n_neural == 0)
    file.fail(key, fmt::format("is '{}': no channel holds spikes; give the .bin {}", file.text(key),
                               is_imec ? "of the AP band" : "of a device with MN channels"));
  meta.sampling_rate_hz = file.number(is_imec ? "imSampRate" : "niSampRate", lowest_rate_hz, highest_rate_hz);
  meta.gain_to_uv = is_imec ? probe_gain_to_uv(file) : ni_gain_to_uv(file);
  if (is_imec) meta.probe = read_geometry(file, meta.n_neural);
  return meta;
}

fs::path spikeglx_meta_of(const fs::path& recording) {
  if (recording.extension() != ".bin") return {};
  fs::path meta = recording;
  meta.replace_extension(".meta");
  std::error_code error;
  return fs::is_regular_file(meta, error) ? meta : fs::path();
}

}  // namespace kokkosort
