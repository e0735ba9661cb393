#include "curation/merge_units.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>

#include "core/instantiate.hpp"
#include "curation/similarity.hpp"
#include "kokkosort/templates/pc_products.hpp"
#include "templates/pair_bimodality.hpp"
#include "templates/template_energy.hpp"

namespace kokkosort {
namespace {

/// Pairs of spikes within ±10 ms, were the trains independent.
double expected_pairs(const RefractoryScores& scores) {
  return 2.0 * CorrelogramCounter::rings * scores.baseline;
}

/// Whether two trains avoid each other, on enough pairs to tell.
bool is_cross_refractory(const RefractoryScores& scores, const CurationOptions& options) {
  return scores.ratio < options.max_merge_ratio && scores.probability < options.max_merge_probability &&
         expected_pairs(scores) >= options.min_expected_pairs;
}

/// Whether nothing in two trains' times says that they are two neurons': no pair within ±2 ms, and a gap if
/// there are enough pairs to see one. Without any pair at all they were not even seen side by side.
bool may_be_one(const CorrelogramCounts& counts, const RefractoryScores& scores,
                const CurationOptions& options) {
  constexpr int near_rings = 2;
  const auto near = [](const auto& counters) {
    return std::accumulate(counters.begin(), counters.begin() + near_rings, std::uint64_t{0});
  };
  const double expected = expected_pairs(scores);
  return expected > 0.0 && near(counts.later) + near(counts.sooner) == 0 &&
         (expected < options.min_expected_pairs || scores.ratio < options.max_merge_ratio);
}

template <class Exec>
class UnitMerger {
 public:
  UnitMerger(const Exec& exec, const CurationInput& input, const CurationOptions& options,
             WorkingUnits& units, TransferLedger& ledger)
      : exec_(exec),
        input_(input),
        options_(options),
        units_(units),
        ledger_(ledger),
        products_(pc_products(input.spikes.pcs.wPCA)),
        is_refractory_(units.size(), false) {
    std::vector<std::size_t> all(units.size());
    for (std::size_t unit = 0; unit < all.size(); ++unit) all[unit] = unit;
    judge(all);
  }

  /// Merges what can be, every unit at most once. @return how many merges
  std::size_t round() {
    std::vector<MergeCandidate> candidates =
        similar_units(exec_, input_, units_, options_.min_similarity, options_.device_limit_bytes, ledger_);
    std::erase_if(candidates, [this](const MergeCandidate& candidate) { return !can_merge(candidate); });
    keep_only(candidates, cross_refractory(candidates));
    keep_only(candidates, without_trough(candidates));

    std::set<std::int32_t> taken;
    std::vector<std::size_t> merged;
    for (const MergeCandidate& candidate : candidates) {
      if (taken.contains(candidate.kept) || taken.contains(candidate.other)) continue;
      const auto kept = static_cast<std::size_t>(candidate.kept);
      join_units(input_, products_, kept, static_cast<std::size_t>(candidate.other), candidate.shift, units_);
      merged.push_back(kept);
      taken.insert({candidate.kept, candidate.other});
    }
    std::erase_if(rejected_, [&taken](const auto& pair) {
      return taken.contains(pair.first) || taken.contains(pair.second);
    });
    judge(merged);
    return merged.size();
  }

 private:
  /// Looks at the gaps in units' own trains.
  void judge(const std::vector<std::size_t>& units) {
    std::vector<Train> trains;
    for (const std::size_t unit : units) trains.push_back(units_.trains[unit]);
    const std::vector<RefractoryScores> scores = own_scores(exec_, input_, trains, ledger_);
    for (std::size_t i = 0; i < units.size(); ++i)
      is_refractory_[units[i]] = is_refractory(scores[i], trains[i].size(), options_);
  }

  bool can_merge(const MergeCandidate& candidate) const {
    const auto kept = static_cast<std::size_t>(candidate.kept);
    const auto other = static_cast<std::size_t>(candidate.other);
    return (is_refractory_[kept] || are_twins(candidate)) && shank_of(kept) == shank_of(other) &&
           !rejected_.contains({candidate.kept, candidate.other});
  }

  /// Whether two units look the same in shape and size: two halves of the spread of one neuron's amplitudes.
  bool are_twins(const MergeCandidate& candidate) const {
    const double a = template_norm(units_.templates, static_cast<std::size_t>(candidate.kept));
    const double b = template_norm(units_.templates, static_cast<std::size_t>(candidate.other));
    return candidate.correlation >= options_.twin_similarity &&
           2.0 * std::abs(a - b) <= options_.max_twin_norm_difference * (a + b);
  }

  std::int32_t shank_of(std::size_t unit) const {
    return input_.spikes.probe.shank[static_cast<std::size_t>(units_.channel[unit])];
  }

  /// Those that did not pass are not tested again as they are.
  void keep_only(std::vector<MergeCandidate>& candidates, const std::vector<bool>& passed) {
    std::vector<MergeCandidate> kept;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      if (passed[k])
        kept.push_back(candidates[k]);
      else
        rejected_.insert({candidates[k].kept, candidates[k].other});
    }
    candidates.swap(kept);
  }

  std::vector<bool> cross_refractory(const std::vector<MergeCandidate>& candidates) const {
    std::vector<TrainPair> pairs;
    for (const MergeCandidate& candidate : candidates)
      pairs.push_back({static_cast<std::uint32_t>(candidate.kept),
                       static_cast<std::uint32_t>(candidate.other), -candidate.shift});
    const std::vector<CorrelogramCounts> counts =
        count_train_pairs(exec_, units_.trains, pairs, input_.spikes.sampling_rate_hz, ledger_);
    std::vector<bool> passed;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      const RefractoryScores scores = refractory_scores(counts[k]);
      passed.push_back(is_cross_refractory(scores, options_) ||
                       (are_twins(candidates[k]) && may_be_one(counts[k], scores, options_)));
    }
    return passed;
  }

  std::vector<bool> without_trough(const std::vector<MergeCandidate>& candidates) const {
    std::vector<SpikePair> pairs;
    std::vector<std::size_t> uncertain;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      const MergeCandidate& candidate = candidates[k];
      if (candidate.correlation >= options_.certain_similarity) continue;
      uncertain.push_back(k);
      pairs.push_back({shifted_spikes(candidate.kept, 0), shifted_spikes(candidate.other, candidate.shift)});
    }
    const std::vector<double> scores =
        pair_bimodality(exec_, input_.spikes, products_, pairs, options_.device_limit_bytes, ledger_);
    std::vector<bool> passed(candidates.size(), true);
    for (std::size_t i = 0; i < uncertain.size(); ++i)
      passed[uncertain[i]] = scores[i] < options_.min_bimodality;
    return passed;
  }

  std::vector<ShiftedSpike> shifted_spikes(std::int32_t unit, std::int32_t shift) const {
    std::vector<ShiftedSpike> shifted;
    for (const std::int64_t spike : units_.spikes[static_cast<std::size_t>(unit)]) {
      const auto cluster = static_cast<std::size_t>(input_.labels[static_cast<std::size_t>(spike)]);
      shifted.push_back({spike, units_.shift_of[cluster] + shift});
    }
    return shifted;
  }

  const Exec& exec_;
  const CurationInput& input_;
  const CurationOptions& options_;
  WorkingUnits& units_;
  TransferLedger& ledger_;
  HostMatrix<float> products_;
  std::vector<bool> is_refractory_;                           // [units]
  std::set<std::pair<std::int32_t, std::int32_t>> rejected_;  // pairs that are two neurons, as they are now
};

}  // namespace

template <class Exec>
std::vector<RefractoryScores> own_scores(const Exec& exec, const CurationInput& input,
                                         const std::vector<Train>& trains, TransferLedger& ledger) {
  std::vector<TrainPair> pairs;
  for (std::size_t train = 0; train < trains.size(); ++train)
    pairs.push_back({static_cast<std::uint32_t>(train), static_cast<std::uint32_t>(train)});
  std::vector<RefractoryScores> scores;
  for (const CorrelogramCounts& counts :
       count_train_pairs(exec, trains, pairs, input.spikes.sampling_rate_hz, ledger))
    scores.push_back(refractory_scores(counts));
  return scores;
}

bool is_refractory(const RefractoryScores& own, std::size_t n_spikes, const CurationOptions& options) {
  return static_cast<std::int64_t>(n_spikes) > options.min_spikes &&
         own.ratio < options.max_refractory_ratio && own.probability < options.max_refractory_probability;
}

template <class Exec>
std::size_t merge_units(const Exec& exec, const CurationInput& input, const CurationOptions& options,
                        WorkingUnits& units, TransferLedger& ledger) {
  UnitMerger<Exec> merger(exec, input, options, units, ledger);
  std::size_t merges = 0;
  while (const std::size_t more = merger.round()) merges += more;
  return merges;
}

#define INSTANTIATE(Exec)                                                                                    \
  template std::vector<RefractoryScores> own_scores(const Exec&, const CurationInput&,                       \
                                                    const std::vector<Train>&, TransferLedger&);             \
  template std::size_t merge_units(const Exec&, const CurationInput&, const CurationOptions&, WorkingUnits&, \
                                   TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
