#include "kokkosort/clustering/seeding.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/instantiate.hpp"
#include "core/lanes.hpp"
#include "kokkosort/random.hpp"

namespace kokkosort {
namespace {

/// Candidates scored in one pass over the points: their distances stay in registers.
constexpr int candidate_group = 8;

/// Points a thread scores at a time: a CPU's vector registers full, one on a GPU.
template <class Exec>
constexpr int points_at_once = runs_on_host<Exec> ? 16 : 1;

KOKKOS_INLINE_FUNCTION constexpr int padded_trials(int trials) {
  return (trials + candidate_group - 1) / candidate_group * candidate_group;
}

/// What each candidate of a group would take off Σδ, in fixed point.
struct Gains {
  std::int64_t of[candidate_group] = {};

  KOKKOS_INLINE_FUNCTION Gains& operator+=(const Gains& other) {
    for (int t = 0; t < candidate_group; ++t) of[t] += other.of[t];
    return *this;
  }
};

}  // namespace
}  // namespace kokkosort

template <>
struct Kokkos::reduction_identity<kokkosort::Gains> {
  KOKKOS_FORCEINLINE_FUNCTION static kokkosort::Gains sum() { return {}; }
};

namespace kokkosort {
namespace {

/// Seeds one section; its members are the steps of the method, each done by the whole team.
template <class Exec>
struct SectionSeeder {
  const TeamMember<Exec>& member;
  const SectionExtent& section;
  const float* points;         // [n_features, stride]
  float* delta;                // [stride]
  std::uint32_t* labels;       // [stride]
  float* candidate_distances;  // [trials, stride], δ with each candidate as a seed
  Scratch<float, Exec> candidate_points;    // [n_features, padded trials]
  Scratch<std::uint32_t, Exec> candidates;  // [trials]
  Scratch<std::int64_t, Exec> draws;        // [trials], places in [0, Σδ)
  Scratch<std::int64_t, Exec> gains;        // [trials]
  int trials;
  std::uint64_t seed;
  double scale = 1.0;  // δ to fixed point

  KOKKOS_INLINE_FUNCTION std::int64_t fixed(const float value) const {
    return static_cast<std::int64_t>(static_cast<double>(value) * scale);
  }

  /// The largest power of two at which the sum of all δ still fits 62 bits.
  KOKKOS_INLINE_FUNCTION void choose_scale() {
    float largest = 0.0f;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(member, section.n_spikes),
        [&](const std::uint32_t i, float& so_far) { so_far = delta[i] > so_far ? delta[i] : so_far; },
        Kokkos::Max<float>(largest));
    if (largest > 0.0f)
      scale = Kokkos::exp2(Kokkos::floor(61.0 - Kokkos::log2(static_cast<double>(largest)) -
                                         Kokkos::log2(static_cast<double>(section.n_spikes))));
  }

  KOKKOS_INLINE_FUNCTION std::int64_t total() const {
    std::int64_t sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(member, section.n_spikes),
        [&](const std::uint32_t i, std::int64_t& so_far) { so_far += fixed(delta[i]); }, sum);
    return sum;
  }

  /// Draws candidates: point i covers its share of [0, total), in the order of the points.
  KOKKOS_INLINE_FUNCTION void draw(const std::uint32_t step, const std::int64_t sum) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, trials), [&](const int t) {
      const double unit = random_unit(seed, section.key, step, static_cast<std::uint32_t>(t));
      const auto place = static_cast<std::int64_t>(unit * static_cast<double>(sum));
      draws(t) = place < sum ? place : sum - 1;
    });
    member.team_barrier();
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(member, section.n_spikes),
                          [&](const std::uint32_t i, std::int64_t& before, const bool final) {
                            const std::int64_t share = fixed(delta[i]);
                            if (final)
                              for (int t = 0; t < trials; ++t)
                                if (before <= draws(t) && draws(t) < before + share) candidates(t) = i;
                            before += share;
                          });
    member.team_barrier();
  }

  /// Copies the candidates' features side by side; the last group's missing candidates repeat the first, so that
  /// scoring has a fixed trip count.
  KOKKOS_INLINE_FUNCTION void load_candidates() const {
    const auto padded = static_cast<std::uint32_t>(padded_trials(trials));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, padded * section.n_features), [&](const std::uint32_t i) {
      const std::uint32_t t = i % padded;
      const std::uint32_t candidate = candidates(t < static_cast<std::uint32_t>(trials) ? t : 0);
      candidate_points(i) = points[std::size_t{i / padded} * section.stride + candidate];
    });
    member.team_barrier();
  }

  /// Distances of all points to the candidates of one group, and the group's gains; one read of each point.
  KOKKOS_INLINE_FUNCTION void score_group(const int first) const {
    constexpr int width = points_at_once<Exec>;
    const int count = trials - first < candidate_group ? trials - first : candidate_group;
    Gains sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(member, section.stride / width),
        [&](const std::uint32_t pack, Gains& so_far) { score_pack<width>(pack * width, first, count, so_far); },
        Kokkos::Sum<Gains, Kokkos::AnonymousSpace>(sum));
    Kokkos::single(Kokkos::PerTeam(member), [&]() {
      for (int t = 0; t < count; ++t) gains(first + t) = sum.of[t];
    });
  }

  template <int width>
  KOKKOS_INLINE_FUNCTION void score_pack(const std::uint32_t point, const int first, const int count, Gains& so_far) const {
    const auto padded = static_cast<std::size_t>(padded_trials(trials));
    const std::uint32_t n_features = section.n_features;
    const std::size_t stride = section.stride;
    const float* x = points + point;
    const float* c = &candidate_points(first);
    float distance[candidate_group][width] = {};
    for (std::uint32_t f = 0; f < n_features; ++f, x += stride, c += padded)
      for (int t = 0; t < candidate_group; ++t) {
        const float of_candidate = c[t];
        for_lanes<width>([&](const int w) {
          const float difference = x[w] - of_candidate;
          distance[t][w] += difference * difference;
        });
      }
    std::int64_t before[width];
    for (int w = 0; w < width; ++w) before[w] = fixed(delta[point + w]);
    for (int t = 0; t < count; ++t) {
      float* const kept = candidate_distances + static_cast<std::size_t>(first + t) * stride + point;
      std::int64_t gain = 0;
      for (int w = 0; w < width; ++w) {
        const float after = distance[t][w] < delta[point + w] ? distance[t][w] : delta[point + w];
        gain += before[w] - fixed(after);
        kept[w] = after;
      }
      so_far.of[t] += gain;
    }
  }

  KOKKOS_INLINE_FUNCTION int best_candidate() const {
    int best = 0;
    for (int t = 1; t < trials; ++t)
      if (gains(t) > gains(best)) best = t;
    return best;
  }

  /// Takes a candidate as seed `label`: its scoring has left every point's δ with it.
  KOKKOS_INLINE_FUNCTION void take(const int candidate, const std::uint32_t label) const {
    const float* const distances = candidate_distances + static_cast<std::size_t>(candidate) * section.stride;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, section.n_spikes), [&](const std::uint32_t i) {
      if (distances[i] < delta[i]) {
        delta[i] = distances[i];
        labels[i] = label;
      }
    });
    member.team_barrier();
  }
};

template <class Exec>
struct SeedSections {
  Vector<SectionExtent, Exec> sections;
  Vector<float, Exec> points;
  Seeding<Exec> result;
  Vector<float, Exec> delta;                // [n_columns], |x|² on entry
  Vector<float, Exec> candidate_distances;  // [n_columns · trials]
  std::uint32_t most_features;
  int trials;
  std::uint64_t seed;

  std::size_t scratch_bytes() const {
    return Scratch<float, Exec>::shmem_size(most_features * static_cast<std::size_t>(padded_trials(trials))) +
           Scratch<std::uint32_t, Exec>::shmem_size(trials) + 2 * Scratch<std::int64_t, Exec>::shmem_size(trials);
  }

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const auto s = static_cast<std::uint32_t>(member.league_rank());
    const SectionExtent& section = sections(s);
    SectionSeeder<Exec> seeder{member,
                               section,
                               &points(section.first_point),
                               &delta(section.first_spike),
                               &result.labels(section.first_spike),
                               &candidate_distances(std::size_t{section.first_spike} * static_cast<std::size_t>(trials)),
                               Scratch<float, Exec>(member.team_scratch(0),
                                                    most_features * static_cast<std::size_t>(padded_trials(trials))),
                               Scratch<std::uint32_t, Exec>(member.team_scratch(0), trials),
                               Scratch<std::int64_t, Exec>(member.team_scratch(0), trials),
                               Scratch<std::int64_t, Exec>(member.team_scratch(0), trials),
                               trials,
                               seed};
    seeder.choose_scale();
    std::uint32_t found = 0;
    for (; found < section.n_seeds; ++found) {
      const std::int64_t sum = seeder.total();
      if (sum == 0) break;  // every point is a copy of a seed or of the origin
      seeder.draw(found, sum);
      seeder.load_candidates();
      for (int first = 0; first < trials; first += candidate_group) seeder.score_group(first);
      member.team_barrier();
      const int best = seeder.best_candidate();
      Kokkos::single(Kokkos::PerTeam(member), [&]() { result.seeds(s, found) = seeder.candidates(best); });
      seeder.take(best, found);
    }
    Kokkos::single(Kokkos::PerTeam(member), [&]() { result.n_seeds(s) = found; });
  }
};

}  // namespace

int seeding_trials(const SeedingOptions& options) {
  if (options.trials > 0) return options.trials;
  return 2 + static_cast<int>(std::floor(std::log(static_cast<double>(options.seeds))));
}

template <class Exec>
Seeding<Exec> seed_clusters(const Exec& exec, const SectionBatch<Exec>& batch, const Vector<float, Exec>& norms,
                            const SeedingOptions& options, std::uint64_t seed) {
  const int trials = seeding_trials(options);
  if (trials > max_trials) throw std::invalid_argument("seed_clusters: at most 16 trials");
  Seeding<Exec> result;
  result.labels = Vector<std::uint32_t, Exec>(unfilled(exec, "kokkosort::clustering::labels"), batch.n_columns);
  result.n_seeds = Vector<std::uint32_t, Exec>(unfilled(exec, "kokkosort::clustering::n_seeds"), batch.n_sections());
  result.seeds =
      Matrix<std::uint32_t, Exec>(unfilled(exec, "kokkosort::clustering::seeds"), batch.n_sections(), options.seeds);
  const Vector<float, Exec> delta(unfilled(exec, "kokkosort::clustering::delta"), batch.n_columns);
  const Vector<float, Exec> distances(unfilled(exec, "kokkosort::clustering::candidate_distances"),
                                      std::size_t{batch.n_columns} * static_cast<std::size_t>(trials));
  Kokkos::deep_copy(exec, result.labels, 0u);
  Kokkos::deep_copy(exec, delta, norms);

  std::uint32_t most_features = 0;
  for (const SectionExtent& section : batch.extents) most_features = std::max(most_features, section.n_features);
  const SeedSections<Exec> kernel{batch.sections, batch.points, result, delta, distances, most_features, trials, seed};

  const auto n_sections = static_cast<int>(batch.n_sections());
  const auto scratch = Kokkos::PerTeam(kernel.scratch_bytes());
  const int team_size =
      runs_on_host<Exec>
          ? 1
          : std::min(512, Kokkos::TeamPolicy<Exec>(exec, n_sections, 1)
                              .set_scratch_size(0, scratch)
                              .team_size_max(kernel, Kokkos::ParallelForTag()));
  Kokkos::parallel_for("kokkosort::clustering::seed_sections",
                       Kokkos::TeamPolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>>(exec, n_sections, team_size)
                           .set_scratch_size(0, scratch),
                       kernel);
  return result;
}

#define INSTANTIATE(Exec)                                                                                \
  template Seeding<Exec> seed_clusters(const Exec&, const SectionBatch<Exec>&, const Vector<float, Exec>&, \
                                       const SeedingOptions&, std::uint64_t);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
