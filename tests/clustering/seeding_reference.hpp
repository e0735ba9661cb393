#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "clustering/make_features.hpp"
#include "host_copies.hpp"
#include "kokkosort/clustering/neighbours.hpp"
#include "kokkosort/clustering/seeding.hpp"
#include "kokkosort/random.hpp"

namespace kokkosort::test {

/// A section's seeds and labels on the host.
struct FoundSeeds {
  std::vector<std::uint32_t> seeds;
  std::vector<std::uint32_t> labels;
  bool operator==(const FoundSeeds&) const = default;
};

template <class Exec>
std::vector<FoundSeeds> to_found_seeds(const BatchProblem<Exec>& problem, const Seeding<Exec>& seeding) {
  problem.exec.fence();
  const auto labels = to_host(seeding.labels);
  const auto n_seeds = to_host(seeding.n_seeds);
  const auto seeds = to_host(seeding.seeds);
  std::vector<FoundSeeds> found;
  for (std::size_t s = 0; s < problem.batch.n_sections(); ++s) {
    const SectionExtent& section = problem.batch.extents[s];
    const auto first_seed = seeds.begin() + static_cast<std::ptrdiff_t>(s * seeding.seeds.extent(1));
    const auto first_label = labels.begin() + section.first_spike;
    found.push_back({{first_seed, first_seed + n_seeds[s]}, {first_label, first_label + section.n_spikes}});
  }
  return found;
}

template <class Exec>
std::vector<FoundSeeds> find_seeds(BatchProblem<Exec>& problem) {
  const auto graph = find_neighbours(problem.exec, problem.batch, problem.options.neighbours, problem.ledger);
  return to_found_seeds(problem, seed_clusters(problem.exec, problem.batch, graph.norms, problem.options.seeding,
                                               problem.options.seed, problem.ledger));
}

using Points = std::vector<std::vector<double>>;

/// Greedy k-means++ with plain loops, for points whose squared distances are whole numbers: then every sum of
/// δ is exact, and so are the draws.
class DirectSeeding {
 public:
  DirectSeeding(const Points& points, std::uint64_t seed, std::uint32_t key)
      : points_(points), seed_(seed), key_(key), labels_(points.size(), 0) {
    for (const auto& x : points) delta_.push_back(static_cast<std::int64_t>(squared_length(x)));
  }

  std::int64_t total() const { return std::accumulate(delta_.begin(), delta_.end(), std::int64_t{0}); }

  /// The points that a step draws, with probability ∝ δ.
  std::vector<std::uint32_t> draw(std::uint32_t step, int trials) const {
    std::vector<std::uint32_t> candidates;
    for (int t = 0; t < trials; ++t) {
      const double place =
          random_unit(seed_, key_, step, static_cast<std::uint32_t>(t)) * static_cast<double>(total());
      std::int64_t before = 0;
      std::uint32_t point = 0;
      while (place >= static_cast<double>(before + delta_[point])) before += delta_[point++];
      candidates.push_back(point);
    }
    return candidates;
  }

  std::int64_t gain(std::uint32_t candidate) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < points_.size(); ++i)
      sum += std::max<std::int64_t>(0, delta_[i] - distance(i, candidate));
    return sum;
  }

  void take(std::uint32_t candidate, std::uint32_t label) {
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (distance(i, candidate) < delta_[i]) {
        delta_[i] = distance(i, candidate);
        labels_[i] = label;
      }
  }

  const std::vector<std::uint32_t>& labels() const { return labels_; }

  FoundSeeds run(std::uint32_t wanted, int trials) {
    FoundSeeds result;
    for (std::uint32_t step = 0; step < wanted && total() > 0; ++step) {
      const auto candidates = draw(step, trials);
      std::uint32_t best = candidates[0];
      for (const std::uint32_t candidate : candidates)
        if (gain(candidate) > gain(best)) best = candidate;
      take(best, step);
      result.seeds.push_back(best);
    }
    result.labels = labels_;
    return result;
  }

 private:
  std::int64_t distance(std::size_t i, std::uint32_t candidate) const {
    return static_cast<std::int64_t>(squared_distance(points_[i], points_[candidate]));
  }

  const Points& points_;
  std::uint64_t seed_;
  std::uint32_t key_;
  std::vector<std::int64_t> delta_;
  std::vector<std::uint32_t> labels_;
};

}  // namespace kokkosort::test
