#include "report/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>

#include "core/counted.hpp"
#include "report/text.hpp"

namespace kokkosort {
namespace {

/// "3, 17, 200", of very many the first and how many more.
std::string listed(const std::vector<std::size_t>& numbers) {
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(numbers.size(), most); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  return numbers.size() > most ? fmt::format("{} and {} more", text, numbers.size() - most) : text;
}

std::vector<std::size_t> channels_where(const Preparation& preparation, bool ChannelReport::*is) {
  std::vector<std::size_t> channels;
  for (std::size_t c = 0; c < preparation.channels.size(); ++c)
    if (preparation.channels[c].*is) channels.push_back(c);
  return channels;
}

/// "Channel 3 is", "Channels 3, 17 are".
std::string channels_are(const std::vector<std::size_t>& channels) {
  return channels.size() == 1 ? fmt::format("Channel {} is", channels[0])
                              : fmt::format("{} channels ({}) are", channels.size(), listed(channels));
}

std::string pair(const std::string& name, const std::string& value) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, value);
}

std::string fact(const std::string& name, const std::string& value) {
  return fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escaped(value));
}

std::string tiles(const SortReport& report) {
  const SortedRecording& recording = report.recording;
  const std::vector<Unit>& units = report.sorting.units;
  const double recorded = static_cast<double>(recording.n_samples) / recording.sampling_rate_hz;
  const auto good = std::count_if(units.begin(), units.end(), [](const Unit& u) { return u.is_refractory; });
  const auto number = [](auto n) { return grouped(static_cast<std::int64_t>(n)); };
  return "<dl class=\"tiles\">\n" + pair("units", number(units.size())) + pair("good units", number(good)) +
         pair("spikes", number(report.sorting.n_spikes())) +
         pair("channels", number(recording.probe.x_um.size())) + pair("recorded", rounded(recorded) + " s") +
         pair("sorted in", rounded(report.seconds) + " s") +
         pair("real time", rounded(recorded / report.seconds) + " ×") + "</dl>\n";
}

std::string versions(const RunRecord& run) {
  std::string text;
  for (const auto& [name, version] : run.versions) text += (text.empty() ? "" : " · ") + name + " " + version;
  return text;
}

std::string facts(const SortReport& report) {
  const SortedRecording& recording = report.recording;
  const RunRecord& run = report.run;
  std::string files;
  for (const std::filesystem::path& file : recording.files)
    files += (files.empty() ? "" : ", ") + file.string();
  return "<dl class=\"facts\">\n" + (files.empty() ? "" : fact("recording", files)) +
         fact("sampling rate", fmt::format("{:.10g} Hz", recording.sampling_rate_hz)) +
         fact("backend", fmt::format("{}, {}", run.backend, counted(run.threads, "host thread"))) +
         fact("device", run.device) + fact("versions", versions(run)) + fact("date", run.date) + "</dl>\n";
}

std::string warnings(const SortReport& report) {
  std::vector<std::string> sentences = channel_warnings(report.recording.preparation);
  sentences.insert(sentences.end(), report.warnings.begin(), report.warnings.end());
  std::string items;
  for (const std::string& sentence : sentences) items += fmt::format("<li>{}</li>\n", escaped(sentence));
  return items.empty() ? "" : fmt::format("<ul class=\"warnings\">\n{}</ul>\n", items);
}

}  // namespace

std::string recording_name(const SortedRecording& recording) {
  if (recording.files.empty()) return "recording";
  const std::string first = recording.files[0].filename().string();
  const std::size_t more = recording.files.size() - 1;
  return more == 0 ? first : fmt::format("{} and {}", first, counted(more, "more file"));
}

std::vector<std::string> channel_warnings(const Preparation& preparation) {
  std::vector<std::string> sentences;
  const std::vector<std::size_t> dead = channels_where(preparation, &ChannelReport::is_dead);
  const std::vector<std::size_t> saturated = channels_where(preparation, &ChannelReport::is_saturated);
  if (!dead.empty())
    sentences.push_back(channels_are(dead) + " dead: constant, or nearly so. Nothing was found there.");
  if (!saturated.empty())
    sentences.push_back(
        channels_are(saturated) +
        " saturated: too many samples are at the ends of the range. Spikes there are cut off.");
  return sentences;
}

std::string summary(const SortReport& report) { return warnings(report) + tiles(report) + facts(report); }

}  // namespace kokkosort
