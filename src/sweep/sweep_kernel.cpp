#include "sweep/sweep_kernel.hpp"

#include <algorithm>

namespace kokkosort {

const Tunable* SweepKernelInfo::find(const std::string& tunable) const {
  const auto found = std::find_if(tunables.begin(), tunables.end(), [&](const Tunable& t) { return t.name == tunable; });
  return found == tunables.end() ? nullptr : &*found;
}

const std::vector<SweepKernelInfo>& sweep_kernels() {
  static const std::vector<SweepKernelInfo> kernels = {seeding_kernel(), seeding_steps_kernel(), neighbours_kernel(),
                                                       assignment_kernel(), splits_kernel()};
  return kernels;
}

}  // namespace kokkosort
