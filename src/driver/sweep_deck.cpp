#include "driver/sweep_deck.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "driver/common_keys.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort {
namespace {

constexpr int unlimited = std::numeric_limits<int>::max();

std::string kernel_names() {
  std::string names;
  for (const SweepKernelInfo& kernel : sweep_kernels()) names += (names.empty() ? "" : ", ") + kernel.name;
  return names;
}

std::string tunable_names(const SweepKernelInfo& kernel) {
  std::string names;
  for (const Tunable& tunable : kernel.tunables) names += (names.empty() ? "" : ", ") + tunable.name;
  return names;
}

void add_problem_keys(DeckKeys& keys, SweepProblemOptions& problem) {
  const std::string in = "sweep.problem.";
  keys.path(in + "input", problem.input, "spike features (HDF5) to take the points from; if left out they are generated");
  keys.text(in + "group", problem.group, "group of the file");
  keys.whole(in + "section", problem.section, -1, unlimited, "the one section to take; -1: all");
  keys.whole(in + "points", problem.points, 1, 100000000, "points of a generated section");
  keys.whole(in + "features", problem.features, 1, 100000, "features of a generated point");
  keys.whole(in + "clusters", problem.clusters, 1, 100000, "clusters of a generated section");
  keys.whole(in + "sections", problem.sections, 1, 100000, "sections to generate");
}

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw InputError(fmt::format("{}: {}", path.string(), what));
}

const SweepKernelInfo& find_kernel(const std::filesystem::path& path, const std::string& name) {
  const auto& kernels = sweep_kernels();
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const auto& kernel) { return kernel.name == name; });
  if (found == kernels.end()) fail(path, fmt::format("sweep.kernel is '{}'; it must be one of {}", name, kernel_names()));
  return *found;
}

void check_values(const std::filesystem::path& path, const SweepKernelInfo& kernel, const SweepPlan& plan) {
  if (plan.values.size() != plan.parameters.size())
    fail(path, fmt::format("sweep.values has {} lists for {} parameters; give one list for each", plan.values.size(),
                           plan.parameters.size()));
  if (std::set<std::string>(plan.parameters.begin(), plan.parameters.end()).size() < plan.parameters.size())
    fail(path, "sweep.parameter names one twice");
  for (std::size_t p = 0; p < plan.parameters.size(); ++p) {
    const Tunable* tunable = kernel.find(plan.parameters[p]);
    if (tunable == nullptr)
      fail(path, fmt::format("sweep.parameter is '{}'; {} has {}", plan.parameters[p], kernel.name, tunable_names(kernel)));
    for (const std::int64_t value : plan.values[p])
      if (value < tunable->low || value > tunable->high)
        fail(path, fmt::format("sweep.values has {} for {}; it must be from {} to {}", value, tunable->name,
                               tunable->low, tunable->high));
  }
}

}  // namespace

SweepDeck::SweepDeck() {
  for (const SweepKernelInfo& info : sweep_kernels())
    for (const Tunable& tunable : info.tunables) tunables[info.name][tunable.name] = tunable.value;
}

DeckKeys sweep_keys(SweepDeck& deck) {
  DeckKeys keys;
  keys.text("sweep.kernel", deck.kernel, "one of " + kernel_names(), true);
  keys.words("sweep.parameter", deck.parameters, "tunable to vary; several for all combinations", true);
  keys.number_lists("sweep.values", deck.values, "values of the parameter; a list for each parameter", true);
  keys.whole("sweep.repeats", deck.repeats, 1, 1000000, "timed runs of each combination");
  keys.whole("sweep.warmup", deck.warmup, 0, 1000000, "runs before them");
  add_problem_keys(keys, deck.problem);
  for (const SweepKernelInfo& kernel : sweep_kernels())
    for (const Tunable& tunable : kernel.tunables) {
      std::int64_t& value = deck.tunables[kernel.name][tunable.name];
      const std::string name = kernel.name + "." + tunable.name;
      if (tunable.low == 0 && tunable.high == 1)
        keys.choice<std::int64_t>(name, value, {{"false", 0}, {"true", 1}}, tunable.help);
      else
        keys.whole<std::int64_t>(name, value, tunable.low, tunable.high, tunable.help);
    }
  add_output_key(keys, deck.output_folder, "sweep.h5 and sweep.csv go");
  add_host_limit_key(keys, deck.problem.host_limit_bytes, "the spikes");
  add_seed_key(keys, deck.problem.seed);
  add_threads_key(keys, deck.threads);
  return keys;
}

SweepPlan plan_sweep(const std::filesystem::path& path, const SweepDeck& deck) {
  const SweepKernelInfo& kernel = find_kernel(path, deck.kernel);
  SweepPlan plan{&kernel, deck.parameters, deck.values, deck.tunables.at(kernel.name), deck.repeats, deck.warmup};
  check_values(path, kernel, plan);
  return plan;
}

}  // namespace kokkosort
