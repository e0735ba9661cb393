#include "driver/cluster_deck.hpp"

#include <cstdint>
#include <limits>

#include "driver/deck.hpp"
#include "driver/kokkos_settings.hpp"

namespace kokkosort {
namespace {

constexpr int unlimited = std::numeric_limits<int>::max();

void add_clustering_keys(DeckKeys& keys, ClusteringOptions& options) {
  NeighbourOptions& neighbours = options.neighbours;
  SeedingOptions& seeding = options.seeding;
  AssignmentOptions& assignment = options.assignment;
  SplitOptions& splits = options.splits;
  const std::string in = "clustering.";
  keys.whole(in + "subset_stride", neighbours.subset_stride, 1, unlimited,
             "every n-th spike of a section is in the subset that spikes are tied to");
  keys.whole(in + "min_subset", neighbours.min_subset, 1, 1000000,
             "small sections use a denser subset, of this size (max_subset goes first)");
  keys.whole(in + "max_subset", neighbours.max_subset, 1, 1000000,
             "large sections use a sparser subset, of this size");
  keys.whole(in + "neighbours", neighbours.neighbours, 1, 32, "subset spikes that each spike is tied to");
  keys.whole<std::size_t>(in + "max_chunk_dots", neighbours.max_chunk_dots, 1, unlimited,
                          "distances held at once; bounds memory, does not change the answer");
  keys.whole(in + "seeds", seeding.seeds, 1, 200, "clusters that a section starts from, at most");
  keys.whole(in + "spikes_per_seed", seeding.spikes_per_seed, 1, unlimited,
             "small sections get fewer seeds: one for so many spikes");
  keys.whole(in + "trials", seeding.trials, 0, 16, "candidates scored for each seed; 0: 2 + floor(ln seeds)");
  keys.choice(in + "null_model", assignment.null_model,
              {{"degree", NullModel::degree}, {"kilosort", NullModel::kilosort}},
              "what the edges inside a cluster are compared with");
  keys.real(in + "resolution", assignment.resolution, 0.0, 1000.0, "larger makes more clusters");
  keys.whole(in + "rounds", assignment.rounds, 1, 100000,
             "rounds of moving spikes between clusters, at most");
  keys.real(in + "min_ratio", splits.min_ratio, 0.0, 1000.0,
            "clusters with a smaller share of the expected edges between them stay apart");
  keys.real(in + "min_bimodality", splits.min_bimodality, 0.0, 1.0,
            "clusters with a shallower trough between them are joined");
  keys.choice(in + "refractory", splits.refractory, {{"on", true}, {"off", false}},
              "join clusters that never fire together");
  keys.real(in + "max_refractory_ratio", splits.max_refractory_ratio, 0.0, 1.0,
            "R12 of two halves of one neuron, at most");
  keys.real(in + "max_refractory_probability", splits.max_refractory_probability, 0.0, 1.0,
            "Q12 of two halves of one neuron, at most");
}

}  // namespace

DeckKeys cluster_keys(ClusterDeck& deck) {
  DeckKeys keys;
  keys.path("input.features", deck.features, "spike features (HDF5)", true);
  keys.text("input.group", deck.group, "group of the file: detected, matched or another");
  keys.path("output.folder", deck.output_folder,
            "where clusters.h5 goes; made if missing; if left out: results/NAME beside the deck NAME.yaml");
  add_clustering_keys(keys, deck.clustering);
  keys.megabytes("memory.device_limit_mb", deck.clustering.device_limit_bytes,
                 "device memory to use; does not change the answer");
  keys.megabytes("memory.host_limit_mb", deck.host_limit_bytes,
                 "memory that the spikes may take on the host");
  keys.whole<std::uint64_t>("seed", deck.clustering.seed, 0, std::numeric_limits<std::uint64_t>::max(),
                            "of the random numbers");
  keys.whole("threads", deck.threads, 0, most_threads,
             "of the host; 0: OMP_NUM_THREADS, or as many as it has");
  return keys;
}

void load_cluster_deck(const std::filesystem::path& path, const std::vector<std::string>& overrides,
                       ClusterDeck& deck, const DeckKeys& keys) {
  load_deck(path, overrides, keys);
  if (deck.output_folder.empty())
    deck.output_folder = absolute_path(path).parent_path() / "results" / path.stem();
}

}  // namespace kokkosort
