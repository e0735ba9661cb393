#include "recording/type_guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <unordered_map>

namespace kokkosort {
namespace {

constexpr std::int64_t n_stretches = 24;
constexpr std::size_t stretch_bytes = 1 << 17;
constexpr std::size_t fewest_pairs = 1000;  // of words that are not zero: fewer tell nothing

/// A stored word as a number. @param has_sign  whether its highest bit says that it is negative
double value_of(std::uint16_t word, bool has_sign) {
  return has_sign ? static_cast<double>(static_cast<std::int16_t>(word)) : static_cast<double>(word);
}

double deviation(std::size_t n, double sum, double squares) {
  const auto count = static_cast<double>(std::max<std::size_t>(n, 1));
  const double mean = sum / count;
  return std::sqrt(std::max(0.0, squares / count - mean * mean));
}

/// Half of the values are no farther than this from their median.
double median_deviation(const std::vector<std::uint16_t>& words, bool has_sign) {
  std::vector<double> values;
  values.reserve(words.size());
  for (const std::uint16_t word : words) values.push_back(value_of(word, has_sign));
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  const double median = *middle;
  for (double& value : values) value = std::abs(value - median);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Likewise of the numbers that vary less, with a sign or without.
double median_deviation(const std::vector<std::uint16_t>& words) {
  return std::min(median_deviation(words, false), median_deviation(words, true));
}

/// A file's 16-bit words by twos: a sample of 32 bits is a low and a high one.
struct WordPairs {
  std::vector<std::uint16_t> low;
  std::vector<std::uint16_t> high;

  explicit WordPairs(const StoredStretches& stretches) {
    for (const auto& bytes : stretches.bytes)
      for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
        std::array<std::uint16_t, 2> pair{};
        std::memcpy(pair.data(), &bytes[at], sizeof(pair));
        low.push_back(pair[0]);
        high.push_back(pair[1]);
      }
  }

  std::size_t size() const { return low.size(); }
  float as_float(std::size_t i) const {
    const std::array<std::uint16_t, 2> pair{low[i], high[i]};
    float value = 0.0f;
    std::memcpy(&value, pair.data(), sizeof(value));
    return value;
  }
};

/// What pairs are as floating-point numbers.
struct AsFloats {
  std::size_t n = 0;         // that are neither zero nor what programs write in place of a number
  std::size_t sensible = 0;  // of them, as large as a sample in any unit
  std::size_t infinite = 0;  // or none
  std::size_t whole = 0;
  std::size_t negative = 0;
  std::map<int, std::size_t> of_exponent;  // how many have it
  std::set<float> few;                     // different ones, a few
  double low_deviation = 0.0;              // standard deviation of their low words

  explicit AsFloats(const WordPairs& pairs) {
    constexpr std::uint16_t not_a_number = 0x7FC0;
    constexpr std::size_t most_kept = 8;
    double sum = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const float value = pairs.as_float(i);
      if (value == 0.0f || (pairs.low[i] == 0 && (pairs.high[i] & 0x7FFF) == not_a_number)) continue;
      ++n;
      const double low = value_of(pairs.low[i], true);
      sum += low;
      squares += low * low;
      if (!std::isfinite(value)) ++infinite;
      const float magnitude = std::abs(value);
      if (!(magnitude >= 1e-12f && magnitude <= 1e9f)) continue;
      ++sensible;
      if (value < 0.0f) ++negative;
      ++of_exponent[std::ilogb(value)];
      if (magnitude < 16777216.0f && std::floor(value) == value) ++whole;
      if (few.size() < most_kept) few.insert(value);
    }
    low_deviation = deviation(n, sum, squares);
  }

  bool has(std::size_t part, double share) const {
    return static_cast<double>(part) >= share * static_cast<double>(n);
  }
  /// Numbers that fade away behind a filter become small, but all of them do not, and none infinite.
  bool are_nonsense() const { return !has(sensible, 0.01) || (!has(sensible, 0.5) && has(infinite, 0.05)); }
  bool both_signs() const { return has(negative, 0.01) && has(sensible - negative, 0.01); }
  /// Around zero, some large and some small.
  bool vary() const {
    return both_signs() && std::count_if(of_exponent.begin(), of_exponent.end(),
                                         [this](const auto& entry) { return has(entry.second, 0.01); }) >= 3;
  }
  bool are_whole() const {
    return has(whole, 0.999) && (few.size() >= 8 || (few.size() >= 3 && both_signs()));
  }
};

bool enough(std::size_t n, const WordPairs& pairs) { return n >= fewest_pairs && n >= pairs.size() / 10; }

/// Samples that are said to be integers.
bool are_floats(const WordPairs& pairs, SampleType said) {
  const AsFloats floats(pairs);
  if (!enough(floats.n, pairs) || !floats.has(floats.sensible, 0.99)) return false;
  if (said == SampleType::int32) return floats.both_signs();
  constexpr double full_range = 10000.0;  // words that are all as likely have 18 900
  return floats.low_deviation > full_range || floats.are_whole() || floats.vary();
}

/// Share of pairs whose high word is what the sign of the low one makes it; the smaller one of both signs.
double sign_share(const WordPairs& pairs) {
  std::array<double, 2> all{}, right{};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (pairs.low[i] == 0) continue;
    const bool negative = pairs.low[i] >= 0x8000;
    ++all[negative];
    if (pairs.high[i] == (negative ? 0xFFFF : 0)) ++right[negative];
  }
  const double n = all[0] + all[1];
  if (n < fewest_pairs || std::min(all[0], all[1]) < 0.1 * n) return 0.0;
  return std::min(right[0] / all[0], right[1] / all[1]);
}

bool fill_their_range(const std::vector<std::uint16_t>& words) {
  constexpr std::size_t n_bins = 16;
  std::array<double, n_bins> bins{};
  for (const std::uint16_t word : words) ++bins[word * n_bins >> 16];
  const double expected = static_cast<double>(words.size()) / n_bins;
  return words.size() >= fewest_pairs && std::all_of(bins.begin(), bins.end(), [expected](double n) {
           return n > 0.6 * expected && n < 1.4 * expected;
         });
}

/// Samples that are said to be of 16 bits.
bool are_int32(const WordPairs& pairs, std::size_t n_channels) {
  if (pairs.size() < fewest_pairs) return false;
  if (sign_share(pairs) >= 0.8) return true;
  constexpr double hardly = 512.0;
  if (n_channels < 3 || !fill_their_range(pairs.low)) return false;  // one of two may be of anything
  const double moves = median_deviation(pairs.high);
  return moves >= 1.0 && moves <= hardly;
}

/// Share of the pairs that are one of the two most frequent ones: of channels that are constant or at the
/// ends of their range.
double still_share(const WordPairs& pairs) {
  std::unordered_map<std::uint32_t, std::size_t> counts;
  for (std::size_t i = 0; i < pairs.size(); ++i) ++counts[pairs.high[i] * 65536u + pairs.low[i]];
  std::size_t first = 0, second = 0;
  for (const auto& [pair, count] : counts) {
    second = std::max(second, std::min(first, count));
    first = std::max(first, count);
  }
  return static_cast<double>(first + second) / static_cast<double>(pairs.size());
}

/// Samples that are said to be int32.
bool are_16_bits(const WordPairs& pairs) {
  if (pairs.size() < fewest_pairs || sign_share(pairs) >= 0.5 || still_share(pairs) >= 0.25) return false;
  constexpr double little = 10000.0;  // words that fill their range have 16 384
  const double low = median_deviation(pairs.low);
  const double high = median_deviation(pairs.high);
  return low >= 1.0 && high >= 1.0 && low < little && low < 8.0 * high && high < 8.0 * low;
}

/// How a channel's words follow each other.
struct ChannelSteps {
  std::size_t n = 0;
  std::array<std::size_t, 2> jumps{};   // over more than half the range: as unsigned, as signed
  std::array<std::size_t, 2> middle{};  // values in the middle of the range, likewise
  std::array<double, 2> sum{}, squares{};

  void add(std::uint16_t word) {
    for (const bool has_sign : {false, true}) {
      const double value = value_of(word, has_sign);
      sum[has_sign] += value;
      squares[has_sign] += value * value;
      const double from_middle = has_sign ? value : value - 32768.0;
      if (std::abs(from_middle) < (has_sign ? 8192.0 : 24576.0)) ++middle[has_sign];
    }
    ++n;
  }
  void add_step(std::uint16_t from, std::uint16_t to) {
    for (const bool has_sign : {false, true})
      if (std::abs(value_of(to, has_sign) - value_of(from, has_sign)) > 32768.0) ++jumps[has_sign];
  }
  double spread(bool has_sign) const { return deviation(n, sum[has_sign], squares[has_sign]); }
  /// Whether a channel wraps around as one type and does not as the other.
  bool wraps(bool has_sign) const {
    constexpr std::size_t fewest_jumps = 4;
    return jumps[has_sign] >= fewest_jumps && jumps[has_sign] >= n / 10000 && jumps[!has_sign] == 0 &&
           middle[has_sign] <= n / 100 && spread(!has_sign) >= 1.0;
  }
  bool is_live() const { return std::min(spread(false), spread(true)) >= 1.0; }
};

ChannelSteps follow(const StoredStretches& stretches, std::int32_t column) {
  ChannelSteps steps;
  for (std::size_t i = 0; i < stretches.bytes.size(); ++i) {
    std::uint16_t before = 0;
    for (std::size_t sample = 0; sample < stretches.n_samples(i); ++sample) {
      std::uint16_t word = 0;
      std::memcpy(&word,
                  &stretches.bytes[i][2 * (sample * stretches.n_channels + static_cast<std::size_t>(column))],
                  2);
      steps.add(word);
      if (sample > 0) steps.add_step(before, word);
      before = word;
    }
  }
  return steps;
}

/// Whether a quarter of the live channels wrap around as the type that they are said to be of.
bool wrap_around(const StoredStretches& stretches, SampleType said,
                 const std::vector<std::int32_t>& columns) {
  std::size_t live = 0;
  std::size_t wrapping = 0;
  for (const std::int32_t column : columns) {
    const ChannelSteps steps = follow(stretches, column);
    live += steps.is_live();
    wrapping += steps.wraps(said == SampleType::int16);
  }
  return wrapping > 0 && 4 * wrapping >= live;
}

}  // namespace

StoredStretches read_stretches(Recording& recording) {
  StoredStretches stretches{recording.type(), recording.n_channels(), {}};
  const std::size_t sample_bytes = stretches.n_channels * bytes_of(stretches.type);
  const std::int64_t n = recording.n_samples();
  const std::int64_t length =
      std::min(n, static_cast<std::int64_t>(std::max<std::size_t>(stretch_bytes / sample_bytes, 1)));
  const std::int64_t count = std::min(n_stretches, n / std::max<std::int64_t>(length, 1));
  for (std::int64_t i = 0; i < count; ++i) {
    const auto share = static_cast<double>(i) / static_cast<double>(std::max<std::int64_t>(count - 1, 1));
    const std::int64_t first = std::int64_t(static_cast<double>(n - length) * share) / 2 * 2;
    auto& bytes = stretches.bytes.emplace_back(static_cast<std::size_t>(length) * sample_bytes);
    recording.read(first, static_cast<std::size_t>(length), bytes.data());
  }
  return stretches;
}

std::optional<LikelierType> find_likelier_type(const StoredStretches& stretches, SampleType type,
                                               const std::vector<std::int32_t>& columns) {
  const WordPairs pairs(stretches);
  if (type == SampleType::float32) {
    const AsFloats floats(pairs);
    if (!enough(floats.n, pairs) || !floats.are_nonsense()) return std::nullopt;
    return LikelierType{sign_share(pairs) >= 0.8 ? "int32" : "int16 or uint16",
                        "hardly any of its samples is a floating-point number from 1e-12 to 1e9"};
  }
  if (are_floats(pairs, type))
    return LikelierType{"float32", "its samples are sensible floating-point numbers, and no integers"};
  if (type == SampleType::int32) {
    if (!are_16_bits(pairs)) return std::nullopt;
    return LikelierType{"int16 or uint16", "both halves of its samples change alike"};
  }
  if (are_int32(pairs, stretches.n_channels))
    return LikelierType{"int32", "every other of its samples is the upper half of a number"};
  if (wrap_around(stretches, type, columns))
    return LikelierType{name_of(type == SampleType::int16 ? SampleType::uint16 : SampleType::int16),
                        "its samples jump from one end of the range to the other"};
  return std::nullopt;
}

bool are_constant(const StoredStretches& stretches, const std::vector<std::int32_t>& columns) {
  const std::size_t value_bytes = bytes_of(stretches.type);
  return std::all_of(columns.begin(), columns.end(), [&](std::int32_t column) {
    const std::size_t at = static_cast<std::size_t>(column) * value_bytes;
    for (const auto& bytes : stretches.bytes)
      for (std::size_t from = 0; from < bytes.size(); from += stretches.n_channels * value_bytes)
        if (std::memcmp(&bytes[from + at], &stretches.bytes.front()[at], value_bytes) != 0) return false;
    return true;
  });
}

}  // namespace kokkosort
