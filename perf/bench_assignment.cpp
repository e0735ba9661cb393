#include "kokkosort/clustering/assignment.hpp"
#include "section_problem.hpp"

namespace kokkosort::perf {

void assignment(benchmark::State& state) {
  SectionProblem problem(state);
  const auto graph = find_neighbours(problem.exec, problem.batch, problem.options.neighbours, problem.ledger);
  const auto seeds =
      seed_clusters(problem.exec, problem.batch, graph.norms, problem.options.seeding, problem.options.seed,
                    problem.ledger);
  double bytes = 0.0;  // at least one round: each edge's label is read once from each side
  for (const SectionExtent& section : problem.batch.extents)
    bytes += 16.0 * section.n_spikes * problem.options.neighbours.neighbours;
  measure(state, problem.exec, 0.0, bytes, [&] {
    assign_clusters(problem.exec, problem.batch, graph, seeds, problem.options.assignment, problem.ledger);
  });
}
BENCHMARK(assignment)->Apply(section_shapes);

}  // namespace kokkosort::perf
