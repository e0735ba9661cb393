#pragma once

#include "driver/cluster_deck.hpp"
#include "kokkosort/io/clusters_file.hpp"

namespace kokkosort {

/// What the summary of a clustering tells about.
struct ClusterSummary {
  const ClusterDeck& deck;
  const SpikeFeatures& spikes;
  const Clustering& clustering;
  const RunRecord& run;
  double seconds;  // from start to end
};

/// Prints what was clustered, into how many units, how long it took and where the result is.
void print_summary(const ClusterSummary& summary);

/// Prints the bytes that crossed between host and device, by stage and by what crossed.
void print_ledger(const TransferLedger& ledger);

/// Completes what was printed. @throws std::runtime_error if it cannot be
void flush_output();

}  // namespace kokkosort
