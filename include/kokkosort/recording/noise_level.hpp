#pragma once

#include "kokkosort/recording/recording.hpp"

namespace kokkosort {

/// The standard deviation of a recording's noise, from the median magnitude of some samples in its middle,
/// which spikes hardly change. In units of the stored samples; 0 if most are 0.
/// @throws InputError if they cannot be read
double noise_level(Recording& recording);

}  // namespace kokkosort
