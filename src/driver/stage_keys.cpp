#include "driver/stage_keys.hpp"

#include <limits>

#include "io/probe_io.hpp"

namespace kokkosort {
namespace {

constexpr int unlimited = std::numeric_limits<int>::max();

}  // namespace

void add_preprocessing_keys(DeckKeys& keys, PreprocessingOptions& options) {
  const std::string in = "preprocessing.";
  keys.real(in + "highpass_hz", options.highpass_hz, 0.0, 1e6,
            "cutoff of the high-pass filter (Butterworth, 3rd order, forward and backward); 0: none");
  keys.choice(in + "common_reference", options.common_reference, {{"on", true}, {"off", false}},
              "take the channels' median away from each sample");
  keys.whole(in + "min_reference_channels", options.min_reference_channels, 1, 1000000,
             "recordings of fewer channels have no common reference: it would take their spikes away");
  keys.whole(in + "whitening_channels", options.whitening_channels, 1, 1024,
             "nearest channels that each channel is decorrelated from; 1: it is only scaled");
  keys.whole(in + "whitening_stride", options.whitening_stride, 1, unlimited,
             "every n-th window is looked at for the channels' covariance,");
  keys.whole(in + "min_whitening_windows", options.min_whitening_windows, 1, unlimited,
             "but at least so many, evenly spread");
  keys.real(in + "min_variance", options.min_variance, 0.0, 1.0,
            "of a channel, over the median channel's: a channel below it is dead and left out");
  keys.real(in + "max_saturated", options.max_saturated, 0.0, 1.0,
            "share of a channel's samples at the ends of its range, above which it is reported");
  keys.whole(in + "window_samples", options.window_samples, 1000, 10000000, "of a window");
}

void add_detection_keys(DeckKeys& keys, DetectionOptions& options) {
  const std::string in = "detection.";
  keys.real(in + "threshold", options.threshold, 0.1, 1000.0,
            "of a spike's projection on a universal template, in standard deviations of the noise");
  keys.real(in + "learning_threshold", options.learning_threshold, 0.1, 1000.0,
            "of isolated peaks on single channels, from which the universal templates are learned");
  keys.whole(in + "nt", options.nt, 0, 1001,
             "samples of a waveform, odd; 0: 61 at 30 kHz, others in proportion");
  keys.whole(in + "peak_sample", options.peak_sample, 0, 1000,
             "of a waveform's peak, counted from 0; 0: the 20th of 61");
  keys.whole(in + "shapes", options.shapes, 1, 32, "universal templates in time");
  keys.whole(in + "pcs", options.pcs, 1, 16, "principal components of a waveform");
  keys.whole(in + "scales", options.scales, 1, 16, "spatial sizes of a universal template");
  keys.real(in + "smallest_scale_um", options.smallest_scale_um, 0.1, 10000.0,
            "the others are 2, 3, ... times as large");
  keys.real(in + "dmin_um", options.dmin_um, 0.0, widest_spacing_um,
            "the places searched lie half of this apart along the probe; 0: the usual distance of channels");
  keys.real(in + "dminx_um", options.dminx_um, finest_spacing_um, widest_spacing_um,
            "the places searched lie half of this apart across the probe");
  keys.real(in + "max_channel_um", options.max_channel_um, 0.1, 1e6,
            "places further than this from all channels are left out");
  keys.whole(in + "feature_channels", options.feature_channels, 1, 256,
             "channels nearest to a place, that features are of");
  keys.whole(in + "nearest_centres", options.nearest_centres, 1, 1000,
             "places around a spike, at which it is the largest");
  keys.whole(in + "window_samples", options.window_samples, 1000, 10000000, "searched at once");
  keys.whole(in + "learning_windows", options.learning_windows, 1, unlimited,
             "windows, at most, whose peaks the universal templates are learned from");
  keys.whole(in + "max_peaks", options.max_peaks, 100, 10000000, "that they are learned from, at most");
}

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

void add_matching_keys(DeckKeys& keys, MatchingOptions& options) {
  const std::string in = "matching.";
  keys.real(in + "threshold", options.threshold, 0.1, 1000.0,
            "a spike's projection on its template, in standard deviations of the noise, at least");
  keys.whole(in + "max_peels", options.max_peels, 1, 10000,
             "rounds of finding spikes and taking them out, at most; it ends earlier when none is left");
  keys.whole(in + "window_samples", options.window_samples, 24, 10000000,
             "samples of the recording matched at once, at least 8 waveforms long (488 for 61 samples); "
             "fewer take less "
             "memory; other lengths may change amplitudes in the last digits and, in dense data, a few "
             "spikes near seams");
  keys.whole(in + "feature_channels", options.feature_channels, 1, 256,
             "channels nearest to a template's largest one, that a spike's features are of");
}

void add_curation_keys(DeckKeys& keys, CurationOptions& options) {
  const std::string in = "curation.";
  keys.real(in + "max_refractory_ratio", options.max_refractory_ratio, 0.0, 1.0,
            "R12 of a good unit's own correlogram, at most");
  keys.real(in + "max_refractory_probability", options.max_refractory_probability, 0.0, 1.0,
            "Q12 of a good unit's own correlogram, at most");
  keys.whole<std::int64_t>(in + "min_spikes", options.min_spikes, 0, unlimited,
                           "units of no more spikes are not good");
  keys.choice(in + "merge", options.merge, {{"on", true}, {"off", false}}, "merge units that are one neuron");
  keys.real(in + "min_similarity", options.min_similarity, 0.0, 1.0,
            "of two units' templates at some lag, for them to be one neuron");
  keys.real(in + "max_merge_ratio", options.max_merge_ratio, 0.0, 1.0,
            "R12 of two halves of one neuron, at most");
  keys.real(in + "max_merge_probability", options.max_merge_probability, 0.0, 1.0,
            "Q12 of two halves of one neuron, at most");
  keys.real(
      in + "min_expected_pairs", options.min_expected_pairs, 0.0, 1e9,
      "of spikes within the refractory time, were two units independent: fewer are no evidence for a merge");
  keys.real(in + "min_bimodality", options.min_bimodality, 0.0, 1.0,
            "units with a trough as deep as this between their spikes stay apart,");
  keys.real(in + "certain_similarity", options.certain_similarity, 0.0, 2.0,
            "but not units as alike as this; above 1: none");
  keys.real(in + "twin_similarity", options.twin_similarity, 0.0, 2.0,
            "units as alike as this, and of norms as alike as the next, are one neuron unless the times of "
            "their spikes "
            "speak against it; above 1: none");
  keys.real(in + "max_twin_norm_difference", options.max_twin_norm_difference, 0.0, 2.0,
            "over the mean of their norms");
  keys.real(in + "duplicate_ms", options.duplicate_ms, 0.0, 100.0,
            "two spikes of a unit within this are one");
  keys.real(
      in + "min_ghost_share", options.min_ghost_share, 0.0, 1.0,
      "a unit, more of whose spikes than this go with a larger unit's, is its ghost and left out; 1: none");
  keys.real(in + "max_ghost_lag_ms", options.max_ghost_lag_ms, 0.0, 100.0,
            "from the larger unit's spikes to those that go with them");
  keys.real(in + "position_um", options.position_um, 0.1, 1e6,
            "channels this near to a spike have a say in where it is");
}

}  // namespace kokkosort
