#include "sweep/run_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "core/allocation_counter.hpp"
#include "core/kernel_counter.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort {
namespace {

/// "block = 64, trials = 7".
std::string name_point(const SweepPlan& plan, const TunableValues& tunables) {
  std::string name;
  for (const std::string& parameter : plan.parameters)
    name += fmt::format("{}{} = {}", name.empty() ? "" : ", ", parameter, tunables.at(parameter));
  return name;
}

void fence() { Kokkos::fence("kokkosort::sweep::fence"); }

/// @return empty if the answer is right
std::string check_answer(const SweepPlan& plan, const SweepProblem& problem, const TunableValues& tunables) {
  try {
    const auto kernel = plan.kernel->make(problem, tunables);
    kernel->run();
    fence();
    return kernel->check();
  } catch (const std::invalid_argument& error) {
    throw InputError(
        fmt::format("sweep.values: {} with {}: {}", plan.kernel->name, name_point(plan, tunables), error.what()));
  }
}

void check_point(const SweepPlan& plan, const SweepProblem& problem, const TunableValues& tunables) {
  const std::string wrong = check_answer(plan, problem, tunables);
  if (!wrong.empty())
    throw std::runtime_error(
        fmt::format("{} with {}: wrong answer: {}", plan.kernel->name, name_point(plan, tunables), wrong));
}

/// Kernels are made and run once more under the counters: their callbacks stay out of what is timed.
void count_point(const SweepPlan& plan, const SweepProblem& problem, SweepPoint& point) {
  KernelCounter counter;
  AllocationCounter memory;
  const auto kernel = plan.kernel->make(problem, point.tunables);
  fence();
  memory.restart_high_water();  // what preparing the inputs took is no concern of the kernel
  const std::uint64_t before = counter.launches();
  kernel->run();
  fence();
  point.launches = counter.launches() - before;
  point.high_water = memory.high_water();
  point.work = kernel->work();
}

void time_point(const SweepPlan& plan, const SweepProblem& problem, SweepPoint& point) {
  using Clock = std::chrono::steady_clock;
  const auto kernel = plan.kernel->make(problem, point.tunables);
  for (int i = 0; i < plan.warmup; ++i) kernel->run();
  for (int i = 0; i < plan.repeats; ++i) {
    fence();
    const Clock::time_point start = Clock::now();
    kernel->run();
    fence();
    point.seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
}

}  // namespace

double quantile(std::vector<double> values, double p) {
  std::sort(values.begin(), values.end());
  const double place = p * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return std::lerp(values[low], values[high], place - static_cast<double>(low));
}

std::vector<TunableValues> sweep_grid(const SweepPlan& plan) {
  std::vector<TunableValues> grid = {plan.others};
  for (std::size_t p = 0; p < plan.parameters.size(); ++p) {
    std::vector<TunableValues> wider;
    for (const TunableValues& tunables : grid)
      for (const std::int64_t value : plan.values[p]) {
        wider.push_back(tunables);
        wider.back()[plan.parameters[p]] = value;
      }
    grid = std::move(wider);
  }
  return grid;
}

std::vector<SweepPoint> run_sweep(const SweepPlan& plan, const SweepProblem& problem,
                                  const std::function<void(const std::string&)>& report) {
  const std::vector<TunableValues> grid = sweep_grid(plan);
  report(fmt::format("{} combinations to check, then to time", grid.size()));
  for (const TunableValues& tunables : grid) {
    check_point(plan, problem, tunables);
    report(fmt::format("{}: the answer is right", name_point(plan, tunables)));
  }
  std::vector<SweepPoint> points;
  for (const TunableValues& tunables : grid) {
    SweepPoint& point = points.emplace_back();
    point.tunables = tunables;
    count_point(plan, problem, point);
    time_point(plan, problem, point);
    report(fmt::format("{}: {:.3f} ms (quartiles {:.3f} to {:.3f}), {} launches, {:.1f} GFLOP/s, {:.1f} GB/s",
                       name_point(plan, tunables), 1e3 * quantile(point.seconds, 0.5),
                       1e3 * quantile(point.seconds, 0.25), 1e3 * quantile(point.seconds, 0.75), point.launches,
                       1e-9 * point.work.flops / quantile(point.seconds, 0.5),
                       1e-9 * point.work.bytes / quantile(point.seconds, 0.5)));
  }
  return points;
}

}  // namespace kokkosort
