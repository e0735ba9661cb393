#include "kokkosort/clustering/blocked_seeding.hpp"

#include <algorithm>
#include <stdexcept>

#include "clustering/seeding_parts.hpp"
#include "core/fixed_point.hpp"
#include "core/instantiate.hpp"
#include "core/light.hpp"

namespace kokkosort {
namespace {

/// One section's points and the state that its kernels hand on to each other.
template <class Exec>
struct BlockedSection {
  SectionExtent section;
  Vector<float, Exec> points;
  Vector<float, Exec> delta;                  // [n_columns]
  Vector<std::uint32_t, Exec> labels;         // [n_columns]
  Vector<FixedPoint, Exec> fixed_point;       // [1]
  Vector<std::int64_t, Exec> shares;          // [n_spikes], Σδ of the points up to each, itself included
  Vector<std::int64_t, Exec> places;          // [trials], in [0, Σδ)
  Vector<std::uint32_t, Exec> candidates;     // [trials]
  Vector<std::int64_t, Exec> gains;           // [trials], what each candidate takes off Σδ
  Matrix<float, Exec> distances;              // [trials, n_columns]
  int trials;

  KOKKOS_INLINE_FUNCTION std::int64_t total() const { return shares(section.n_spikes - 1); }

  KOKKOS_INLINE_FUNCTION int best_candidate() const {
    int best = 0;
    for (int t = 1; t < trials; ++t)
      if (gains(t) > gains(best)) best = t;
    return best;
  }
};

template <class Exec>
struct SumShares : BlockedSection<Exec> {
  KOKKOS_INLINE_FUNCTION void operator()(const std::uint32_t i, std::int64_t& so_far, const bool final) const {
    so_far += this->fixed_point(0)(this->delta(this->section.first_spike + i));
    if (final) this->shares(i) = so_far;
  }
};

template <class Exec>
struct DrawPlaces : BlockedSection<Exec> {
  std::uint64_t seed;
  std::uint32_t step;

  KOKKOS_INLINE_FUNCTION void operator()(const int t) const {
    this->places(t) = place_of_draw(seed, this->section.key, step, t, this->total());
  }
};

/// The first point whose share reaches past the place.
template <class Exec>
struct FindCandidates : BlockedSection<Exec> {
  KOKKOS_INLINE_FUNCTION void operator()(const int t) const {
    std::uint32_t low = 0;
    std::uint32_t high = this->section.n_spikes - 1;
    while (low < high) {
      const std::uint32_t middle = (low + high) / 2;
      if (this->shares(middle) > this->places(t))
        high = middle;
      else
        low = middle + 1;
    }
    this->candidates(t) = low;
    this->gains(t) = 0;
  }
};

template <class Exec>
struct ScoreBlocks : BlockedSection<Exec> {
  std::uint32_t block;
  std::uint32_t n_blocks;

  KOKKOS_INLINE_FUNCTION void operator()(const std::uint32_t i) const {
    const auto t = static_cast<int>(i / n_blocks);
    const std::uint32_t first = i % n_blocks * block;
    const std::uint32_t last = Kokkos::min(first + block, this->section.n_spikes);
    const FixedPoint fixed = this->fixed_point(0);
    std::int64_t gain = 0;
    for (std::uint32_t point = first; point < last; ++point) {
      const std::uint32_t column = this->section.first_spike + point;
      const float distance = distance_to(this->candidates(t), point);
      this->distances(t, column) = distance;
      if (distance < this->delta(column)) gain += fixed(this->delta(column)) - fixed(distance);
    }
    Kokkos::atomic_add(&this->gains(t), gain);
  }

  KOKKOS_INLINE_FUNCTION float distance_to(const std::uint32_t candidate, const std::uint32_t point) const {
    const float* const x = &this->points(this->section.first_point);
    float sum = 0.0f;
    for (std::uint32_t f = 0; f < this->section.n_features; ++f) {
      const float difference = x[std::size_t{f} * this->section.stride + point] - x[std::size_t{f} * this->section.stride + candidate];
      sum += difference * difference;
    }
    return sum;
  }
};

template <class Exec>
struct TakeBest : BlockedSection<Exec> {
  Vector<std::uint32_t, Exec> seeds;    // [seeds] of the section
  Vector<std::uint32_t, Exec> n_seeds;  // [1]
  std::uint32_t step;
  int picked;  // by the host; -1: it has not

  KOKKOS_INLINE_FUNCTION void operator()(const std::uint32_t i) const {
    if (this->total() == 0) return;  // every point is a copy of a seed or of the origin
    const int best = picked >= 0 ? picked : this->best_candidate();
    const std::uint32_t column = this->section.first_spike + i;
    if (this->distances(best, column) < this->delta(column)) {
      this->delta(column) = this->distances(best, column);
      this->labels(column) = step;
    }
    if (i > 0) return;
    seeds(step) = this->candidates(best);
    n_seeds(0) = step + 1;
  }
};

/// Queues, or with host draws takes, the steps of one section.
template <class Exec>
class BlockedSeeder {
 public:
  BlockedSeeder(const Exec& exec, const BlockedSection<Exec>& state, const BlockedSeedingOptions& options,
                std::uint64_t seed, TransferLedger& ledger)
      : exec_(exec), state_(state), options_(options), seed_(seed), ledger_(ledger) {}

  void run(const Vector<std::uint32_t, Exec>& seeds, const Vector<std::uint32_t, Exec>& n_seeds) {
    for (std::uint32_t step = 0; step < state_.section.n_seeds; ++step) {
      Kokkos::parallel_scan("kokkosort::clustering::sum_shares", light(Kokkos::RangePolicy<Exec>(exec_, 0, state_.section.n_spikes)),
                            SumShares<Exec>{state_});
      if (options_.host_draws) {
        if (!draw_on_host(step)) return;
      } else {
        Kokkos::parallel_for("kokkosort::clustering::draw_places", light(Kokkos::RangePolicy<Exec>(exec_, 0, state_.trials)),
                             DrawPlaces<Exec>{state_, seed_, step});
      }
      score();
      Kokkos::parallel_for("kokkosort::clustering::take_best", light(Kokkos::RangePolicy<Exec>(exec_, 0, state_.section.n_spikes)),
                           TakeBest<Exec>{state_, seeds, n_seeds, step, options_.host_draws ? pick_on_host() : -1});
    }
  }

 private:
  void score() {
    Kokkos::parallel_for("kokkosort::clustering::find_candidates", light(Kokkos::RangePolicy<Exec>(exec_, 0, state_.trials)),
                         FindCandidates<Exec>{state_});
    const auto block = static_cast<std::uint32_t>(options_.block);
    const std::uint32_t n_blocks = (state_.section.n_spikes + block - 1) / block;
    Kokkos::parallel_for("kokkosort::clustering::score_blocks",
                         light(Kokkos::RangePolicy<Exec>(exec_, 0, n_blocks * static_cast<std::uint32_t>(state_.trials))),
                         ScoreBlocks<Exec>{state_, block, n_blocks});
  }

  /// @return whether there is anything left to draw
  bool draw_on_host(std::uint32_t step) {
    const std::uint32_t last = state_.section.n_spikes - 1;
    const HostVector<std::int64_t> total("kokkosort::clustering::total_on_host", 1);
    copy_down(exec_, ledger_, "clustering", "seeding_total", total,
              Vector<std::int64_t, Exec>(Kokkos::subview(state_.shares, std::make_pair(last, last + 1))));
    if (total(0) == 0) return false;
    const HostVector<std::int64_t> places("kokkosort::clustering::places_on_host", static_cast<std::size_t>(state_.trials));
    for (int t = 0; t < state_.trials; ++t) places(t) = place_of_draw(seed_, state_.section.key, step, t, total(0));
    copy_up(exec_, ledger_, "clustering", "seeding_places", state_.places, places);
    exec_.fence("kokkosort::clustering::places_are_up");
    return true;
  }

  int pick_on_host() {
    const HostVector<std::int64_t> gains("kokkosort::clustering::gains_on_host", static_cast<std::size_t>(state_.trials));
    copy_down(exec_, ledger_, "clustering", "seeding_gains", gains, state_.gains);
    return static_cast<int>(std::max_element(gains.data(), gains.data() + state_.trials) - gains.data());
  }

  const Exec& exec_;
  const BlockedSection<Exec>& state_;
  const BlockedSeedingOptions& options_;
  std::uint64_t seed_;
  TransferLedger& ledger_;
};

template <class Exec>
void choose_fixed_point(const Exec& exec, const BlockedSection<Exec>& state) {
  Kokkos::parallel_for(
      "kokkosort::clustering::choose_fixed_point", Kokkos::TeamPolicy<Exec>(exec, 1, Kokkos::AUTO),
      KOKKOS_LAMBDA(const TeamMember<Exec>& member) {
        float largest = 0.0f;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(member, state.section.n_spikes),
            [&](const std::uint32_t i, float& so_far) { so_far = Kokkos::max(so_far, state.delta(state.section.first_spike + i)); },
            Kokkos::Max<float>(largest));
        Kokkos::single(Kokkos::PerTeam(member), [&]() { state.fixed_point(0) = FixedPoint(largest, state.section.n_spikes); });
      });
}

}  // namespace

template <class Exec>
Seeding<Exec> seed_clusters_blocked(const Exec& exec, const SectionBatch<Exec>& batch, const Vector<float, Exec>& norms,
                                    const BlockedSeedingOptions& options, std::uint64_t seed, TransferLedger& ledger) {
  if (options.block < 1) throw std::invalid_argument("seed_clusters_blocked: block must be 1 or more");
  const int trials = seeding_trials(options.seeding);
  const auto n_trials = static_cast<std::size_t>(trials);
  const Seeding<Exec> result = allocate_seeding(exec, batch, options.seeding);
  Kokkos::deep_copy(exec, result.labels, 0u);
  Kokkos::deep_copy(exec, result.n_seeds, 0u);
  const Vector<float, Exec> delta(unfilled(exec, "kokkosort::clustering::delta"), batch.n_columns);
  Kokkos::deep_copy(exec, delta, norms);
  const Matrix<float, Exec> distances(unfilled(exec, "kokkosort::clustering::candidate_distances"), n_trials, batch.n_columns);

  for (std::uint32_t s = 0; s < batch.n_sections(); ++s) {
    const SectionExtent& section = batch.extents[s];
    const BlockedSection<Exec> state{section,
                                     batch.points,
                                     delta,
                                     result.labels,
                                     Vector<FixedPoint, Exec>(unfilled(exec, "kokkosort::clustering::fixed_point"), 1),
                                     Vector<std::int64_t, Exec>(unfilled(exec, "kokkosort::clustering::shares"), section.n_spikes),
                                     Vector<std::int64_t, Exec>(unfilled(exec, "kokkosort::clustering::places"), n_trials),
                                     Vector<std::uint32_t, Exec>(unfilled(exec, "kokkosort::clustering::candidates"), n_trials),
                                     Vector<std::int64_t, Exec>(unfilled(exec, "kokkosort::clustering::gains"), n_trials),
                                     distances,
                                     trials};
    choose_fixed_point(exec, state);
    const auto place = std::make_pair(s, s + 1);
    BlockedSeeder<Exec>(exec, state, options, seed, ledger)
        .run(Kokkos::subview(result.seeds, s, Kokkos::ALL), Kokkos::subview(result.n_seeds, place));
  }
  return result;
}

#define INSTANTIATE(Exec)                                                                                          \
  template Seeding<Exec> seed_clusters_blocked(const Exec&, const SectionBatch<Exec>&, const Vector<float, Exec>&, \
                                               const BlockedSeedingOptions&, std::uint64_t, TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
