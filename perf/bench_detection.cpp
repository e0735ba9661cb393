#include "kokkosort/detection/search.hpp"
#include "matching_problem.hpp"

namespace kokkosort::perf {

/// A window of the matching benchmark's recording, searched for its own components as shapes.
struct SearchProblem : WindowProblem {
  DetectionOptions search_options;
  PrincipalComponents pcs;
  DetectionGrid grid;
  SearchTables<Exec> tables;
  SearchWorkspace<Exec> search_workspace;
  SearchWindow searched;

  SearchProblem(std::size_t n_templates, std::size_t n_channels, std::size_t n_samples, std::size_t n_spikes)
      : WindowProblem(n_templates, n_channels, n_samples, n_spikes),
        pcs{wPCA, wPCA, 20},
        grid(make_detection_grid(probe, search_options)),
        tables(upload_tables(exec, grid, pcs, ledger)),
        search_workspace(make_search_workspace(exec, sizes_of_search(n_channels, grid, pcs, n_samples),
                                               search_options, 0)),
        searched{0, static_cast<std::int64_t>(n_samples), static_cast<std::int64_t>(n_samples)} {
    load();
  }

  std::size_t find() {
    return search_window(exec, tables, searched, search_options, search_workspace, ledger).sample.size();
  }

 private:
  /// Channels of the matching problem are as placed; its traces begin half a waveform before the window.
  void load() {
    const auto from = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), traces);
    const auto to = Kokkos::create_mirror(Kokkos::HostSpace(), search_workspace.traces);
    const std::size_t lead = lead_samples(search_workspace.sizes) - nt / 2;
    for (std::size_t place = 0; place < to.extent(0); ++place)
      for (std::size_t i = 0; i < window.n_samples && lead + i < to.extent(1); ++i)
        to(static_cast<std::size_t>(placed.channel_at[place]), lead + i) = from(place, i);
    Kokkos::deep_copy(search_workspace.traces, to);
    exec.fence("kokkosort::perf::loaded");
  }
};

/// Rates are those of the plain method, which scores every centre at every sample.
void detection(benchmark::State& state) {
  SearchProblem problem(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)),
                        static_cast<std::size_t>(state.range(2)), static_cast<std::size_t>(state.range(3)));
  const SearchSizes& sizes = problem.search_workspace.sizes;
  const auto samples = static_cast<double>(sizes.n_samples);
  const auto channels = static_cast<double>(sizes.n_channels);
  const double flops = 2.0 * samples * static_cast<double>(sizes.n_shapes) *
                       (channels * nt + static_cast<double>(sizes.n_centres * sizes.n_scales * sizes.n_rows));
  std::size_t n_found = 0;
  measure_from(
      state, problem.exec, flops, 4.0 * samples * channels, [] {}, [&] { n_found = problem.find(); });
  state.counters["spikes found"] = static_cast<double>(n_found);
}
BENCHMARK(detection)->Apply(window_shapes);

}  // namespace kokkosort::perf
