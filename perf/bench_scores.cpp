#include "kokkosort/matching/scores.hpp"
#include "matching_problem.hpp"

namespace kokkosort::perf {

void scores(benchmark::State& state) {
  WindowProblem problem(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)),
                        static_cast<std::size_t>(state.range(2)), static_cast<std::size_t>(state.range(3)));
  const double centres = problem.window.n_scores;
  const auto channels = static_cast<double>(problem.placed.n_channels);
  double flops =
      2.0 * channels * n_pcs * nt * centres;  // projections; then the templates on their footprints
  for (std::size_t u = 0; u < problem.placed.n_templates; ++u)
    flops += 2.0 * static_cast<double>(problem.footprint(u) * n_pcs) * centres;
  // The least: traces once, scores once.
  const double bytes = 4.0 * centres * (channels + static_cast<double>(problem.placed.n_templates));
  measure_from(
      state, problem.exec, flops, bytes, [] {},
      [&] {
        compute_scores(problem.exec, problem.placed, problem.components, problem.window, problem.options,
                       problem.workspace);
      });
}
BENCHMARK(scores)->Apply(window_shapes);

}  // namespace kokkosort::perf
