#pragma once

#include "kokkosort/stage_times.hpp"

namespace kokkosort {

/// What the device can do at most, as kernels of this program's own kind reach it.
struct Ceilings {
  double copy_bandwidth = 0.0;   // bytes of device memory a second, read and written
  double triad_bandwidth = 0.0;  // likewise, of two arrays read and one written
  double chain_rate = 0.0;       // operations in single precision a second, of multiply-adds in registers
  double product_rate = 0.0;     // likewise, of a large matrix product
  double launch_seconds = 0.0;   // of an empty kernel that is waited for
  double queued_launch_seconds = 0.0;  // of one among many that are not
  double link_up = 0.0;                // bytes a second from pinned memory; 0 where the device is the host
  double link_down = 0.0;              // likewise to it

  double bandwidth() const;
  double operation_rate() const;
};

/// Measures the default execution space, the best of several tries each, in a second or two. Tools do not
/// see it.
Ceilings measure_ceilings();

/// Seconds that a stage takes at least: for its bytes or its operations, whichever take longer, and for what
/// crosses between host and device.
double floor_seconds(const Ceilings& ceilings, const StageWork& work, double bytes_up, double bytes_down);

}  // namespace kokkosort
