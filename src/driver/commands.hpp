#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kokkosort {

/// What a command line says beside the command's name.
struct CommandLine {
  std::filesystem::path deck;
  std::vector<std::string> overrides;  // "section.key=value"
  int device = -1;                     // -1: the first
  bool overwrite = false;
  bool fresh = false;  // checkpoints are ignored
  bool report = false;
  bool quiet = false;
};

/// What the command line of `score` says.
struct ScoreLine {
  std::filesystem::path truth;   // HDF5 with truth/sample, truth/unit
  std::filesystem::path result;  // HDF5 with spikes/sample, spikes/unit
  std::filesystem::path csv;     // empty: none
  std::string rate;              // Hz; empty: as the files say
  bool json = false;
  bool overwrite = false;
};

/// Clusters the spikes that a deck names and writes clusters.h5.
void run_cluster(const CommandLine& line);

/// Sorts a recording and writes sorting.h5, a folder for Phy, a report and a log.
void run_sort(const CommandLine& line);

/// Matches templates to a recording and writes matched.h5.
void run_match(const CommandLine& line);

/// Simulates a recording and writes recording.bin, probe.json and truth.h5.
void run_simulate(const CommandLine& line);

/// Compares a sorting with the truth and prints how well each unit was found.
void run_score(const ScoreLine& line);

/// Times a kernel over values of its tunables and writes sweep.h5 and sweep.csv.
void run_sweep_deck(const CommandLine& line);

/// Reads and checks all that the deck's command would read, prints the complete deck, and stops. A deck with a group
/// `sweep` is for `sweep`, one with a group `simulation` for `simulate`, one with templates to match for `match`, one
/// with a recording or a stage of sorting for `sort`, others are for `cluster`.
void run_check(const CommandLine& line);
void check_cluster_deck(const CommandLine& line);
void check_match_deck(const CommandLine& line);
void check_sort_deck(const CommandLine& line);
void check_simulate_deck(const CommandLine& line);
void check_sweep_deck(const CommandLine& line);

/// Prints versions, backends, devices and limits.
/// @param ceilings  whether to measure what the device can do at most, too
void run_info(bool ceilings);

/// The keys of decks, for --help.
std::string cluster_help();
std::string match_help();
std::string sort_help();
std::string simulate_help();
std::string sweep_help();

}  // namespace kokkosort
