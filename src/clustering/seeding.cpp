#include "kokkosort/clustering/seeding.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "clustering/seed_step.hpp"
#include "core/instantiate.hpp"
#include "core/light.hpp"
#include "core/transfers.hpp"

namespace kokkosort {
namespace {

/// Threads of a team and vector lanes of a thread. On a GPU a thread is what draws for one trial.
struct TeamShape {
  int threads;
  int lanes;
};
template <class Exec>
constexpr TeamShape step_team = runs_on_host<Exec> ? TeamShape{1, 1} : TeamShape{8, 32};

/// Points of one sum: few, since a lane adds them up, but no more than some hundred sums a section, which all teams read.
std::uint32_t sum_points(const std::vector<SectionExtent>& sections, std::uint32_t block) {
  constexpr std::uint32_t most_sums = 512;
  std::uint32_t most_spikes = 0;
  for (const SectionExtent& section : sections) most_spikes = std::max(most_spikes, section.n_spikes);
  std::uint32_t points = column_padding;
  while (points * most_sums < most_spikes && block % (2 * points) == 0) points *= 2;
  return points;
}

/// Many small teams end a step soonest; where there are more than the device can hold at once, fewer and larger ones
/// repeat less of the work that each does for itself. On a CPU there are few threads, hence few teams.
template <class Exec>
std::uint32_t block_points(const Exec& exec, const SectionBatch<Exec>& batch, const SeedingOptions& options) {
  if (options.block_points > 0) return static_cast<std::uint32_t>(options.block_points);
  if (runs_on_host<Exec>) {
    const std::uint32_t a_thread = batch.n_columns / static_cast<std::uint32_t>(exec.concurrency());
    return std::clamp((a_thread / column_padding + 1) * column_padding, 256u, std::uint32_t{max_block_points});
  }
  return std::size_t{batch.n_columns} * 4 < static_cast<std::size_t>(exec.concurrency()) ? 256 : 512;
}

/// Chooses each section's fixed point, and leaves what a step would that changed nothing, so that the first step needs no
/// case of its own. A team does a section.
template <class Exec>
struct StartSeeding {
  SeedStep<Exec> step;

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    const auto s = static_cast<std::uint32_t>(member.league_rank());
    const SectionExtent& section = step.sections(s);
    const SeedingState<Exec>& state = step.state;
    float largest = 0.0f;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(member, section.n_spikes),
        [&](const std::uint32_t i, float& so_far) {
          const float delta = state.delta(section.first_spike + i);
          so_far = delta > so_far ? delta : so_far;
        },
        Kokkos::Max<float>(largest));
    const FixedPoint fixed(largest, section.n_spikes);
    Kokkos::single(Kokkos::PerTeam(member), [&]() {
      state.fixed_point(s) = fixed;
      step.result.n_seeds(s) = section.n_seeds;
    });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, section.stride), [&](const std::uint32_t i) {
      step.result.labels(section.first_spike + i) = 0;
      state.trial_delta(step.trials, section.first_spike + i) = state.delta(section.first_spike + i);
    });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, state.sums(s).count), [&](const std::uint32_t i) {
      std::int64_t sum = 0;
      const std::uint32_t first = i * step.sum_points;
      for (std::uint32_t point = first; point < first + step.sum_points && point < section.n_spikes; ++point)
        sum += fixed(state.delta(section.first_spike + point));
      for (int t = 0; t < step.trials; ++t) state.trial_sums(step.trials + t, state.sums(s).first + i) = sum;
    });
  }
};

/// All steps of a task that is a whole section.
template <class Exec>
struct SeedSections {
  SeedStep<Exec> step;

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Exec>& member) const {
    auto team = step.team(member);
    for (; team.step <= team.section.n_seeds; ++team.step) {
      step.run(team);
      member.team_barrier();
    }
  }
};

/// A launch for all steps leaves no section shared by teams; a launch for each step lets all teams work on one section.
template <class Exec>
bool one_launch(const Exec& exec, const SectionBatch<Exec>& batch, const SeedingOptions& options) {
  if (options.launches != SeedingLaunches::automatic) return options.launches == SeedingLaunches::one;
  // A CPU's core keeps a section's points in its cache from step to step. On a GPU a step is over sooner with all of it.
  return runs_on_host<Exec> && batch.n_sections() >= static_cast<std::size_t>(exec.concurrency());
}

template <class Exec>
std::vector<SeedingTask> plan_tasks(const SectionBatch<Exec>& batch, std::uint32_t block, bool whole_sections) {
  std::vector<SeedingTask> tasks;
  for (std::uint32_t s = 0; s < batch.n_sections(); ++s) {
    const std::uint32_t stride = batch.extents[s].stride;
    const std::uint32_t points = whole_sections ? stride : block;
    for (std::uint32_t first = 0; first < stride; first += points)
      tasks.push_back({s, first, std::min(first + points, stride)});
  }
  return tasks;
}

template <class Exec>
SeedingState<Exec> allocate_state(const Exec& exec, const SectionBatch<Exec>& batch, const SeedingOptions& options,
                                  std::uint32_t points_of_sum, TransferLedger& ledger) {
  const auto trials = static_cast<std::size_t>(seeding_trials(options));
  std::vector<SectionSums> sums;
  std::uint32_t n_sums = 0;
  for (const SectionExtent& section : batch.extents) {
    sums.push_back({n_sums, (section.stride + points_of_sum - 1) / points_of_sum});
    n_sums += sums.back().count;
  }
  SeedingState<Exec> state;
  state.sums = upload_vector(exec, ledger, "clustering", "seeding_sums", sums);
  state.delta = Vector<float, Exec>(unfilled(exec, "kokkosort::clustering::delta"), batch.n_columns);
  state.fixed_point = Vector<FixedPoint, Exec>(unfilled(exec, "kokkosort::clustering::fixed_point"), batch.n_sections());
  state.trial_delta =
      Matrix<float, Exec>(unfilled(exec, "kokkosort::clustering::trial_delta"), 2 * trials, batch.n_columns);
  state.trial_sums = Matrix<std::int64_t, Exec>(unfilled(exec, "kokkosort::clustering::trial_sums"), 2 * trials, n_sums);
  state.candidates =
      Matrix<std::uint32_t, Exec>(unfilled(exec, "kokkosort::clustering::candidates"), batch.n_sections(), 2 * trials);
  return state;
}

template <class Exec, class Kernel>
void launch(const Exec& exec, const std::string& label, const Kernel& kernel, std::size_t n_teams, std::size_t scratch) {
  constexpr TeamShape shape = step_team<Exec>;
  const auto policy = Kokkos::TeamPolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>>(exec, static_cast<int>(n_teams),
                                                                                  shape.threads, shape.lanes)
                          .set_scratch_size(0, Kokkos::PerTeam(scratch));
  Kokkos::parallel_for(label, light(policy), kernel);
}

}  // namespace

int seeding_trials(const SeedingOptions& options) {
  if (options.trials > 0) return options.trials;
  return 2 + static_cast<int>(std::floor(std::log(static_cast<double>(options.seeds))));
}

template <class Exec>
Seeding<Exec> seed_clusters(const Exec& exec, const SectionBatch<Exec>& batch, const Vector<float, Exec>& norms,
                            const SeedingOptions& options, std::uint64_t seed, TransferLedger& ledger) {
  if (seeding_trials(options) > max_trials) throw std::invalid_argument("seed_clusters: at most 16 trials");
  if (options.block_points < 0 || options.block_points > max_block_points ||
      options.block_points % static_cast<int>(column_padding) != 0)
    throw std::invalid_argument("seed_clusters: block_points must be a multiple of 16, at most 1024");
  std::uint32_t most_features = 0;
  std::uint32_t most_seeds = 0;
  for (const SectionExtent& section : batch.extents) {
    most_features = std::max(most_features, section.n_features);
    most_seeds = std::max(most_seeds, section.n_seeds);
  }
  const bool whole_sections = one_launch(exec, batch, options);
  const std::uint32_t block = block_points(exec, batch, options);
  const std::uint32_t points_of_sum = sum_points(batch.extents, block);
  const std::vector<SeedingTask> tasks = plan_tasks(batch, block, whole_sections);
  SeedStep<Exec> step{batch.sections,
                      upload_vector(exec, ledger, "clustering", "seeding_tasks", tasks),
                      batch.points,
                      allocate_state(exec, batch, options, points_of_sum, ledger),
                      allocate_seeding(exec, batch, options),
                      block,
                      points_of_sum,
                      most_features,
                      seeding_trials(options),
                      seed};
  Kokkos::deep_copy(exec, step.state.delta, norms);
  launch(exec, "kokkosort::clustering::start_seeding", StartSeeding<Exec>{step}, batch.n_sections(), 0);
  if (whole_sections) {
    launch(exec, "kokkosort::clustering::seed_sections", SeedSections<Exec>{step}, tasks.size(), step.scratch_bytes());
  } else {
    for (; step.step <= most_seeds; ++step.step)
      launch(exec, "kokkosort::clustering::seed_step", step, tasks.size(), step.scratch_bytes());
  }
  return step.result;
}

#define INSTANTIATE(Exec)                                                                                \
  template Seeding<Exec> seed_clusters(const Exec&, const SectionBatch<Exec>&, const Vector<float, Exec>&, \
                                       const SeedingOptions&, std::uint64_t, TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
