#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "curation/train_correlograms.hpp"
#include "kokkosort/curation/curate.hpp"

namespace kokkosort {

/// Units while they are curated, clusters at first; what is a cluster's keeps its place. A unit that went
/// into another or was dropped has no spikes.
struct WorkingUnits {
  HostTensor3<float> templates;                   // [units, channels, pcs]
  std::vector<std::vector<std::int64_t>> spikes;  // [units], of the input; by time, then by index
  std::vector<Train> trains;                      // [units], times of those spikes
  std::vector<std::int32_t> shift_of;  // [clusters], samples by which their waveforms were moved later
  std::vector<std::int32_t> channel;   // [units], of largest energy

  std::size_t size() const { return spikes.size(); }

  /// Units with spikes, whose templates are not zero: those that can be like another.
  std::vector<std::size_t> visible() const;
};

WorkingUnits make_units(const CurationInput& input);

/// When a spike was fired, by its unit's template: a waveform that moves later is one found earlier. Inside
/// the recording.
std::int64_t time_of(const CurationInput& input, const WorkingUnits& units, std::int64_t spike);

/// The other's spikes become the first's.
/// @param products  pc_products of the spikes' components
/// @param shift     samples by which the other's waveforms move later
void join_units(const CurationInput& input, const HostMatrix<float>& products, std::size_t kept,
                std::size_t other, std::int32_t shift, WorkingUnits& units);

/// The spikes of a unit that are to stay, [spikes] of the unit.
void keep_spikes(std::size_t unit, const std::vector<bool>& stays, WorkingUnits& units);

/// Largest magnitude of each template's waveform on any channel.
std::vector<double> waveform_amplitudes(const HostMatrix<float>& wPCA, const HostTensor3<float>& templates);

}  // namespace kokkosort
