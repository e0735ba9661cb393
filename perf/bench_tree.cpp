#include <benchmark/benchmark.h>

#include "kokkosort/clustering/merge_tree.hpp"
#include "kokkosort/random.hpp"

namespace kokkosort::perf {

/// Random edge counts: neighbours on a ring are tied, the rest hardly.
HostMatrix<std::uint32_t> ring_edges(std::uint32_t n) {
  const HostMatrix<std::uint32_t> edges("kokkosort::perf::edges", n, n);
  for (std::uint32_t a = 0; a < n; ++a)
    for (std::uint32_t b = 0; b < n; ++b) {
      const std::uint32_t distance = a > b ? a - b : b - a;
      const double scale = distance == 0 ? 2000.0 : distance < 4 ? 100.0 : 2.0;
      edges(a, b) = static_cast<std::uint32_t>(scale * random_unit(1, 0, a, b));
    }
  return edges;
}

void tree(benchmark::State& state) {
  const auto edges = ring_edges(static_cast<std::uint32_t>(state.range(0)));
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(build_merge_tree(edges));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(tree)->ArgName("leaves")->RangeMultiplier(2)->Range(25, 200)->Complexity()->Unit(benchmark::kMicrosecond);

}  // namespace kokkosort::perf
