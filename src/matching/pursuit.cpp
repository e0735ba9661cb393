#include "kokkosort/matching/pursuit.hpp"

#include <algorithm>

#include "core/instantiate.hpp"
#include "core/light.hpp"
#include "matching/find_best.hpp"
#include "matching/take_spikes.hpp"

namespace kokkosort {
namespace {

template <class Exec>
void forget_spikes(const Exec& exec, const PursuitState<Exec>& state) {
  const auto last_round = state.last_round;
  const auto n_found = state.n_found;
  const auto n_in_round = state.n_in_round;
  const std::size_t n = std::max(n_found.extent(0), n_in_round.extent(0));
  Kokkos::parallel_for(
      "kokkosort::matching::forget_spikes", Kokkos::RangePolicy<Exec>(exec, 0, n),
      KOKKOS_LAMBDA(const std::size_t i) {
        if (i < n_found.extent(0)) {
          last_round(i) = long_ago;
          n_found(i) = 0;
        }
        if (i < n_in_round.extent(0)) n_in_round(i) = 0;
      });
}

template <class Exec>
class Pursuit {
 public:
  Pursuit(const Exec& exec, const PlacedTemplates<Exec>& templates,
          const TemplateCorrelations<Exec>& correlations, const Matrix<float, Exec>& wPCA,
          const WindowExtent& window, const MatchingOptions& options,
          const MatchingWorkspace<Exec>& workspace, TransferLedger& ledger)
      : exec_(exec),
        options_(options),
        ledger_(ledger),
        state_{workspace.scores,
               workspace.traces,
               workspace.best,
               workspace.best_unit,
               workspace.last_round,
               workspace.n_found,
               workspace.found,
               workspace.n_in_round,
               workspace.nt,
               static_cast<int>(window.n_scores),
               static_cast<int>(workspace.n_blocks(window))},
        group_offset_(static_cast<int>(positive_remainder(window.first / (workspace.nt + 1), 3))),
        find_best_{state_,
                   workspace.slice_best,
                   workspace.slice_best_unit,
                   templates.inverse_energy,
                   correlations.first,
                   correlations.other,
                   0},
        take_{state_,
              templates.weights,
              wPCA,
              templates.inverse_energy,
              templates.footprint_on_device,
              correlations.first,
              correlations.other,
              correlations.values,
              static_cast<float>(options.threshold * options.threshold),
              0,
              0,
              false} {
    forget_spikes(exec_, state_);
  }

  PursuitEnd run() {
    const int per_look = options_.rounds_per_look > 0 ? options_.rounds_per_look : runs_on_host<Exec> ? 1 : 8;
    PursuitEnd end;
    while (end.rounds < options_.max_peels) {
      const int last = std::min(end.rounds + per_look, options_.max_peels);
      for (int round = end.rounds; round < last; ++round) queue_round(round, false);
      end.rounds = count_rounds(end.rounds, last);
      if (end.rounds < last) {
        end.finished = true;
        return end;
      }
    }
    queue_round(options_.max_peels, true);
    end.finished = count_rounds(options_.max_peels, options_.max_peels + 1) == options_.max_peels;
    return end;
  }

 private:
  static std::int64_t positive_remainder(std::int64_t n, std::int64_t divisor) {
    return (n % divisor + divisor) % divisor;
  }

  void queue_round(int round, bool count_only) {
    find_best_.round = round;
    Kokkos::parallel_for(
        "kokkosort::matching::find_best",
        light(Kokkos::TeamPolicy<Exec>(exec_, state_.n_blocks, runs_on_host<Exec> ? 1 : best_threads)),
        find_best_);

    take_.round = round;
    take_.count_only = count_only;
    for (int group = 0; group < 3; ++group) {
      take_.first_block = static_cast<int>(positive_remainder(group - group_offset_, 3));
      const int n_teams = (state_.n_blocks - take_.first_block + 2) / 3;
      if (n_teams <= 0) continue;
      Kokkos::parallel_for("kokkosort::matching::take_spikes", light(take_policy(n_teams)), take_);
    }
  }

  Kokkos::TeamPolicy<Exec> take_policy(int n_teams) const {
    if (runs_on_host<Exec>) return Kokkos::TeamPolicy<Exec>(exec_, n_teams, 1, 1);
    return Kokkos::TeamPolicy<Exec>(exec_, n_teams, options_.team_threads > 0 ? options_.team_threads : 8,
                                    32);
  }

  /// Waits for rounds [first, last). @return one past the last of them that had a spike; first if none had
  int count_rounds(int first, int last) {
    const HostVector<std::uint32_t> counts("kokkosort::matching::counts_on_host",
                                           static_cast<std::size_t>(last - first));
    copy_down(exec_, ledger_, "matching", "n_in_round", counts,
              Vector<std::uint32_t, Exec>(Kokkos::subview(state_.n_in_round, std::make_pair(first, last))));
    int end = first;
    while (end < last && counts(static_cast<std::size_t>(end - first)) > 0) ++end;
    return end;
  }

  static constexpr int best_threads = 256;

  const Exec& exec_;
  const MatchingOptions& options_;
  TransferLedger& ledger_;
  PursuitState<Exec> state_;
  int group_offset_;  // group of the window's first block
  FindBest<Exec> find_best_;
  TakeSpikes<Exec> take_;
};

}  // namespace

template <class Exec>
PursuitEnd pursue(const Exec& exec, const PlacedTemplates<Exec>& templates,
                  const TemplateCorrelations<Exec>& correlations, const Matrix<float, Exec>& wPCA,
                  const WindowExtent& window, const MatchingOptions& options,
                  const MatchingWorkspace<Exec>& workspace, TransferLedger& ledger) {
  return Pursuit<Exec>(exec, templates, correlations, wPCA, window, options, workspace, ledger).run();
}

#define INSTANTIATE(Exec)                                                                                  \
  template PursuitEnd pursue(const Exec&, const PlacedTemplates<Exec>&, const TemplateCorrelations<Exec>&, \
                             const Matrix<float, Exec>&, const WindowExtent&, const MatchingOptions&,      \
                             const MatchingWorkspace<Exec>&, TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
