#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "driver/cluster_deck.hpp"
#include "driver/commands.hpp"
#include "driver/match_deck.hpp"
#include "driver/match_input.hpp"
#include "driver/run_profile.hpp"
#include "driver/sort_deck.hpp"
#include "driver/sort_input.hpp"
#include "kokkosort/io/clusters_file.hpp"
#include "kokkosort/matching/match.hpp"

namespace kokkosort {

/// What the summary of a clustering tells about.
struct ClusterSummary {
  const ClusterDeck& deck;
  const SpikeFeatures& spikes;
  const ClusterResult& clusters;
  const RunRecord& run;
  double seconds;    // from start to end
  bool lists_times;  // of the stages; a profile does it better
};

/// Prints what was clustered, into how many units, how long it took and where the result is.
void print_summary(const ClusterSummary& summary);

/// What the summary of a matching tells about.
struct MatchSummary {
  const MatchDeck& deck;
  const MatchFiles& files;
  const Matching& matching;
  const RunRecord& run;
  double seconds;    // from start to end
  bool lists_times;  // of the stages; a profile does it better
};

/// Prints what was matched, how many spikes were found, how long it took and where the result is.
void print_summary(const MatchSummary& summary);

/// What the summary of a sorting tells about.
struct SortSummary {
  const SortDeck& deck;
  const SortFiles& files;
  const SortResult& result;
  const RunRecord& run;
  double seconds;    // from start to end
  bool lists_times;  // of the stages; a profile does it better
};

/// Prints what was sorted, into how many units, how long it took and where the results are.
void print_summary(const SortSummary& summary);

/// The bytes that crossed between host and device, by stage and by what crossed; a line each.
std::string ledger_table(const TransferLedger& ledger);

/// The most memory that was taken, by memory space; a line each.
std::string memory_table(const std::map<std::string, std::uint64_t>& memory);

/// Prints what --report asks for: a run's profile, which ends, and what crossed between host and device.
/// @param seconds  of the whole run
void print_details(RunProfile& profile, const RunRecord& run, double seconds);

/// Prints what a command has to tell, as its options ask. The result is in its place by now: that this cannot
/// be printed is a warning.
void report(
    const CommandLine& line, const std::filesystem::path& result, const std::function<void()>& print_summary,
    const std::function<void()>& print_details = [] {});

void print_warning(const std::string& text);

/// Completes what was printed. @throws std::runtime_error if it cannot be
void flush_output();

}  // namespace kokkosort
