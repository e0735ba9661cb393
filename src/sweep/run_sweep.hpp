#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sweep/sweep_kernel.hpp"
#include "sweep/sweep_problem.hpp"

namespace kokkosort {

/// What is swept: every combination of the parameters' values.
struct SweepPlan {
  const SweepKernelInfo* kernel = nullptr;
  std::vector<std::string> parameters;
  std::vector<std::vector<std::int64_t>> values;  // per parameter
  TunableValues others;                           // of all the kernel's tunables; those of parameters are not used
  int repeats = 20;
  int warmup = 3;
};

/// One combination of values and what was measured with it.
struct SweepPoint {
  TunableValues tunables;               // all
  std::vector<double> seconds;          // [repeats], in the order measured
  Work work;                            // of one run
  std::uint64_t launches = 0;           // of one run
  std::map<std::string, std::uint64_t> high_water;  // bytes per memory space, inputs included
};

/// Of sorted or unsorted values, with linear interpolation. @param p  from 0 (smallest) to 1 (largest)
double quantile(std::vector<double> values, double p);

/// The combinations in order, the last parameter varying fastest.
std::vector<TunableValues> sweep_grid(const SweepPlan& plan);

/// Checks the answer of every combination, and only then times each: host clock, the device fenced on both sides.
///
/// @param report  told of each step in a line
/// @throws InputError if a kernel cannot have a value on this device
/// @throws std::runtime_error naming the combination whose answer is wrong; then nothing is timed
std::vector<SweepPoint> run_sweep(const SweepPlan& plan, const SweepProblem& problem,
                                  const std::function<void(const std::string&)>& report);

}  // namespace kokkosort
