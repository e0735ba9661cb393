#include "kokkosort/clustering/neighbours.hpp"
#include "kokkosort/clustering/seeding.hpp"
#include "section_problem.hpp"

namespace kokkosort::perf {

void seeding(benchmark::State& state) {
  SectionProblem problem(state);
  const auto graph = find_neighbours(problem.exec, problem.batch, problem.options.neighbours, problem.ledger);
  double flops = 0.0;  // a subtraction and a multiply-add per feature, point, trial and seed; each seed reads the points once
  double bytes = 0.0;
  for (const SectionExtent& section : problem.batch.extents) {
    const double point_reads = 1.0 * section.n_features * section.n_spikes * section.n_seeds;
    flops += 3.0 * seeding_trials(problem.options.seeding) * point_reads;
    bytes += 4.0 * point_reads;
  }
  measure(state, problem.exec, flops, bytes, [&] {
    seed_clusters(problem.exec, problem.batch, graph.norms, problem.options.seeding, problem.options.seed,
                  problem.ledger);
  });
}
BENCHMARK(seeding)->Apply(section_shapes);

}  // namespace kokkosort::perf
