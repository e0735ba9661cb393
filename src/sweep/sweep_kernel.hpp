#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kokkosort {

struct SweepProblem;

/// Sweeps run where everything else does.
using SweepExec = Kokkos::DefaultExecutionSpace;

/// A whole number that a kernel's speed depends on; a switch is one from 0 (off) to 1 (on).
struct Tunable {
  std::string name;
  std::string help;
  std::int64_t low;
  std::int64_t high;
  std::int64_t value;  // if left out
};

using TunableValues = std::map<std::string, std::int64_t>;

/// What one run takes at least, counted from its sizes; 0 where it cannot be known.
struct Work {
  double flops = 0.0;
  double bytes = 0.0;
};

/// A kernel with its inputs on the device and its tunables set.
class SweepKernel {
 public:
  virtual ~SweepKernel() = default;
  /// Does the work once, from the same inputs each time; may return before the device is done.
  virtual void run() = 0;
  /// Compares what the last run left with a reference in f64. @return empty if right, else what is wrong
  virtual std::string check() const = 0;
  /// Of the last run.
  virtual Work work() const = 0;
};

/// A kernel that sweeps know: the one place where its tunables are told to decks, `info` and the documentation.
struct SweepKernelInfo {
  std::string name;
  std::string help;
  std::vector<Tunable> tunables;
  /// @param values  of all tunables
  std::function<std::unique_ptr<SweepKernel>(const SweepProblem& problem, const TunableValues& values)> make;

  /// Null if it has none of this name.
  const Tunable* find(const std::string& tunable) const;
};

/// All kernels that can be swept.
const std::vector<SweepKernelInfo>& sweep_kernels();

// Each in a file of its own.
SweepKernelInfo seeding_kernel();
SweepKernelInfo seeding_steps_kernel();
SweepKernelInfo neighbours_kernel();
SweepKernelInfo assignment_kernel();
SweepKernelInfo splits_kernel();

}  // namespace kokkosort
