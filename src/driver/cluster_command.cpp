#include <fmt/format.h>

#include <chrono>

#include "driver/cluster_deck.hpp"
#include "driver/cluster_input.hpp"
#include "driver/commands.hpp"
#include "driver/common_checks.hpp"
#include "driver/common_keys.hpp"
#include "driver/environment.hpp"
#include "driver/memory_watch.hpp"
#include "driver/report.hpp"
#include "kokkosort/io/clusters_file.hpp"

namespace kokkosort {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

SpikeFeatures read_timed(const Exec& exec, const ClusterDeck& deck, StageTimes& times) {
  const ScopedStage stage(exec, times, "read");
  return read_spikes(deck);
}

/// Clusters the spikes and makes templates of the clusters.
ClusterResult cluster(const Exec& exec, const ClusterDeck& deck, const SpikeFeatures& spikes,
                      RunRecord& run) {
  ClusterResult result;
  result.clustering = cluster_spikes(exec, spikes, deck.clustering, run.ledger);
  TemplateOptions options = deck.templates;
  options.device_limit_bytes = deck.clustering.device_limit_bytes;
  result.learned = learn_templates(exec, spikes, result.clustering.labels, result.clustering.templates,
                                   options, run.ledger);
  run.times.add(result.clustering.times);
  run.times.add(result.learned.times);
  return result;
}

}  // namespace

void run_cluster(const CommandLine& line) {
  const auto start = std::chrono::steady_clock::now();
  ClusterDeck deck;
  const DeckKeys keys = cluster_keys(deck);
  load_deck_with_output(line.deck, line.overrides, keys, deck.output_folder);
  refuse_replacing_input(deck.features, deck.result());

  const Runtime runtime(line.device, deck.threads);
  settle_device_limit(deck.clustering.device_limit_bytes, runtime.device());
  PendingFile result(deck.result(), line.overwrite);
  const Exec exec;
  const MemoryWatch memory;
  RunProfile profile(line.report);
  RunRecord run = describe_run("cluster", keys, runtime.device());
  const SpikeFeatures spikes = read_timed(exec, deck, run.times);
  const ClusterResult clusters = cluster(exec, deck, spikes, run);
  run.memory = memory.high_water();
  {
    const ScopedStage stage(exec, run.times, "write");
    write_clusters(result, spikes, clusters, run);
  }

  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report(
      line, deck.result(),
      [&] { print_summary(ClusterSummary{deck, spikes, clusters, run, seconds, !line.report}); },
      [&] { print_details(profile, run, seconds); });
}

void check_cluster_deck(const CommandLine& line) {
  ClusterDeck deck;
  const DeckKeys keys = cluster_keys(deck);
  load_deck_with_output(line.deck, line.overrides, keys, deck.output_folder);
  refuse_replacing_input(deck.features, deck.result());
  const Runtime runtime(line.device, deck.threads);
  settle_device_limit(deck.clustering.device_limit_bytes, runtime.device());
  check_output(deck.result(), line.overwrite);
  const SpikeFeatures spikes = read_spikes(deck);
  if (line.quiet) return;
  fmt::print("# {} would cluster {} spikes of {} channels into {}, with these keys:\n{}", line.deck.string(),
             spikes.n_spikes(), spikes.n_channels(), deck.result().string(), keys.to_yaml());
}

std::string cluster_help() {
  ClusterDeck deck;
  return cluster_keys(deck).to_help();
}

}  // namespace kokkosort
