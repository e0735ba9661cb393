#include "driver/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "core/counted.hpp"
#include "core/one_line.hpp"
#include "kokkosort/version.hpp"

namespace kokkosort {
namespace {

void print_row(const std::string& name, const std::string& value) {
  fmt::print("  {:<12} {}\n", name, value);
}

void print_seconds(const std::string& stage, double seconds) {
  fmt::print("    {:<28} {:>9.3f}\n", stage, seconds);
}

void print_heading(const RunRecord& run) {
  fmt::print("KokkoSort {} on {}: {}, {} host thread{}\n\n", version, run.backend, run.device, run.threads,
             run.threads == 1 ? "" : "s");
}

void list_times(const StageTimes& times, double seconds) {
  fmt::print("\n  seconds\n");
  double in_stages = 0.0;
  for (const StageTime& time : times.entries()) {
    print_seconds(time.stage, time.seconds);
    in_stages += time.seconds;
  }
  print_seconds("other", seconds - in_stages);
  print_seconds("total", seconds);
}

/// @param recorded  seconds of the recording
void print_times(const RunRecord& run, double seconds, double recorded, bool lists_times) {
  if (lists_times) list_times(run.times, seconds);
  fmt::print("\n  {:.1f} times real time\n\n", recorded / seconds);
}

/// Duration of the recording as far as its spikes tell.
double recorded_seconds(const SpikeFeatures& spikes) {
  return static_cast<double>(spikes.sample(spikes.n_spikes() - 1) + 1) / spikes.sampling_rate_hz;
}

}  // namespace

void print_summary(const ClusterSummary& summary) {
  const auto& [deck, spikes, clusters, run, seconds, lists_times] = summary;
  const double recorded = recorded_seconds(spikes);
  print_heading(run);
  print_row("spikes", fmt::format("{} ({}) in {:.1f} s", spikes.n_spikes(), deck.group, recorded));
  print_row("channels", std::to_string(spikes.n_channels()));
  print_row("sections", std::to_string(clusters.clustering.sections.size()));
  print_row("units", std::to_string(clusters.clustering.n_units()));
  print_row("templates", std::to_string(clusters.learned.n_templates()));
  print_times(run, seconds, recorded, lists_times);
  print_row("result", deck.result().string());
}

void print_summary(const MatchSummary& summary) {
  const auto& [deck, files, matching, run, seconds, lists_times] = summary;
  const std::int64_t n_samples = files.traces->n_samples();
  const double recorded = static_cast<double>(n_samples) / files.set.sampling_rate_hz;
  print_heading(run);
  print_row("recording", fmt::format("{} of {}, {:.1f} s", counted(n_samples, "sample"),
                                     counted(files.traces->n_channels(), "channel"), recorded));
  print_row("templates", std::to_string(files.set.n_templates()));
  print_row("windows",
            fmt::format("{}, of at most {}", matching.windows, counted(matching.most_rounds, "round")));
  print_row("spikes", std::to_string(matching.n_spikes()));
  print_times(run, seconds, recorded, lists_times);
  print_row("result", deck.result().string());
}

void print_summary(const SortSummary& summary) {
  const auto& [deck, files, result, run, seconds, lists_times] = summary;
  const Sorting& sorting = result.sorting;
  const std::int64_t n_samples = files.recording->n_samples();
  const double recorded = static_cast<double>(n_samples) / deck.sampling_rate_hz;
  const auto n_good = std::count_if(sorting.units.begin(), sorting.units.end(),
                                    [](const Unit& unit) { return unit.is_refractory; });
  print_heading(run);
  print_row("recording", fmt::format("{} of {}, {:.1f} s", counted(n_samples, "sample"),
                                     counted(files.probe.column.size(), "channel"), recorded));
  if (!run.resumed_at.empty()) print_row("resumed", "at " + run.resumed_at);
  print_row("detected", counted(result.detected_spikes, "spike"));
  print_row("templates", std::to_string(result.matched_templates.extent(0)));
  print_row("units", fmt::format("{}, {} of them good", sorting.n_units(), n_good));
  print_row("spikes", std::to_string(sorting.n_spikes()));
  print_times(run, seconds, recorded, lists_times);
  print_row("result", deck.result().string());
  if (deck.write_phy) print_row("for Phy", (deck.phy() / "params.py").string());
  if (deck.write_report) print_row("report", deck.report().string());
  print_row("log", deck.log().string());
}

std::string ledger_table(const TransferLedger& ledger) {
  std::string table =
      fmt::format("  {:<16} {:<24} {:<5} {:>14} {:>8}\n", "stage", "what", "way", "bytes", "copies");
  for (const auto& [key, entry] : ledger.entries())
    table += fmt::format("  {:<16} {:<24} {:<5} {:>14} {:>8}\n", key.stage, key.what,
                         key.direction == Direction::up ? "up" : "down", entry.bytes, entry.copies);
  return table;
}

std::string memory_table(const std::map<std::string, std::uint64_t>& memory) {
  std::string table;
  for (const auto& [space, bytes] : memory)
    table += fmt::format("  {:<16} {:>10.1f} MB\n", space, static_cast<double>(bytes) / (1 << 20));
  return table;
}

void print_details(RunProfile& profile, const RunRecord& run, double seconds) {
  fmt::print("\n{}\n{}", profile.finish(run.times, seconds), ledger_table(run.ledger));
}

void report(const CommandLine& line, const std::filesystem::path& result,
            const std::function<void()>& print_summary, const std::function<void()>& print_details) {
  try {
    if (!line.quiet) print_summary();
    if (line.report) print_details();
    flush_output();
  } catch (const std::exception& error) {
    print_warning(fmt::format("{} is written; {}", result.string(), error.what()));
  }
}

void print_warning(const std::string& text) {
  fmt::print(stderr, "kokkosort: warning: {}\n", one_line(text));
}

void flush_output() {
  if (std::fflush(stdout) != 0) throw std::runtime_error("the summary could not be printed");
}

}  // namespace kokkosort
