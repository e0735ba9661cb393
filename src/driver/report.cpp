#include "driver/report.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <stdexcept>
#include <string>

#include "kokkosort/version.hpp"

namespace kokkosort {
namespace {

void print_row(const std::string& name, const std::string& value) {
  fmt::print("  {:<12} {}\n", name, value);
}

void print_seconds(const std::string& stage, double seconds) {
  fmt::print("    {:<24} {:>9.3f}\n", stage, seconds);
}

/// Duration of the recording as far as its spikes tell.
double recorded_seconds(const SpikeFeatures& spikes) {
  return static_cast<double>(spikes.sample(spikes.n_spikes() - 1) + 1) / spikes.sampling_rate_hz;
}

}  // namespace

void print_summary(const ClusterSummary& summary) {
  const auto& [deck, spikes, clustering, run, seconds] = summary;
  const double recorded = recorded_seconds(spikes);
  fmt::print("KokkoSort {} on {}: {}, {} host thread{}\n\n", version, run.backend, run.device, run.threads,
             run.threads == 1 ? "" : "s");
  print_row("spikes", fmt::format("{} ({}) in {:.1f} s", spikes.n_spikes(), deck.group, recorded));
  print_row("channels", std::to_string(spikes.n_channels()));
  print_row("sections", std::to_string(clustering.sections.size()));
  print_row("units", std::to_string(clustering.n_units()));
  fmt::print("\n  seconds\n");
  double in_stages = 0.0;
  for (const auto& [stage, stage_seconds] : run.times.entries()) {
    print_seconds(stage, stage_seconds);
    in_stages += stage_seconds;
  }
  print_seconds("other", seconds - in_stages);
  print_seconds("total", seconds);
  fmt::print("\n  {:.1f} times real time\n\n", recorded / seconds);
  print_row("result", deck.result().string());
}

void flush_output() {
  if (std::fflush(stdout) != 0) throw std::runtime_error("the summary could not be printed");
}

void print_ledger(const TransferLedger& ledger) {
  fmt::print("\n  {:<16} {:<24} {:<5} {:>14} {:>8}\n", "stage", "what", "way", "bytes", "copies");
  for (const auto& [key, entry] : ledger.entries())
    fmt::print("  {:<16} {:<24} {:<5} {:>14} {:>8}\n", key.stage, key.what,
               key.direction == Direction::up ? "up" : "down", entry.bytes, entry.copies);
}

}  // namespace kokkosort
