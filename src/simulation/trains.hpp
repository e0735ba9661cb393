#pragma once

#include <cstddef>

#include "kokkosort/simulation/simulate.hpp"

namespace kokkosort {

/// Spikes that a simulation will have, about.
double expected_spikes(const SimulationOptions& options, const std::vector<SimulatedUnit>& units);

/// Draws the spikes of a simulation whose units and length are known: intervals are the refractory period and
/// an exponential time, so that rates are the units'.
void draw_spikes(Simulation& simulation);

}  // namespace kokkosort
