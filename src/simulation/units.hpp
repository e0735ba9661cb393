#pragma once

#include <cstdint>
#include <vector>

#include "kokkosort/simulation/simulate.hpp"

namespace kokkosort {

/// Draws places, rates, amplitudes and shapes. Units are spread evenly along the shanks, in turn over them.
std::vector<SimulatedUnit> draw_units(const SimulationOptions& options, const Probe& probe);

/// A unit's waveforms on the channels that see it, in µV.
struct UnitWaveforms {
  std::vector<std::int32_t> channels;  // ascending
  std::vector<float> values;           // [channels, nt]
};

/// @param shift_um  by which the unit has moved along the probe
UnitWaveforms waveforms_of(const Simulation& simulation, const SimulatedUnit& unit, double shift_um);

}  // namespace kokkosort
