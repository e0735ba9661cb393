#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <system_error>

#include "driver/cluster_deck.hpp"
#include "driver/commands.hpp"
#include "driver/environment.hpp"
#include "driver/report.hpp"
#include "kokkosort/errors.hpp"
#include "kokkosort/io/clusters_file.hpp"
#include "kokkosort/io/features_file.hpp"

namespace kokkosort {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

/// A features file may itself be called clusters.h5.
void refuse_replacing_input(const ClusterDeck& deck) {
  std::error_code error;
  if (std::filesystem::equivalent(deck.features, deck.result(), error))
    throw InputError(deck.features.string() +
                     ": is the input and would be replaced by the result; set output.folder");
}

void check_device_limit(const ClusterDeck& deck, const Device& device) {
  if (runs_on_host<Exec> || deck.clustering.device_limit_bytes <= device.memory_bytes) return;
  throw InputError(fmt::format("memory.device_limit_mb is {}; {} has {}",
                               deck.clustering.device_limit_bytes >> 20, device.name,
                               device.memory_bytes >> 20));
}

RunRecord describe_run(const DeckKeys& keys, const Device& device) {
  RunRecord run;
  run.command = "cluster";
  run.deck = keys.to_yaml();
  run.versions = versions();
  run.backend = Exec::name();
  run.device = device.name;
  run.threads = Kokkos::num_threads();
  run.date = utc_now();
  return run;
}

SpikeFeatures read_spikes(const Exec& exec, const ClusterDeck& deck, StageTimes& times) {
  const ScopedStage stage(exec, times, "read");
  return read_features(deck.features, deck.group, deck.host_limit_bytes);
}

}  // namespace

void run_cluster(const CommandLine& line) {
  const auto start = std::chrono::steady_clock::now();
  ClusterDeck deck;
  const DeckKeys keys = cluster_keys(deck);
  load_cluster_deck(line.deck, line.overrides, deck, keys);
  check_output(deck.result(), line.overwrite);
  refuse_replacing_input(deck);

  const Runtime runtime(line.device, deck.threads);
  check_device_limit(deck, runtime.device());
  const Exec exec;
  RunRecord run = describe_run(keys, runtime.device());
  const SpikeFeatures spikes = read_spikes(exec, deck, run.times);
  PendingFile result(deck.result(), line.overwrite);
  const Clustering clustering = cluster_spikes(exec, spikes, deck.clustering, run.ledger);
  for (const auto& [stage, seconds] : clustering.times.entries()) run.times.add(stage, seconds);
  {
    const ScopedStage stage(exec, run.times, "write");
    write_clusters(result, spikes, clustering, run);
  }

  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!line.quiet) print_summary({deck, spikes, clustering, run, seconds});
  if (line.report) print_ledger(run.ledger);
}

std::string deck_help() {
  ClusterDeck deck;
  return cluster_keys(deck).to_help();
}

}  // namespace kokkosort
