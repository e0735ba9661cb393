#include "kokkosort/clustering/neighbours.hpp"
#include "section_problem.hpp"

namespace kokkosort::perf {

void neighbours(benchmark::State& state) {
  SectionProblem problem(state);
  double flops = 0.0;  // of the products; the least bytes are one read of the points and one write of the answer
  double bytes = 0.0;
  for (const SectionExtent& section : problem.batch.extents) {
    flops += 2.0 * section.n_features * section.n_subset * section.n_spikes;
    bytes += 4.0 * section.n_spikes * (section.n_features + problem.options.neighbours.neighbours);
  }
  measure(state, problem.exec, flops, bytes, [&] {
    find_neighbours(problem.exec, problem.batch, problem.options.neighbours, problem.ledger);
  });
}
BENCHMARK(neighbours)->Apply(section_shapes);

}  // namespace kokkosort::perf
