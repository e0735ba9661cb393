#include "kokkosort/matching/pursuit.hpp"
#include "kokkosort/matching/scores.hpp"
#include "matching_problem.hpp"

namespace kokkosort::perf {
namespace {

/// What the spikes of a pursuit cost at least.
struct PursuitCost {
  double flops = 0.0;
  double bytes = 0.0;
  double spikes = 0.0;
};

PursuitCost cost_of(const WindowProblem& problem, const TemplateCorrelations<Exec>& correlations) {
  const auto n_found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), problem.workspace.n_found);
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), problem.workspace.found);
  const auto first = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), correlations.first);
  // The best template at each centre: all scores once.
  const double all = static_cast<double>(problem.placed.n_templates) * problem.window.n_scores;
  PursuitCost cost{3.0 * all, 4.0 * all, 0.0};
  for (std::size_t block = 0; block < problem.workspace.n_blocks(problem.window); ++block)
    for (std::size_t k = 0; k < n_found(block); ++k) {
      const auto unit = static_cast<std::size_t>(found(block, k).unit);
      const double scores = (first(unit + 1) - first(unit)) * (2.0 * nt - 1.0);
      const double samples = static_cast<double>(problem.footprint(unit) * nt);
      cost.flops += 2.0 * scores + 2.0 * (n_pcs + 1.0) * samples;
      cost.bytes += 12.0 * scores + 8.0 * samples;  // a correlation and a score read, a score written
      ++cost.spikes;
    }
  return cost;
}

}  // namespace

void pursuit(benchmark::State& state) {
  WindowProblem problem(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)),
                        static_cast<std::size_t>(state.range(2)), static_cast<std::size_t>(state.range(3)));
  const auto correlations =
      correlate_templates(problem.exec, problem.placed, problem.wPCA, {}, problem.ledger);
  compute_scores(problem.exec, problem.placed, problem.components, problem.window, problem.options,
                 problem.workspace);
  const Matrix<float, Exec> scores("kokkosort::perf::scores", problem.workspace.scores.extent(0),
                                   problem.workspace.scores.extent(1));
  Kokkos::deep_copy(problem.exec, scores, problem.workspace.scores);
  const auto restore = [&] {
    Kokkos::deep_copy(problem.exec, problem.workspace.scores, scores);
    Kokkos::deep_copy(problem.exec, problem.workspace.traces, problem.traces);
  };
  PursuitEnd end;
  const auto work = [&] {
    end = pursue(problem.exec, problem.placed, correlations, problem.components, problem.window,
                 problem.options, problem.workspace, problem.ledger);
  };
  work();
  problem.exec.fence("kokkosort::perf::counted");
  const PursuitCost cost = cost_of(problem, correlations);
  measure_from(state, problem.exec, cost.flops, cost.bytes, restore, work);
  state.counters["spikes"] = cost.spikes;
  state.counters["rounds"] = end.rounds;
}
BENCHMARK(pursuit)->Apply(window_shapes);

}  // namespace kokkosort::perf
