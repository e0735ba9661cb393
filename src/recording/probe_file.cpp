#include "kokkosort/recording/probe_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "kokkosort/errors.hpp"
#include "recording/probe_formats.hpp"
#include "recording/small_file.hpp"

namespace kokkosort {
namespace {

bool begins_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

}  // namespace

ProbeFile read_probe(const std::filesystem::path& path, const ExcludedColumns& excluded) {
  std::string text = read_small_file(path);
  if (begins_with(text, "\xef\xbb\xbf")) text.erase(0, 3);  // the mark of UTF-8, which some editors write
  if (begins_with(text, "MATLAB") || begins_with(text, "\x89HDF"))
    throw InputError(
        path.string() +
        ": is a MATLAB or HDF5 file, not a probe; save it as Kilosort's JSON (chanMap, xc, yc, kcoords)");
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const auto checked = [&](const NamedNumbers& probe) {
    return checked_probe(probe.numbers, path.string(), probe.keys, excluded);
  };
  if (first != std::string::npos && text[first] == '{') return checked(parse_probe_json(text, path.string()));
  if (text.find("channel_groups") != std::string::npos) return checked(parse_prb(text, path.string()));
  throw InputError(
      path.string() +
      ": is no probe; it must be JSON of ProbeInterface or Kilosort, or a .prb file with channel_groups");
}

ProbeFile linear_probe(std::size_t n_channels, double spacing_um) {
  ProbeFile file;
  for (std::size_t i = 0; i < n_channels; ++i) {
    file.column.push_back(static_cast<std::int32_t>(i));
    file.probe.x_um.push_back(0.0);
    file.probe.y_um.push_back(static_cast<double>(i) * spacing_um);
    file.probe.shank.push_back(0);
  }
  return file;
}

ProbeFile without_columns(const ProbeFile& probe, const ExcludedColumns& excluded) {
  const std::string& key = excluded.key;
  const std::set<std::int64_t> out(excluded.columns.begin(), excluded.columns.end());
  for (const std::int64_t column : out)
    if (std::find(probe.column.begin(), probe.column.end(), column) == probe.column.end())
      throw InputError(fmt::format("{}: {} is the column of no channel; the probe has columns {} to {}", key,
                                   column, *std::min_element(probe.column.begin(), probe.column.end()),
                                   *std::max_element(probe.column.begin(), probe.column.end())));
  ProbeFile rest;
  for (std::size_t i = 0; i < probe.n_channels(); ++i) {
    if (out.count(probe.column[i]) > 0) continue;
    rest.column.push_back(probe.column[i]);
    rest.probe.x_um.push_back(probe.probe.x_um[i]);
    rest.probe.y_um.push_back(probe.probe.y_um[i]);
    rest.probe.shank.push_back(probe.probe.shank[i]);
  }
  if (rest.column.empty())
    throw InputError(fmt::format("{}: names all {} channels; leave one at least", key, probe.n_channels()));
  return rest;
}

std::string to_kilosort_json(const ProbeFile& file, std::size_t n_columns) {
  return fmt::format(
      "{{\n\"chanMap\": [{}],\n\"xc\": [{}],\n\"yc\": [{}],\n\"kcoords\": [{}],\n\"n_chan\": {}\n}}\n",
      fmt::join(file.column, ", "), fmt::join(file.probe.x_um, ", "), fmt::join(file.probe.y_um, ", "),
      fmt::join(file.probe.shank, ", "), n_columns);
}

}  // namespace kokkosort
