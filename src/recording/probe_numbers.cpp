#include "recording/probe_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "core/counted.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort {
namespace {

constexpr double farthest_um = 1e7;      // ten metres: beyond it the unit is wrong
constexpr double largest_span_um = 1e6;  // a metre
constexpr double smallest_span_um = 1.0;
constexpr int highest_named_shank = 1000000;

class Checker {
 public:
  Checker(const ProbeNumbers& numbers, const std::string& file, const ProbeKeys& keys,
          const ExcludedColumns& excluded)
      : numbers_(numbers), file_(file), keys_(keys), excluded_(excluded) {}

  ProbeFile check() const {
    check_lengths();
    ProbeFile probe;
    probe.column = whole_numbers(numbers_.column, keys_.column, 0, "a column of the recording, from 0");
    probe.probe.shank = whole_numbers(numbers_.shank, keys_.shank, std::numeric_limits<std::int32_t>::min(),
                                      "a whole number");
    check_columns(probe.column);
    probe.probe.x_um = numbers_.x_um;
    probe.probe.y_um = numbers_.y_um;
    if (!excluded_.columns.empty()) probe = without_columns(probe, excluded_);
    check_axis(probe, probe.probe.x_um, keys_.x);
    check_axis(probe, probe.probe.y_um, keys_.y);
    check_unit(probe.probe);
    check_distinct(probe);
    check_distances(probe);
    return probe;
  }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    throw InputError(fmt::format("{}: {}: {}", file_, key, what));
  }

  void check_lengths() const {
    const std::size_t n = numbers_.column.size();
    if (n == 0) fail(keys_.column, "has no channels; a probe needs one at least");
    check_length(numbers_.x_um, keys_.x);
    check_length(numbers_.y_um, keys_.y);
    check_length(numbers_.shank, keys_.shank);
  }

  void check_length(const std::vector<double>& values, const std::string& key) const {
    if (values.size() != numbers_.column.size())
      fail(key, fmt::format("has {}, but {} has {}; they must agree", counted(values.size(), "element"),
                            keys_.column, numbers_.column.size()));
  }

  std::vector<std::int32_t> whole_numbers(const std::vector<double>& values, const std::string& key,
                                          std::int32_t lowest, const std::string& allowed) const {
    std::vector<std::int32_t> whole(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!(values[i] >= lowest && values[i] <= std::numeric_limits<std::int32_t>::max() &&
            std::floor(values[i]) == values[i]))
        fail(key, fmt::format("holds {}; it must be {}", values[i], allowed));
      whole[i] = static_cast<std::int32_t>(values[i]);
    }
    return whole;
  }

  void check_columns(std::vector<std::int32_t> columns) const {
    std::sort(columns.begin(), columns.end());
    const auto twice = std::adjacent_find(columns.begin(), columns.end());
    if (twice != columns.end())
      fail(keys_.column, fmt::format("holds column {} twice; each channel has one of its own", *twice));
  }

  void check_axis(const ProbeFile& probe, const std::vector<double>& positions,
                  const std::string& key) const {
    for (std::size_t i = 0; i < positions.size(); ++i)
      if (!(std::abs(positions[i]) <= farthest_um))
        fail(key, fmt::format("the channel of column {} is at {}; it must be a position in micrometres",
                              probe.column[i], positions[i]));
    const auto [low, high] = std::minmax_element(positions.begin(), positions.end());
    if (*high - *low > largest_span_um)
      fail(key, fmt::format("spans {} um, over a metre; positions must be micrometres", *high - *low));
  }

  /// No probe's channels are all within a micrometre: in millimetres they would be.
  void check_unit(const Probe& probe) const {
    const auto span = [](const std::vector<double>& positions) {
      const auto [low, high] = std::minmax_element(positions.begin(), positions.end());
      return *high - *low;
    };
    const double widest = std::max(span(probe.x_um), span(probe.y_um));
    if (widest > 0.0 && widest < smallest_span_um)
      fail(keys_.y,
           fmt::format("spans {} um with {}, less than one; positions must be micrometres", widest, keys_.x));
  }

  /// Channels in one place are as if they were one, and most often a geometry that was never filled in.
  void check_distinct(const ProbeFile& file) const {
    const Probe& probe = file.probe;
    const auto place = [&](std::size_t i) {
      return std::tuple(probe.shank[i], probe.x_um[i], probe.y_um[i]);
    };
    std::vector<std::size_t> order(file.n_channels());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::tuple(place(a), a) < std::tuple(place(b), b);
    });
    const auto pair = std::adjacent_find(order.begin(), order.end(),
                                         [&](std::size_t a, std::size_t b) { return place(a) == place(b); });
    if (pair == order.end()) return;
    const std::size_t a = pair[0], b = pair[1];
    const std::string keys = position_keys();
    const auto same =
        std::count_if(order.begin(), order.end(), [&](std::size_t i) { return place(i) == place(a); });
    const auto all = std::count(probe.shank.begin(), probe.shank.end(), probe.shank[a]);
    if (same == all)
      fail(keys, fmt::format("all {} channels of shank {} are at ({}, {}); give each its own position", all,
                             probe.shank[a], probe.x_um[a], probe.y_um[a]));
    fail(keys,
         fmt::format("the channels of columns {} and {} are both at ({}, {}) of shank {}; give each its own "
                     "position or shank, or leave one out (input.exclude_channels)",
                     file.column[a], file.column[b], probe.x_um[a], probe.y_um[a], probe.shank[a]));
  }

  /// No contacts of a shank are so near to each other: in millimetres they would be.
  void check_distances(const ProbeFile& file) const {
    constexpr double nearest_um = 0.5;
    const Probe& probe = file.probe;
    using Cell = std::tuple<std::int32_t, std::int64_t, std::int64_t>;
    std::map<Cell, std::vector<std::size_t>>
        cells;  // nearest_um wide; few channels in each, or two are refused
    for (std::size_t i = 0; i < file.n_channels(); ++i) {
      const auto x = static_cast<std::int64_t>(std::floor(probe.x_um[i] / nearest_um));
      const auto y = static_cast<std::int64_t>(std::floor(probe.y_um[i] / nearest_um));
      for (std::int64_t near_x = x - 1; near_x <= x + 1; ++near_x)
        for (std::int64_t near_y = y - 1; near_y <= y + 1; ++near_y)
          if (const auto cell = cells.find({probe.shank[i], near_x, near_y}); cell != cells.end())
            for (const std::size_t other : cell->second) refuse_nearer(file, other, i, nearest_um);
      cells[{probe.shank[i], x, y}].push_back(i);
    }
  }

  void refuse_nearer(const ProbeFile& file, std::size_t a, std::size_t b, double nearest_um) const {
    const Probe& probe = file.probe;
    const double distance = std::hypot(probe.x_um[a] - probe.x_um[b], probe.y_um[a] - probe.y_um[b]);
    if (distance < nearest_um)
      fail(position_keys(),
           fmt::format(
               "the channels of columns {} and {} are {:.3g} um apart; positions must be micrometres, and "
               "channels at least {} apart",
               file.column[a], file.column[b], distance, nearest_um));
  }

  std::string position_keys() const { return keys_.x == keys_.y ? keys_.x : keys_.x + ", " + keys_.y; }

  const ProbeNumbers& numbers_;
  const std::string& file_;
  const ProbeKeys& keys_;
  const ExcludedColumns& excluded_;
};

bool names_a_shank(const std::string& name, int& number) {
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, number);
  return error == std::errc() && stop == end && number >= 0 && number <= highest_named_shank;
}

}  // namespace

ProbeFile checked_probe(const ProbeNumbers& numbers, const std::string& file, const ProbeKeys& keys,
                        const ExcludedColumns& excluded) {
  return Checker(numbers, file, keys, excluded).check();
}

std::vector<double> number_shanks(const std::vector<std::string>& names, double first) {
  std::vector<double> shanks;
  int number = 0;
  for (const std::string& name : names)
    if (names_a_shank(name, number)) shanks.push_back(first + number);
  if (shanks.size() == names.size()) return shanks;
  shanks.clear();
  std::unordered_map<std::string, std::size_t> seen;
  for (const std::string& name : names)
    shanks.push_back(first + static_cast<double>(seen.emplace(name, seen.size()).first->second));
  return shanks;
}

}  // namespace kokkosort
