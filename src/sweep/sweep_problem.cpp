#include "sweep/sweep_problem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kokkosort/errors.hpp"
#include "kokkosort/io/features_file.hpp"
#include "kokkosort/simulation/blob_features.hpp"

namespace kokkosort {
namespace {

/// Before anything is allocated. Means of the clusters are numbers too.
void check_size(const SweepProblemOptions& options) {
  const double rows = 1.0 * options.sections * (1.0 * options.points + options.clusters);
  const double bytes = 2.0 * sizeof(double) * rows * options.features;
  if (bytes <= static_cast<double>(options.host_limit_bytes)) return;
  throw InputError(fmt::format("sweep.problem: {} sections of {} points with {} features take {:.0f} MB; "
                               "memory.host_limit_mb is {}: ask for fewer, or raise it",
                               options.sections, options.points, options.features, bytes / (1 << 20),
                               options.host_limit_bytes >> 20));
}

SpikeFeatures generate(const SweepProblemOptions& options) {
  check_size(options);
  BlobOptions blobs;
  while (options.features % blobs.pcs != 0) --blobs.pcs;  // features are channels · pcs
  blobs.channels = options.features / blobs.pcs;
  blobs.spikes = options.points;
  blobs.clusters = options.clusters;
  blobs.sections = options.sections;
  blobs.seed = options.seed;
  return make_blob_features(blobs);
}

}  // namespace

SweepProblem make_sweep_problem(const SweepProblemOptions& options) {
  SweepProblem problem;
  problem.seed = options.seed;
  problem.spikes = options.input.empty() ? generate(options)
                                         : read_features(options.input, options.group, options.host_limit_bytes);
  problem.sections = make_sections(problem.spikes);
  if (problem.sections.empty()) throw InputError(options.input.string() + ": there are no spikes to sweep over");
  if (options.section < 0) return problem;
  const auto section = static_cast<std::size_t>(options.section);
  if (section >= problem.sections.size())
    throw InputError(fmt::format("sweep.problem.section is {}; {} has sections 0 to {}", section,
                                 options.input.empty() ? "the problem" : options.input.string(),
                                 problem.sections.size() - 1));
  problem.sections = {problem.sections[section]};
  return problem;
}

std::string size_of(const SweepProblem& problem) {
  std::size_t points = 0;
  std::size_t channels = 0;
  for (const Section& section : problem.sections) {
    points += section.spikes.size();
    channels = std::max(channels, section.channels.size());
  }
  return fmt::format("{} sections, {} points, at most {} features", problem.sections.size(), points,
                     channels * problem.spikes.n_pcs());
}

SweepBatch::SweepBatch(const SweepProblem& sweep_problem, const ClusteringOptions& clustering)
    : problem(sweep_problem), options(clustering) {
  options.seed = problem.seed;
  batch = upload_sections(exec, problem.spikes, problem.sections, 0, problem.sections.size(), options, ledger);
  embed_points(exec, batch, Vector<std::uint32_t, SweepExec>());
  exec.fence("kokkosort::sweep::batch");
}

std::vector<std::uint32_t> subset_of(const SectionExtent& section) {
  std::vector<std::uint32_t> subset;
  for (std::uint32_t j = 0; j < section.n_subset; ++j) subset.push_back(section.spike_of_subset(j));
  return subset;
}

std::vector<std::vector<std::int32_t>> neighbour_lists(const SectionBatch<SweepExec>& batch, const SectionExtent& section,
                                                       const std::vector<std::int32_t>& values) {
  std::vector<std::vector<std::int32_t>> lists(section.n_spikes);
  for (std::size_t row = 0; row < values.size(); row += batch.n_columns)
    for (std::size_t i = 0; i < section.n_spikes; ++i) lists[i].push_back(values[row + section.first_spike + i]);
  return lists;
}

std::string wrong_in_section(std::size_t section, const std::string& what) {
  return what.empty() ? what : fmt::format("section {}: {}", section, what);
}

}  // namespace kokkosort
