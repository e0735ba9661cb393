#pragma once

#include "kokkosort/simulation/simulate.hpp"

namespace kokkosort {

int count_shanks(const SimulationOptions& options);

/// Where a simulated recording's channels are, shank by shank.
Probe make_probe(const SimulationOptions& options);

}  // namespace kokkosort
