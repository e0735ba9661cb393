#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kokkosort/clustering/section_batch.hpp"
#include "kokkosort/clustering/sections.hpp"
#include "kokkosort/spike_features.hpp"
#include "sweep/reference/points.hpp"
#include "sweep/sweep_kernel.hpp"

namespace kokkosort {

/// Where a sweep's points come from: a features file, or the generator if none is named.
struct SweepProblemOptions {
  std::filesystem::path input;     // features file
  std::string group = "detected";  // of the file
  int section = -1;                // of the file; -1: all
  int points = 1416;               // per generated section
  int features = 102;              // of a point
  int clusters = 12;               // per generated section
  int sections = 1;                // generated
  std::uint64_t seed = 1;
  std::size_t host_limit_bytes = std::size_t{16} << 30;
};

/// Spikes and the sections of them that a sweep runs on.
struct SweepProblem {
  SpikeFeatures spikes;
  std::vector<Section> sections;
  std::uint64_t seed = 1;
};

/// @throws InputError if the file cannot be used or has no such section, or if what is to be generated exceeds the limit
SweepProblem make_sweep_problem(const SweepProblemOptions& options);

/// "2 sections, 2832 points, at most 102 features".
std::string size_of(const SweepProblem& problem);

/// A problem's sections on the device, embedded in order of time.
struct SweepBatch {
  const SweepProblem& problem;
  ClusteringOptions options;
  mutable TransferLedger ledger;
  SweepExec exec;
  SectionBatch<SweepExec> batch;

  SweepBatch(const SweepProblem& sweep_problem, const ClusteringOptions& clustering);

  Points points(std::size_t section) const { return reference_points(problem.spikes, problem.sections[section]); }
};

/// "section 3: what", or empty if nothing is wrong.
std::string wrong_in_section(std::size_t section, const std::string& what);

/// Spikes of a section that are its subset points.
std::vector<std::uint32_t> subset_of(const SectionExtent& section);

/// A section's part of a neighbour graph, [spikes][neighbours]; -1 where the subset has fewer.
/// @param values  the graph's neighbours on the host, [neighbours, n_columns]
std::vector<std::vector<std::int32_t>> neighbour_lists(const SectionBatch<SweepExec>& batch, const SectionExtent& section,
                                                       const std::vector<std::int32_t>& values);

/// A device vector on the host.
template <class View>
auto values_of(const SweepExec& exec, const View& view) {
  using Value = typename View::non_const_value_type;
  const auto copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  exec.fence("kokkosort::sweep::values_of");
  return std::vector<Value>(copy.data(), copy.data() + copy.size());
}

}  // namespace kokkosort
