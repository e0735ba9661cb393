#include "kokkosort/clustering/splits.hpp"

#include "kokkosort/clustering/assignment.hpp"
#include "kokkosort/clustering/leaves.hpp"
#include "kokkosort/clustering/neighbours.hpp"
#include "kokkosort/clustering/seeding.hpp"
#include "sweep/reference/check_splits.hpp"
#include "sweep/sweep_kernel.hpp"
#include "sweep/sweep_problem.hpp"

namespace kokkosort {
namespace {

ClusteringOptions split_options(const TunableValues& values) {
  ClusteringOptions options;
  options.grams.chunk_spikes = static_cast<int>(8 * values.at("gram_chunk_packs"));
  options.grams.team_threads = static_cast<int>(values.at("gram_threads"));
  return options;
}

/// Grams of all leaves and the tests of all nodes, from labels to clusters; without spike times.
class SplitsKernel : public SweepKernel {
 public:
  SplitsKernel(const SweepProblem& problem, const TunableValues& values) : sections_(problem, split_options(values)) {
    const auto& [options, exec, batch] = std::tie(sections_.options, sections_.exec, sections_.batch);
    const auto graph = find_neighbours(exec, batch, options.neighbours, sections_.ledger);
    const auto seeds = seed_clusters(exec, batch, graph.norms, options.seeding, options.seed, sections_.ledger);
    assigned_ = assign_clusters(exec, batch, graph, seeds, options.assignment, sections_.ledger);
    for (const auto& edges : count_edges(exec, batch, graph, assigned_, sections_.ledger))
      trees_.push_back(build_merge_tree(edges));
    labels_ = HostVector<std::int32_t>("kokkosort::sweep::labels", batch.n_columns);
    copy_down(exec, sections_.ledger, "clustering", "labels", labels_, assigned_.left);
  }

  void run() override {
    const auto& [exec, batch] = std::tie(sections_.exec, sections_.batch);
    const auto leaves = make_leaf_table(exec, batch, sections_.problem.sections, trees_, sections_.problem.spikes,
                                        assigned_.left, labels_, sections_.ledger);
    embed_points(exec, batch, order_by_leaf(exec, batch, leaves));
    const auto grams = compute_leaf_grams(exec, batch, leaves, sections_.options.grams, sections_.ledger);
    decided_ = trees_;
    decide_splits(exec, batch, leaves, grams, nullptr, sections_.options.splits, decided_, sections_.ledger);
  }

  std::string check() const override {
    for (std::size_t s = 0; s < sections_.batch.n_sections(); ++s) {
      const SectionExtent& section = sections_.batch.extents[s];
      const std::vector<std::int32_t> labels(&labels_(section.first_spike),
                                             &labels_(section.first_spike) + section.n_spikes);
      const std::string wrong = check_splits(sections_.points(s), labels, decided_[s], sections_.options.splits);
      if (!wrong.empty()) return wrong_in_section(s, wrong);
    }
    return {};
  }

  /// Of the Grams.
  Work work() const override {
    Work work;
    for (const SectionExtent& section : sections_.batch.extents) {
      const double rows = section.n_features + 1.0;
      work.flops += section.n_spikes * rows * rows;
      work.bytes += sizeof(float) * 2.0 * section.n_spikes * section.n_features;
    }
    return work;
  }

 private:
  SweepBatch sections_;
  Assignment<SweepExec> assigned_;
  std::vector<MergeTree> trees_;
  std::vector<MergeTree> decided_;
  HostVector<std::int32_t> labels_;
};

}  // namespace

SweepKernelInfo splits_kernel() {
  return {"splits",
          "leaf Grams, projections and scores of all tree nodes that need them",
          {{"gram_chunk_packs", "spikes of a leaf that are summed from scratch at a time, in packs of 8", 1, 20, 8},
           {"gram_threads", "threads of a team that sums a leaf's Gram; 0: what suits the device", 0, 1024, 0}},
          [](const SweepProblem& problem, const TunableValues& values) {
            return std::make_unique<SplitsKernel>(problem, values);
          }};
}

}  // namespace kokkosort
