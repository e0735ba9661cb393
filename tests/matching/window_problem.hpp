#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "host_copies.hpp"
#include "kokkosort/matching/pursuit.hpp"
#include "kokkosort/matching/scores.hpp"
#include "kokkosort/matching/window.hpp"
#include "kokkosort/templates/correlations.hpp"
#include "kokkosort/templates/placed_templates.hpp"
#include "matching/make_traces.hpp"

namespace kokkosort::test {

/// A window's scores and traces in host memory, by the user's templates and channels.
struct WindowContents {
  std::vector<std::vector<float>> scores;  // [templates][scores]
  std::vector<std::vector<float>> traces;  // [channels][samples]
};

/// Templates and one window on the device.
template <class Exec>
struct WindowProblem {
  TemplateProblem problem;
  MatchingOptions options;
  Exec exec;
  TransferLedger ledger;
  PlacedTemplates<Exec> placed;
  Matrix<float, Exec> wPCA;
  TemplateCorrelations<Exec> correlations;
  WindowExtent window;
  MatchingWorkspace<Exec> workspace;

  /// @param traces  [channels, samples] of the window
  /// @param first   block of nt + 1 samples that the window begins with
  WindowProblem(const TemplateProblem& templates, const HostMatrix<float>& traces,
                const MatchingOptions& matching = {}, std::int64_t first_block = 0,
                const Exec& instance = Exec())
      : problem(templates), options(matching), exec(instance) {
    const HostMatrix<float>& components = problem.pcs.wPCA;
    placed = place_templates(exec, problem.probe, problem.templates, ledger);
    wPCA = Matrix<float, Exec>("kokkosort::test::wPCA", components.extent(0), components.extent(1));
    Kokkos::deep_copy(wPCA, components);
    correlations = correlate_templates(exec, placed, components, {}, ledger);
    window.first = first_block * (problem.nt() + 1);
    window.n_samples = static_cast<std::uint32_t>(traces.extent(1));
    window.n_scores = window.n_samples - static_cast<std::uint32_t>(problem.nt()) + 1;
    window.core_end = window.first + window.n_scores;
    workspace = make_workspace(
        exec, {problem.n_templates(), problem.n_channels(), problem.n_pcs(), problem.nt(), window.n_scores},
        options);
    exec.fence("kokkosort::test::window");
    load(traces);
  }

  /// Puts traces into the workspace. What its rows have beyond the window is nobody's business: rubbish.
  void load(const HostMatrix<float>& traces) const {
    const auto rows = Kokkos::create_mirror(Kokkos::HostSpace(), workspace.traces);
    for (std::size_t k = 0; k < rows.extent(0); ++k)
      for (std::size_t t = 0; t < rows.extent(1); ++t)
        rows(k, t) = t < traces.extent(1) ? traces(static_cast<std::size_t>(placed.channel_at[k]), t) : 1e5f;
    Kokkos::deep_copy(workspace.traces, rows);
  }

  void score() {
    compute_scores(exec, placed, wPCA, window, options, workspace);
    exec.fence("kokkosort::test::scores");
  }

  PursuitEnd chase() {
    score();
    const PursuitEnd end = pursue(exec, placed, correlations, wPCA, window, options, workspace, ledger);
    exec.fence("kokkosort::test::pursuit");
    return end;
  }

  /// In order of time; centres count from the window's first score.
  std::vector<TemplateSpike> spikes() const {
    const std::vector<std::uint32_t> n_found = to_host(workspace.n_found);
    const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), workspace.found);
    std::vector<TemplateSpike> all;
    for (std::size_t block = 0; block < workspace.n_blocks(window); ++block)
      for (std::size_t k = 0; k < n_found[block]; ++k) {
        const FoundSpike& spike = found(block, k);
        all.push_back(
            {spike.centre, placed.template_at[static_cast<std::size_t>(spike.unit)], spike.amplitude});
      }
    sort_by_time(all);
    return all;
  }

  WindowContents contents() const {
    const auto scores = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), workspace.scores);
    const auto traces = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), workspace.traces);
    WindowContents contents;
    contents.scores.resize(problem.n_templates());
    contents.traces.resize(problem.n_channels());
    for (std::size_t u = 0; u < problem.n_templates(); ++u)
      contents.scores[static_cast<std::size_t>(placed.template_at[u])].assign(
          &scores(u, 0), &scores(u, 0) + window.n_scores);
    for (std::size_t k = 0; k < problem.n_channels(); ++k)
      contents.traces[static_cast<std::size_t>(placed.channel_at[k])].assign(
          &traces(k, 0), &traces(k, 0) + window.n_samples);
    return contents;
  }

  /// Largest |ΔB| / ‖U‖ between the workspace's scores and those of its traces in f64.
  double largest_error() const {
    const WindowContents here = contents();
    const auto waves = direct_waveforms(problem);
    const auto energy = direct_energy(problem.templates);
    double largest = 0.0;
    for (std::size_t u = 0; u < waves.size(); ++u)
      for (std::size_t t = 0; t < window.n_scores; ++t) {
        double sum = 0.0;
        for (std::size_t c = 0; c < waves[u].size(); ++c)
          for (std::size_t s = 0; s < waves[u][c].size(); ++s)
            sum += waves[u][c][s] * double{here.traces[c][t + s]};
        const double error = std::abs(here.scores[u][t] - sum) / std::sqrt(energy[u]);
        if (!(error <= largest))
          largest = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
      }
    return largest;
  }
};

}  // namespace kokkosort::test
