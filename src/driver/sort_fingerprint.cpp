#include "driver/sort_fingerprint.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "kokkosort/random.hpp"
#include "kokkosort/version.hpp"

namespace kokkosort {
namespace {

/// Of bytes, in order.
class Digest {
 public:
  void add(const void* data, std::size_t bytes) {
    const auto* const from = static_cast<const char*>(data);
    for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, from + at, std::min(sizeof(word), bytes - at));
      value_ = scatter_bits(value_ ^ word);
    }
    value_ = scatter_bits(value_ ^ bytes);
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(values.data(), values.size() * sizeof(T));
  }
  void add(const HostMatrix<float>& matrix) { add(matrix.data(), matrix.size() * sizeof(float)); }

  std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  std::uint64_t value_ = 0;
};

/// Of some samples, evenly spread.
std::string digest_of(Recording& recording) {
  constexpr std::int64_t stretches = 64;
  constexpr std::int64_t length = 256;  // samples
  const std::int64_t n = recording.n_samples();
  std::vector<char> samples(static_cast<std::size_t>(std::min(length, n)) * recording.n_channels() *
                            bytes_of(recording.type()));
  Digest digest;
  for (std::int64_t i = 0; i < stretches; ++i) {
    const std::int64_t last = std::max<std::int64_t>(n - length, 0);
    recording.read(static_cast<std::int64_t>(static_cast<double>(last) * static_cast<double>(i) /
                                             static_cast<double>(stretches - 1)),
                   static_cast<std::size_t>(std::min(length, n)), samples.data());
    digest.add(samples);
  }
  return digest.text();
}

/// A file as it is now.
std::string state_of(const std::filesystem::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return "gone";
  return fmt::format("{} bytes, changed at {}.{:09}", status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

/// @param without  a key that has no say
std::string lines_of(const DeckKeys& keys, std::string_view group, std::string_view without = {}) {
  std::string lines;
  for (const DeckKey& key : keys.all())
    if (key.name.starts_with(group) && key.name != without)
      lines += fmt::format("{}: {}\n", key.name, key.get());
  return lines;
}

std::string recording_lines(const SortDeck& deck, const SortFiles& files) {
  std::string lines;
  for (const std::filesystem::path& path : deck.recording)
    lines += "file of the recording: " + state_of(path) + "\n";
  Digest probe;
  probe.add(files.probe.probe.x_um);
  probe.add(files.probe.probe.y_um);
  probe.add(files.probe.probe.shank);
  probe.add(files.probe.column);
  return lines + fmt::format(
                     "input.dataset: {}\ninput.dtype: {}\ninput.channels: {}\ninput.sampling_rate_hz: {}\n"
                     "input.offset: {}\nsamples: {} from {}\nsamples' digest: {}\nprobe: {} channels, {}\n",
                     deck.dataset, name_of(files.recording->type()), deck.n_columns, deck.sampling_rate_hz,
                     deck.offset, files.recording->n_samples(), files.first_sample,
                     digest_of(*files.recording), files.probe.column.size(), probe.text());
}

std::string universal_lines(const SortFiles& files) {
  if (!files.universal) return {};
  Digest digest;
  digest.add(files.universal->wPCA);
  digest.add(files.universal->wTEMP);
  return "detection.universal_templates: " + digest.text() + "\n";
}

}  // namespace

std::map<std::string, std::string> sort_fingerprints(const SortDeck& deck, const DeckKeys& keys,
                                                     const SortFiles& files) {
  const std::string preprocessing =
      fmt::format("KokkoSort {} {} on {}\n", version, git_describe, Kokkos::DefaultExecutionSpace::name()) +
      recording_lines(deck, files) + lines_of(keys, "preprocessing.");
  // Where the file of templates lies does not matter, but what it holds.
  const std::string detection = preprocessing + lines_of(keys, "seed") +
                                lines_of(keys, "detection.", "detection.universal_templates") +
                                universal_lines(files);
  const std::string clustering = detection + lines_of(keys, "clustering.") + lines_of(keys, "templates.");
  const std::string matching = clustering + lines_of(keys, "matching.", "matching.passes");
  return {{"preprocessing", preprocessing}, {"universal_templates", detection},
          {"detection", detection},         {"clusters_detected", clustering},
          {"matching_", matching},          {"clusters_", matching}};
}

}  // namespace kokkosort
