#include "driver/cluster_deck.hpp"

#include <limits>

#include "driver/common_keys.hpp"

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

void add_template_keys(DeckKeys& keys, TemplateOptions& options) {
  const std::string in = "templates.";
  keys.choice(in + "merge", options.merge, {{"on", true}, {"off", false}},
              "merge the templates of clusters that are nearly the same");
  keys.real(in + "min_correlation", options.min_correlation, 0.0, 1.0,
            "of two templates at some lag, for them to be nearly the same");
  keys.real(in + "certain_correlation", options.certain_correlation, 0.0, 2.0,
            "templates that correlate more are merged whatever their spikes say; above 1: none");
  keys.real(in + "max_norm_difference", options.max_norm_difference, 0.0, 2.0,
            "of two such templates, over the mean of their norms");
  keys.real(in + "min_bimodality", options.min_bimodality, 0.0, 1.0,
            "templates whose spikes have a trough as deep as this between them are not merged");
}

}  // namespace

DeckKeys cluster_keys(ClusterDeck& deck) {
  DeckKeys keys;
  keys.path("input.features", deck.features, "spike features (HDF5)", true);
  keys.text("input.group", deck.group, "group of the file: detected, matched or another");
  add_output_key(keys, deck.output_folder, "clusters.h5 goes");
  add_clustering_keys(keys, deck.clustering);
  add_template_keys(keys, deck.templates);
  add_device_limit_key(keys, deck.clustering.device_limit_bytes);
  add_host_limit_key(keys, deck.host_limit_bytes, "the spikes");
  add_seed_key(keys, deck.clustering.seed);
  add_threads_key(keys, deck.threads);
  return keys;
}

}  // namespace kokkosort
