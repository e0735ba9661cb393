#include "kokkosort/matching/pursuit.hpp"

#include <algorithm>

#include "core/instantiate.hpp"
#include "core/lanes.hpp"
#include "core/light.hpp"

namespace kokkosort {
namespace {

constexpr std::int32_t long_ago = -16;  // a round that no round looks back to

/// What a round's kernels read and write.
template <class Exec>
struct PursuitState {
  Matrix<float, Exec> scores;
  Matrix<float, Exec> traces;
  Vector<float, Exec> best;
  Vector<std::int32_t, Exec> best_unit;
  Vector<std::int32_t, Exec> last_round;
  Vector<std::uint32_t, Exec> n_found;
  Matrix<FoundSpike, Exec> found;
  Vector<std::uint32_t, Exec> n_in_round;
  int nt;
  int n_scores;
  int n_blocks;

  KOKKOS_INLINE_FUNCTION int block_size() const { return nt + 1; }

  /// Whether a block within `reach` had a spike in the round before, or has one already in this.
  KOKKOS_INLINE_FUNCTION bool changed(int block, int reach, int round) const {
    if (round == 0) return true;
    const int last = Kokkos::min(block + reach, n_blocks - 1);
    for (int b = Kokkos::max(block - reach, 0); b <= last; ++b)
      if (last_round(b) >= round - 1) return true;
    return false;
  }
};

/// Writes the largest objective of any template at each centre of a block, where it may have changed. A
/// team's threads share slices of templates and centres, on a CPU in packs.
template <class Exec>
struct FindBest {
  static constexpr int pack = runs_on_host<Exec> ? 16 : 1;

  PursuitState<Exec> state;
  Matrix<float, Exec> slice_best;
  Matrix<std::int32_t, Exec> slice_best_unit;
  Vector<const float, Exec> inverse_energy;
  Vector<const std::uint32_t, Exec> first_pair;
  Vector<const std::int32_t, Exec> other;
  int round;

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const int block = member.league_rank();
    if (!state.changed(block, 1, round)) return;
    const int first = block * state.block_size();
    const int packs = (state.block_size() + pack - 1) / pack;
    const auto slices = static_cast<int>(slice_best.extent(0));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, slices * packs), [&](const int i) {
      const int slice = i / packs;
      if (slice_changed(slice, block)) find_best_of_slice(slice, first + i % packs * pack);
    });
    member.team_barrier();
    const int count = Kokkos::min(state.block_size(), state.n_scores - first);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count), [&](const int place) {
      const int centre = first + place;
      int winner = 0;
      for (int slice = 1; slice < slices; ++slice)
        if (slice_best(slice, centre) > slice_best(winner, centre)) winner = slice;
      state.best(centre) = slice_best(winner, centre);
      state.best_unit(centre) = slice_best_unit(winner, centre);
    });
  }

  /// Whether a spike of the last round, in reach of the block, changed scores of the slice.
  KOKKOS_INLINE_FUNCTION bool slice_changed(int slice, int block) const {
    if (round == 0) return true;
    const int first = slice * static_cast<int>(slice_units);
    const int last_block = Kokkos::min(block + 1, state.n_blocks - 1);
    for (int b = Kokkos::max(block - 1, 0); b <= last_block; ++b) {
      if (state.last_round(b) < round - 1) continue;
      const std::int32_t unit = state.found(b, state.n_found(b) - 1).unit;
      const std::int32_t lowest = other(first_pair(unit));
      const std::int32_t highest = other(first_pair(unit + 1) - 1);
      if (lowest < first + static_cast<int>(slice_units) && highest >= first) return true;
    }
    return false;
  }

  /// The first largest objective of a slice at a pack of centres.
  KOKKOS_INLINE_FUNCTION void find_best_of_slice(int slice, int centre) const {
    const int first = slice * static_cast<int>(slice_units);
    const int last =
        Kokkos::min(first + static_cast<int>(slice_units), static_cast<int>(inverse_energy.extent(0)));
    float value[pack];
    std::int32_t unit[pack];
    for_lanes<pack>([&](const int k) {
      value[k] = -1.0f;
      unit[k] = first;
    });
    for (int u = first; u < last; ++u) {
      const float* const scores = &state.scores(u, centre);
      const float weight = inverse_energy(u);
      for_lanes<pack>([&](const int k) {
        const float score = scores[k] > 0.0f ? scores[k] : 0.0f;
        const float objective = score * score * weight;
        unit[k] = objective > value[k] ? u : unit[k];
        value[k] = objective > value[k] ? objective : value[k];
      });
    }
    float* const to = &slice_best(slice, centre);
    std::int32_t* const unit_to = &slice_best_unit(slice, centre);
    for_lanes<pack>([&](const int k) {
      to[k] = value[k];
      unit_to[k] = unit[k];
    });
  }
};

/// Finds the spikes of every third block and takes them out of scores and traces.
template <class Exec>
struct TakeSpikes {
  using Peak = Kokkos::MaxFirstLoc<float, int>;

  PursuitState<Exec> state;
  Matrix<const float, Exec> weights;
  Matrix<const float, Exec> wPCA;
  Vector<const float, Exec> inverse_energy;
  Vector<const PlaceRange, Exec> footprints;
  Vector<const std::uint32_t, Exec> first_pair;
  Vector<const std::int32_t, Exec> other;
  Matrix<const float, Exec> correlations;
  float threshold;  // of the objective
  int first_block;  // of the group
  int round;
  bool count_only;

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const int block = first_block + 3 * member.league_rank();
    if (!state.changed(block, 2, round)) return;
    const int centre = find_peak(member, block);
    if (centre < 0) return;
    Kokkos::single(Kokkos::PerTeam(member), [&] { Kokkos::atomic_inc(&state.n_in_round(round)); });
    if (count_only) return;

    const std::int32_t unit = state.best_unit(centre);
    const float amplitude = state.scores(unit, centre) * inverse_energy(unit);
    member.team_barrier();  // all have read the score before it changes
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      state.found(block, state.n_found(block)++) = FoundSpike{centre, unit, amplitude};
      state.last_round(block) = round;
    });
    take_from_scores(member, centre, static_cast<std::size_t>(unit), amplitude);
    take_from_traces(member, centre, static_cast<std::size_t>(unit), amplitude);
  }

  /// The block's first largest objective, if it is above threshold and the largest within nt samples. @return
  /// −1: none
  KOKKOS_INLINE_FUNCTION int find_peak(const TeamMember<Exec>& member, int block) const {
    const int first = block * state.block_size();
    const int last = Kokkos::min(first + state.block_size(), state.n_scores);
    typename Peak::value_type peak;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(member, first, last),
        [&](const int t, typename Peak::value_type& largest) {
          if (state.best(t) > largest.val) largest = {state.best(t), t};
        },
        Peak(peak));
    if (!(peak.val > threshold)) return -1;
    int larger = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(member, Kokkos::max(0, peak.loc - state.nt),
                                Kokkos::min(state.n_scores, peak.loc + state.nt + 1)),
        [&](const int t, int& count) {
          if (state.best(t) > peak.val || (state.best(t) == peak.val && t < peak.loc)) ++count;
        },
        larger);
    return larger == 0 ? peak.loc : -1;
  }

  /// Row i of the correlations at −lag is what template i at the centre adds to the scores at centre + lag.
  KOKKOS_INLINE_FUNCTION void take_from_scores(const TeamMember<Exec>& member, int centre, std::size_t unit,
                                               float amplitude) const {
    const int last_lag = state.nt - 1;
    const int from = Kokkos::max(-last_lag, -centre);
    const int to = Kokkos::min(last_lag, state.n_scores - 1 - centre) + 1;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, first_pair(unit), first_pair(unit + 1)),
                         [&](const std::uint32_t pair) {
                           float* const scores = &state.scores(other(pair), centre);
                           const float* const at_lag = &correlations(pair, last_lag);
                           Kokkos::parallel_for(
                               Kokkos::ThreadVectorRange(member, from, to),
                               [&](const int lag) { scores[lag] -= amplitude * at_lag[-lag]; });
                         });
  }

  KOKKOS_INLINE_FUNCTION void take_from_traces(const TeamMember<Exec>& member, int centre, std::size_t unit,
                                               float amplitude) const {
    const std::size_t n_pcs = wPCA.extent(0);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, footprints(unit).first, footprints(unit).last),
                         [&](const std::uint32_t channel) {
                           float* const samples = &state.traces(channel, centre);
                           Kokkos::parallel_for(
                               Kokkos::ThreadVectorRange(member, state.nt), [&](const int s) {
                                 float waveform = 0.0f;
                                 for (std::size_t p = 0; p < n_pcs; ++p)
                                   waveform += weights(channel * n_pcs + p, unit) * wPCA(p, s);
                                 samples[s] -= amplitude * waveform;
                               });
                         });
  }
};

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
