#include "matching_problem.hpp"

namespace kokkosort::perf {

void correlations(benchmark::State& state) {
  TemplateProblem problem(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  double flops = 0.0;  // of pairs that meet: components over the channels that both have, then all lags
  double bytes = 0.0;  // the templates once, the answer once
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < problem.placed.n_templates; ++i) {
    bytes += 4.0 * static_cast<double>(problem.footprint(i) * n_pcs);
    for (std::size_t j = 0; j < problem.placed.n_templates; ++j) {
      if (!problem.placed.meet(i, j)) continue;
      const PlaceRange a = problem.placed.footprints[i];
      const PlaceRange b = problem.placed.footprints[j];
      const double channels = std::min(a.last, b.last) - std::max(a.first, b.first);
      flops += 2.0 * n_pcs * n_pcs * (channels + 2.0 * nt - 1.0);
      bytes += 4.0 * (2.0 * nt - 1.0);
      ++pairs;
    }
  }
  measure_from(
      state, problem.exec, flops, bytes, [] {},
      [&] { correlate_templates(problem.exec, problem.placed, problem.wPCA, {}, problem.ledger); });
  state.counters["pairs"] = static_cast<double>(pairs);
}
BENCHMARK(correlations)
    ->ArgNames({"templates", "channels"})
    ->Args({100, 384})
    ->Args({300, 384})
    ->Args({1000, 384})
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime();

}  // namespace kokkosort::perf
