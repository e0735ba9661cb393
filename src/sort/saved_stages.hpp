#pragma once
// What stages of a sort find, as checkpoints keep it.

#include "kokkosort/checkpoints.hpp"
#include "kokkosort/detection/universal_templates.hpp"
#include "kokkosort/recording/preparation.hpp"
#include "kokkosort/templates/split_by_template.hpp"

namespace kokkosort {

/// Clustered spikes, and the templates made of the clusters.
struct ClusteredUnits {
  std::size_t n_spikes = 0;
  SpikeUnits units;
  HostTensor3<float> templates;  // learned from the units
};

ArraysToSave to_save(const Preparation& preparation);
ArraysToSave to_save(const UniversalTemplates& learned);
ArraysToSave to_save(const ClusteredUnits& clustered);

/// Without the seconds that it took.
void restore(SavedArrays& saved, Preparation& preparation);
void restore(SavedArrays& saved, UniversalTemplates& learned);
void restore(SavedArrays& saved, ClusteredUnits& clustered);

}  // namespace kokkosort
