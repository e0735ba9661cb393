#include <fmt/format.h>

#include <stdexcept>

#include "kokkosort/clustering/blocked_seeding.hpp"
#include "kokkosort/clustering/neighbours.hpp"
#include "kokkosort/clustering/seeding.hpp"
#include "sweep/reference/check_seeding.hpp"
#include "sweep/sweep_kernel.hpp"
#include "sweep/sweep_problem.hpp"

namespace kokkosort {
namespace {

const Tunable trials_tunable{"trials", "candidates scored for each seed; 0: 2 + floor(ln seeds)", 0, max_trials, 0};
const Tunable seeds_tunable{"seeds", "seeds of each section", 1, 100000, 200};

ClusteringOptions seeding_options(const TunableValues& values) {
  ClusteringOptions options;
  options.seeding.seeds = static_cast<int>(values.at("seeds"));
  options.seeding.spikes_per_seed = 1;  // as many seeds as were asked for, also of few points
  options.seeding.trials = static_cast<int>(values.at("trials"));
  return options;
}

/// What both ways of seeding share.
class SeedingKernel : public SweepKernel {
 public:
  SeedingKernel(const SweepProblem& problem, const ClusteringOptions& options)
      : sections_(problem, options), norms_(squared_norms(sections_.exec, sections_.batch)) {
    for (const SectionExtent& section : sections_.batch.extents)
      if (section.n_seeds < static_cast<std::uint32_t>(options.seeding.seeds))
        throw std::invalid_argument(fmt::format("a section has {} points, fewer than seeds", section.n_spikes));
  }

  std::string check() const override {
    const auto labels = values_of(sections_.exec, found_.labels);
    const auto n_seeds = values_of(sections_.exec, found_.n_seeds);
    const auto seeds = values_of(sections_.exec, found_.seeds);
    for (std::size_t s = 0; s < sections_.batch.n_sections(); ++s) {
      const SectionExtent& section = sections_.batch.extents[s];
      const auto first_seed = seeds.begin() + static_cast<std::ptrdiff_t>(s * found_.seeds.extent(1));
      const auto first_label = labels.begin() + section.first_spike;
      const FoundSeeding found{{first_seed, first_seed + n_seeds[s]}, {first_label, first_label + section.n_spikes}};
      const std::string wrong = check_seeding(sections_.points(s), found, section.n_seeds, seeding_trials(seeding()),
                                              sections_.options.seed, section.key);
      if (!wrong.empty()) return wrong_in_section(s, wrong);
    }
    return {};
  }

  /// A subtraction and a multiply-add for each feature, point, trial and seed found; each seed reads the points once.
  Work work() const override {
    Work work;
    const auto n_seeds = values_of(sections_.exec, found_.n_seeds);
    for (std::size_t s = 0; s < n_seeds.size(); ++s) {
      const SectionExtent& section = sections_.batch.extents[s];
      const double reads = 1.0 * section.n_features * section.n_spikes * n_seeds[s];
      work.flops += 3.0 * seeding_trials(seeding()) * reads;
      work.bytes += sizeof(float) * reads;
    }
    return work;
  }

 protected:
  const SeedingOptions& seeding() const { return sections_.options.seeding; }

  SweepBatch sections_;
  Vector<float, SweepExec> norms_;
  Seeding<SweepExec> found_;
};

class BlockedSeedingKernel : public SeedingKernel {
 public:
  BlockedSeedingKernel(const SweepProblem& problem, const TunableValues& values)
      : SeedingKernel(problem, seeding_options(values)),
        blocked_{seeding(), static_cast<int>(values.at("block")), values.at("host_draws") != 0} {}

  void run() override {
    found_ = seed_clusters_blocked(sections_.exec, sections_.batch, norms_, blocked_, sections_.options.seed,
                                   sections_.ledger);
  }

 private:
  BlockedSeedingOptions blocked_;
};

ClusteringOptions step_options(const TunableValues& values) {
  ClusteringOptions options = seeding_options(values);
  options.seeding.block_points = static_cast<int>(column_padding * values.at("block_packs"));
  options.seeding.launches = static_cast<SeedingLaunches>(values.at("launches"));
  return options;
}

class SeedingStepsKernel : public SeedingKernel {
 public:
  SeedingStepsKernel(const SweepProblem& problem, const TunableValues& values)
      : SeedingKernel(problem, step_options(values)) {}

  void run() override {
    found_ = seed_clusters(sections_.exec, sections_.batch, norms_, seeding(), sections_.options.seed, sections_.ledger);
  }
};

}  // namespace

SweepKernelInfo seeding_kernel() {
  return {"seeding",
          "k-means++ the simple way: a thread scores one candidate on one block of points",
          {{"block", "points per thread of the scoring kernel", 1, 1 << 20, 16},
           trials_tunable,
           seeds_tunable,
           {"host_draws", "draw and pick on the host: two round trips for each seed", 0, 1, 0}},
          [](const SweepProblem& problem, const TunableValues& values) {
            return std::make_unique<BlockedSeedingKernel>(problem, values);
          }};
}

SweepKernelInfo seeding_steps_kernel() {
  return {"seeding_steps",
          "k-means++ as clustering does it: all candidates of a draw scored in one read of each point",
          {{"block_packs", "points that a team scores at once, in packs of 16; 0: what suits the device", 0, max_block_points / 16, 0},
           trials_tunable,
           seeds_tunable,
           {"launches", "1: a team does all steps of a section; 2: a launch does one step of all sections; 0: the faster", 0,
            2, 0}},
          [](const SweepProblem& problem, const TunableValues& values) {
            return std::make_unique<SeedingStepsKernel>(problem, values);
          }};
}

}  // namespace kokkosort
