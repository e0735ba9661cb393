#include "kokkosort/clustering/assignment.hpp"
#include "kokkosort/clustering/splits.hpp"
#include "section_problem.hpp"

namespace kokkosort::perf {

/// Grams of all leaves and the tests of all nodes, from labels to clusters.
void splits(benchmark::State& state) {
  SectionProblem problem(state);
  auto& [options, ledger, spikes, sections, batch, exec] = problem;
  const auto graph = find_neighbours(exec, batch, options.neighbours, ledger);
  const auto seeds = seed_clusters(exec, batch, graph.norms, options.seeding, options.seed, ledger);
  const auto assigned = assign_clusters(exec, batch, graph, seeds, options.assignment, ledger);
  std::vector<MergeTree> trees;
  for (const auto& edges : count_edges(exec, batch, graph, assigned, ledger)) trees.push_back(build_merge_tree(edges));
  const HostVector<std::int32_t> labels("kokkosort::perf::labels", batch.n_columns);
  copy_down(exec, ledger, "clustering", "labels", labels, assigned.left);

  double flops = 0.0;  // of the Grams
  double bytes = 0.0;
  for (const SectionExtent& section : batch.extents) {
    flops += 1.0 * section.n_spikes * (section.n_features + 1.0) * (section.n_features + 1.0);
    bytes += 8.0 * section.n_spikes * section.n_features;
  }
  // Named one by one: hipcc's clang 15 takes structured bindings into a lambda in no other way.
  measure(state, exec, flops, bytes, [&, &options = options, &ledger = ledger, &spikes = spikes, &sections = sections,
                                      &batch = batch, &exec = exec] {
    const auto leaves = make_leaf_table(exec, batch, sections, trees, spikes, assigned.left, labels, ledger);
    embed_points(exec, batch, order_by_leaf(exec, batch, leaves));
    const auto grams = compute_leaf_grams(exec, batch, leaves, {}, ledger);
    std::vector<MergeTree> decided = trees;
    decide_splits(exec, batch, leaves, grams, nullptr, options.splits, decided, ledger);
  });
}
BENCHMARK(splits)->Apply(section_shapes);

}  // namespace kokkosort::perf
