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
  bool report = false;
  bool quiet = false;
};

/// Clusters the spikes that a deck names and writes clusters.h5.
void run_cluster(const CommandLine& line);

/// Reads and checks all that run_cluster would read, prints the complete deck, and stops.
void run_check(const CommandLine& line);

/// Prints versions, backends, devices and limits.
void run_info();

/// The keys of decks, for --help.
std::string deck_help();

}  // namespace kokkosort
