#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>

#include "driver/cluster_deck.hpp"
#include "driver/cluster_input.hpp"
#include "driver/commands.hpp"
#include "driver/environment.hpp"
#include "driver/report.hpp"
#include "kokkosort/io/clusters_file.hpp"

namespace kokkosort {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

SpikeFeatures read_timed(const Exec& exec, const ClusterDeck& deck, StageTimes& times) {
  const ScopedStage stage(exec, times, "read");
  return read_spikes(deck);
}

/// The result is in its place by now: that its summary cannot be printed is no failure.
void report(const CommandLine& line, const ClusterSummary& summary) {
  try {
    if (!line.quiet) print_summary(summary);
    if (line.report) print_ledger(summary.run.ledger);
    flush_output();
  } catch (const std::exception& error) {
    fmt::print(stderr, "kokkosort: warning: {} is written; {}\n", summary.deck.result().string(),
               error.what());
  }
}

}  // namespace

void run_cluster(const CommandLine& line) {
  const auto start = std::chrono::steady_clock::now();
  ClusterDeck deck;
  const DeckKeys keys = cluster_keys(deck);
  load_cluster_deck(line.deck, line.overrides, deck, keys);
  refuse_replacing_input(deck);

  const Runtime runtime(line.device, deck.threads);
  check_device_limit(deck, runtime.device());
  PendingFile result(deck.result(), line.overwrite);
  const Exec exec;
  RunRecord run = describe_run("cluster", keys, runtime.device());
  const SpikeFeatures spikes = read_timed(exec, deck, run.times);
  const Clustering clustering = cluster_spikes(exec, spikes, deck.clustering, run.ledger);
  for (const auto& [stage, seconds] : clustering.times.entries()) run.times.add(stage, seconds);
  {
    const ScopedStage stage(exec, run.times, "write");
    write_clusters(result, spikes, clustering, run);
  }

  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report(line, {deck, spikes, clustering, run, seconds});
}

std::string deck_help() {
  ClusterDeck deck;
  return cluster_keys(deck).to_help();
}

}  // namespace kokkosort
