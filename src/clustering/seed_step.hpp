#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include "clustering/seeding_parts.hpp"
#include "core/fixed_point.hpp"
#include "core/lanes.hpp"

namespace kokkosort {

/// Candidates scored in one read of a point: their distances stay in registers. As many as 200 seeds ask for.
inline constexpr int candidate_group = 7;

/// One feature of a group's candidates, aligned so that a GPU reads it in two instructions.
struct alignas(16) CandidateRow {
  float of[candidate_group];
};

/// One feature of neighbouring points, read at once.
template <int width>
struct alignas(width * sizeof(float)) PointPack {
  float of[width];
};

/// What a team does at each step: points [first, last) of one section.
struct SeedingTask {
  std::uint32_t section;
  std::uint32_t first;  // a multiple of block_points
  std::uint32_t last;   // padding included
};

/// A section's sums in the arrays over all sections' sums.
struct SectionSums {
  std::uint32_t first;
  std::uint32_t count;
};

/// Where a draw fell.
struct DrawnShare {
  std::int64_t rest;   // how far into the share
  std::uint32_t index;
};

/// What the steps hand on to each other. Of two halves, a step reads one and writes the other.
template <class Exec>
struct SeedingState {
  Vector<SectionSums, Exec> sums;            // [sections]
  Vector<float, Exec> delta;                 // [n_columns], squared distance to the nearest centre
  Vector<FixedPoint, Exec> fixed_point;      // [sections]
  Matrix<float, Exec> trial_delta;           // [2 · trials, n_columns], δ if the trial's candidate were a seed
  Matrix<std::int64_t, Exec> trial_sums;     // [2 · trials, sums], of sum_points of them each
  Matrix<std::uint32_t, Exec> candidates;    // [sections, 2 · trials], points of the section
};

/// One step of seeding: settles the seed of the step before, then draws candidates for the next and scores them.
///
/// A step leaves, per trial and few points, Σδ as it would be with the trial's candidate as a seed. From these sums each
/// team of the next step finds by itself which trial was best and what to draw next, so that one launch a seed, with no
/// synchronisation inside, serves all sections.
template <class Exec>
struct SeedStep {
  Vector<SectionExtent, Exec> sections;
  Vector<SeedingTask, Exec> tasks;
  Vector<float, Exec> points;
  SeedingState<Exec> state;
  Seeding<Exec> result;
  std::uint32_t block_points;  // scored before they are summed; a multiple of sum_points
  std::uint32_t sum_points;    // neighbours whose δ one lane sums; a draw looks for its sum first, then for the point in it
  std::uint32_t most_features;
  int trials;
  std::uint64_t seed;
  std::uint32_t step = 0;

  /// Neighbouring points that a thread scores together: a CPU's vector registers full; on a GPU two, which share what a
  /// candidate's feature costs to read.
  static constexpr int points_at_once = runs_on_host<Exec> ? 16 : 2;
  using Pack = PointPack<points_at_once>;
  using Distances = float[candidate_group][points_at_once];

  /// A team, its work, and what it finds out about its section. Copies, not references: the compiler cannot know that
  /// what the team writes is not the section.
  struct Team {
    const TeamMember<Exec>& member;
    SectionExtent section;
    SeedingTask task;
    SectionSums sums;
    FixedPoint fixed;
    int trials;
    std::uint32_t step;
    Scratch<std::int64_t, Exec> totals;      // [trials], Σδ of the section
    Scratch<DrawnShare, Exec> drawn_sums;    // [trials], on which of the section's sums a draw fell,
    Scratch<DrawnShare, Exec> drawn;         // [trials], and on which of its points
    Scratch<CandidateRow, Exec> candidates;  // [n_features] of one group
    Scratch<float, Exec> scored;             // [candidate_group, scored_points()] of one block

    /// Rows of what the step before left for trial t, and of what this step leaves.
    KOKKOS_INLINE_FUNCTION int before(const int t) const { return t + (step % 2 == 0 ? trials : 0); }
    KOKKOS_INLINE_FUNCTION int after(const int t) const { return t + (step % 2 == 0 ? 0 : trials); }
  };

  /// Room for a block's points. After each pack of them one place is left free, so that lanes which sum neighbouring
  /// ones read different memory banks of a GPU.
  KOKKOS_INLINE_FUNCTION std::uint32_t scored_points() const { return scored_place(block_points); }
  KOKKOS_INLINE_FUNCTION static std::uint32_t scored_place(const std::uint32_t point) {
    return point + point / column_padding;
  }

  std::size_t scratch_bytes() const {
    return Scratch<std::int64_t, Exec>::shmem_size(static_cast<std::size_t>(trials)) +
           2 * Scratch<DrawnShare, Exec>::shmem_size(static_cast<std::size_t>(trials)) +
           Scratch<CandidateRow, Exec>::shmem_size(most_features) +
           Scratch<float, Exec>::shmem_size(std::size_t{candidate_group} * scored_points());
  }

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const { run(team(member)); }

  KOKKOS_INLINE_FUNCTION Team team(const TeamMember<Exec>& member) const {
    const SeedingTask task = tasks(static_cast<std::uint32_t>(member.league_rank()));
    return {member,
            sections(task.section),
            task,
            state.sums(task.section),
            state.fixed_point(task.section),
            trials,
            step,
            Scratch<std::int64_t, Exec>(member.team_scratch(0), trials),
            Scratch<DrawnShare, Exec>(member.team_scratch(0), trials),
            Scratch<DrawnShare, Exec>(member.team_scratch(0), trials),
            Scratch<CandidateRow, Exec>(member.team_scratch(0), most_features),
            Scratch<float, Exec>(member.team_scratch(0), std::size_t{candidate_group} * scored_points())};
  }

  KOKKOS_INLINE_FUNCTION void run(const Team& team) const {
    if (team.step > result.n_seeds(team.task.section)) return;
    sum_trials(team);
    const int best = best_trial(team);
    const std::int64_t sum = team.totals(best);
    if (team.step > 0) take_seed(team, best);
    if (sum == 0) return finish(team);  // every point is a copy of a seed or of the origin
    if (team.step == team.section.n_seeds) return;
    draw(team, best, sum);
    for (int first = 0; first < trials; first += candidate_group) {
      load_candidates(team, first);
      for (std::uint32_t begin = team.task.first; begin < team.task.last; begin += block_points)
        score_block(team, begin, begin + block_points < team.task.last ? begin + block_points : team.task.last, first);
    }
  }

  KOKKOS_INLINE_FUNCTION void sum_trials(const Team& team) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team.member, trials), [&](const int t) {
      const std::int64_t* const sums = &state.trial_sums(team.before(t), team.sums.first);
      std::int64_t total = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team.member, team.sums.count),
          [&](const std::uint32_t i, std::int64_t& so_far) { so_far += sums[i]; }, total);
      Kokkos::single(Kokkos::PerThread(team.member), [&]() { team.totals(t) = total; });
    });
    team.member.team_barrier();
  }

  /// The trial that leaves the least Σδ, ties to the first drawn.
  KOKKOS_INLINE_FUNCTION int best_trial(const Team& team) const {
    int best = 0;
    for (int t = 1; t < trials; ++t)
      if (team.totals(t) < team.totals(best)) best = t;
    return best;
  }

  KOKKOS_INLINE_FUNCTION void take_seed(const Team& team, const int best) const {
    const std::uint32_t label = team.step - 1;
    const float* const lowered = &state.trial_delta(team.before(best), team.section.first_spike);
    float* const delta = &state.delta(team.section.first_spike);
    std::uint32_t* const labels = &result.labels(team.section.first_spike);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team.member, team.task.first, team.task.last), [&](const std::uint32_t i) {
      if (lowered[i] < delta[i]) {
        delta[i] = lowered[i];
        labels[i] = label;
      }
    });
    if (team.task.first > 0) return;
    Kokkos::single(Kokkos::PerTeam(team.member), [&]() {
      result.seeds(team.task.section, label) = state.candidates(team.task.section, team.before(best));
    });
  }

  KOKKOS_INLINE_FUNCTION void finish(const Team& team) const {
    if (team.task.first > 0) return;
    Kokkos::single(Kokkos::PerTeam(team.member), [&]() { result.n_seeds(team.task.section) = team.step; });
  }

  /// Draws points with probability ∝ δ: their shares cover [0, Σδ) side by side.
  KOKKOS_INLINE_FUNCTION void draw(const Team& team, const int best, const std::int64_t sum) const {
    const std::int64_t* const sums = &state.trial_sums(team.before(best), team.sums.first);
    // Not state.delta, which other teams may be writing for their points.
    const float* const delta = &state.trial_delta(team.before(best), team.section.first_spike);
    const FixedPoint fixed = team.fixed;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team.member, trials), [&](const int t) {
      find_share(team, place_of_draw(seed, team.section.key, team.step, t, sum), 0, team.sums.count,
                 [=](const std::uint32_t i) { return sums[i]; }, team.drawn_sums(t));
    });
    team.member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team.member, trials), [&](const int t) {
      const DrawnShare drawn = team.drawn_sums(t);
      const std::uint32_t first = drawn.index * sum_points;
      const std::uint32_t last = first + sum_points < team.section.stride ? first + sum_points : team.section.stride;
      find_share(team, drawn.rest, first, last, [=](const std::uint32_t i) { return fixed(delta[i]); }, team.drawn(t));
    });
    team.member.team_barrier();
    if (team.task.first > 0) return;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team.member, trials), [&](const int t) {
      state.candidates(team.task.section, team.after(t)) = team.drawn(t).index;
    });
  }

  /// Finds which of the shares [first, last) covers a place. Each lane adds up a piece of them, so that there is one scan
  /// however many there are.
  /// @param drawn  in scratch memory; one lane writes it while others may still read where their draws fell before
  template <class Share>
  KOKKOS_INLINE_FUNCTION void find_share(const Team& team, const std::int64_t place, const std::uint32_t first,
                                         const std::uint32_t last, const Share& share, DrawnShare& drawn) const {
    constexpr std::uint32_t pieces = 32;
    const std::uint32_t piece = (last - first + pieces - 1) / pieces;
    Kokkos::parallel_scan(Kokkos::ThreadVectorRange(team.member, pieces),
                          [&](const std::uint32_t p, std::int64_t& before, const bool final) {
                            const std::uint32_t begin = first + p * piece;
                            const std::uint32_t end = begin + piece < last ? begin + piece : last;
                            std::int64_t sum = 0;
                            for (std::uint32_t i = begin; i < end; ++i) sum += share(i);
                            if (final && before <= place && place < before + sum) {
                              std::uint32_t i = begin;
                              std::int64_t rest = place - before;
                              for (std::int64_t own = share(i); rest >= own; own = share(i)) {
                                rest -= own;
                                ++i;
                              }
                              drawn = {rest, i};
                            }
                            before += sum;
                          });
  }

  /// Copies a group's candidates side by side; missing ones repeat the first, so that scoring has a fixed trip count.
  KOKKOS_INLINE_FUNCTION void load_candidates(const Team& team, const int first) const {
    const float* const from = &points(team.section.first_point);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team.member, team.section.n_features), [&](const std::uint32_t f) {
      CandidateRow row;
      for (int t = 0; t < candidate_group; ++t)
        row.of[t] = from[std::size_t{f} * team.section.stride + team.drawn(first + t < trials ? first + t : 0).index];
      team.candidates(f) = row;
    });
    team.member.team_barrier();
  }

  /// Leaves δ of points [begin, end) as each of a group's candidates would make it, and their sums; one read of each
  /// point.
  KOKKOS_INLINE_FUNCTION void score_block(const Team& team, const std::uint32_t begin, const std::uint32_t end,
                                          const int first) const {
    const int count = trials - first < candidate_group ? trials - first : candidate_group;
    Kokkos::parallel_for(
        Kokkos::TeamVectorRange(team.member, (end - begin) / points_at_once),
        [&](const std::uint32_t pack) { score_pack(team, begin, pack * points_at_once, first, count); });
    team.member.team_barrier();
    const std::uint32_t n_sums = (end - begin + sum_points - 1) / sum_points;
    Kokkos::parallel_for(
        Kokkos::TeamVectorRange(team.member, static_cast<std::uint32_t>(count) * n_sums), [&](const std::uint32_t i) {
          const std::uint32_t t = i / n_sums;
          const std::uint32_t from = i % n_sums * sum_points;
          const std::uint32_t to = begin + from + sum_points < end ? from + sum_points : end - begin;
          std::int64_t sum = 0;
          for (std::uint32_t point = from; point < to; point += column_padding) {
            const float* const scored = &team.scored(t * scored_points() + scored_place(point));
            for (std::uint32_t k = 0; k < column_padding; ++k) sum += team.fixed(scored[k]);
          }
          state.trial_sums(team.after(first + static_cast<int>(t)), team.sums.first + (begin + from) / sum_points) = sum;
        });
    team.member.team_barrier();
  }

  KOKKOS_INLINE_FUNCTION void score_pack(const Team& team, const std::uint32_t begin, const std::uint32_t place,
                                         const int first, const int count) const {
    constexpr int width = points_at_once;
    Distances distance = {};
    std::uint32_t f = 0;
    if constexpr (!runs_on_host<Exec>) {  // a GPU has to have many loads under way
      f = add_features<18>(team, begin + place, f, distance);
      f = add_features<6>(team, begin + place, f, distance);
    }
    add_features<1>(team, begin + place, f, distance);

    const std::uint32_t column = team.section.first_spike + begin + place;
    const float* const delta = &state.delta(column);
    for (int t = 0; t < count; ++t) {
      float* const kept = &state.trial_delta(team.after(first + t), column);
      float* const scored = &team.scored(static_cast<std::uint32_t>(t) * scored_points() + scored_place(place));
      for_lanes<width>([&](const int w) {
        const float lowered = distance[t][w] < delta[w] ? distance[t][w] : delta[w];
        kept[w] = lowered;
        scored[w] = lowered;
      });
    }
  }

  /// Adds features from f on to the distances, loading `at_once` of them before any is used.
  /// @return the first feature that is left
  template <std::uint32_t at_once>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t add_features(const Team& team, const std::uint32_t point, std::uint32_t f,
                                                         Distances& distance) const {
    const std::size_t stride = team.section.stride / points_at_once;
    const auto* x = reinterpret_cast<const Pack*>(&points(team.section.first_point + point)) + f * stride;
    for (; f + at_once <= team.section.n_features; f += at_once, x += at_once * stride) {
      const CandidateRow* const rows = &team.candidates(f);
      Pack loaded[at_once];
      for (std::uint32_t g = 0; g < at_once; ++g) loaded[g] = x[g * stride];
      for (std::uint32_t g = 0; g < at_once; ++g) add_feature(loaded[g], rows[g], distance);
    }
    return f;
  }

  KOKKOS_FORCEINLINE_FUNCTION static void add_feature(const Pack& x, const CandidateRow& row, Distances& distance) {
    for (int t = 0; t < candidate_group; ++t) {
      const float of_candidate = row.of[t];
      for_lanes<points_at_once>([&](const int w) {
        const float difference = x.of[w] - of_candidate;
        distance[t][w] += difference * difference;
      });
    }
  }
};

}  // namespace kokkosort
