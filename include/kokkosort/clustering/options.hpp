#pragma once

#include <cstddef>
#include <cstdint>

namespace kokkosort {

/// Which spikes stand for all in the neighbour graph, and how many of them each spike is tied to.
struct NeighbourOptions {
  int neighbours = 10;                   // per spike
  int subset_stride = 20;                // every n-th spike of a section is in its subset
  int min_subset = 50;                   // small sections use a denser subset than the stride gives
  int max_subset = 25000;                // large sections a sparser one
  std::size_t max_chunk_dots = 1 << 26;  // scalar products held at once; bounds scratch, never the answer
  int tile_spikes = 0;                   // spikes of one product, at most; 0: what suits the device
};

/// How the steps of seeding are given to a device.
enum class SeedingLaunches {
  automatic,  // whichever is the faster there
  one,        // a team does all steps of a section
  each_seed,  // many teams share a section; a launch does one step of all sections
};

struct SeedingOptions {
  int seeds = 200;           // per section, at most
  int spikes_per_seed = 10;  // small sections get fewer seeds: one for so many spikes
  int trials = 0;            // candidates scored for each seed; 0: 2 + floor(ln seeds)
  int block_points = 0;      // points a team scores at once, a multiple of 16 up to 1024; 0: what suits the device
  SeedingLaunches launches = SeedingLaunches::automatic;  // as block_points it never changes the answer
};

/// What the number of edges inside a cluster is compared with.
enum class NullModel {
  degree,    // k_i K_c / 2m: degrees on both sides
  kilosort,  // k_i N_c / m: Kilosort4's code counts the other side's nodes
};

struct AssignmentOptions {
  NullModel null_model = NullModel::kilosort;  // measured on five recordings: steadier over seeds, never worse
  double resolution = 1.0;  // gamma: larger makes more clusters
  int rounds = 200;         // at most
  int rounds_per_look = 0;  // rounds queued between two looks at whether anything moved; 0: what suits the device
  int team_threads = 0;     // that count the labels around a subset point; 0: what suits the device
};

/// How leaf Grams are summed; the last bits of the sums depend on chunk_spikes.
struct GramOptions {
  int chunk_spikes = 64;  // of a leaf, held in a team's scratch at a time; a multiple of 8
  int team_threads = 0;   // 0: what suits the device
};

struct SplitOptions {
  double min_ratio = 0.2;       // joins below this ratio of edges to expected edges are never made
  double min_bimodality = 0.6;  // projections with a score below this are one cluster
  bool refractory = true;       // spike times may veto a split
  double max_refractory_ratio = 0.25;        // R12 of two halves of one neuron
  double max_refractory_probability = 0.05;  // Q12 likewise
};

struct ClusteringOptions {
  NeighbourOptions neighbours;
  SeedingOptions seeding;
  AssignmentOptions assignment;
  GramOptions grams;
  SplitOptions splits;
  std::uint64_t seed = 1;                     // of the random numbers
  std::size_t device_limit_bytes = 4ull << 30;  // sections are batched to stay below
};

}  // namespace kokkosort
