#pragma once
// The keys of each stage, which the decks of several commands share.

#include "driver/deck_key.hpp"
#include "kokkosort/clustering/options.hpp"
#include "kokkosort/curation/curate.hpp"
#include "kokkosort/detection/options.hpp"
#include "kokkosort/matching/options.hpp"
#include "kokkosort/recording/preparation.hpp"
#include "kokkosort/templates/learn.hpp"

namespace kokkosort {

void add_preprocessing_keys(DeckKeys& keys, PreprocessingOptions& options);
void add_detection_keys(DeckKeys& keys, DetectionOptions& options);
void add_clustering_keys(DeckKeys& keys, ClusteringOptions& options);
void add_template_keys(DeckKeys& keys, TemplateOptions& options);
void add_matching_keys(DeckKeys& keys, MatchingOptions& options);
void add_curation_keys(DeckKeys& keys, CurationOptions& options);

}  // namespace kokkosort
