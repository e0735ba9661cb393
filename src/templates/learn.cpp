#include "kokkosort/templates/learn.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "core/groups.hpp"
#include "core/host_loop.hpp"
#include "core/instantiate.hpp"
#include "kokkosort/templates/pc_products.hpp"
#include "templates/candidates.hpp"
#include "templates/pair_bimodality.hpp"
#include "templates/template_energy.hpp"

namespace kokkosort {
namespace {

/// Templates while they merge. A template that was merged into another keeps its place, with no spikes.
class TemplateMerger {
 public:
  TemplateMerger(const SpikeFeatures& spikes, const std::vector<std::int32_t>& labels,
                 const HostTensor3<float>& means)
      : spikes_(spikes),
        products_(pc_products(spikes.pcs.wPCA)),
        templates_("kokkosort::templates::merging", means.extent(0), means.extent(1), means.extent(2)),
        n_spikes_(means.extent(0), 0),
        spikes_of_(labels.data(), labels.size(), means.extent(0)),
        shift_of_(alignment_shifts(spikes.pcs, means)) {
    for (std::size_t unit = 0; unit < means.extent(0); ++unit) {
      n_spikes_[unit] = static_cast<std::int64_t>(spikes_of_.of(unit).size());
      units_of_.push_back({static_cast<std::int32_t>(unit)});
      add_shifted(means, unit, shift_of_[unit], 1.0f, unit);
    }
  }

  /// Merges what can be, every template at most once. @return whether any did
  template <class Exec>
  bool merge(const Exec& exec, const TemplateOptions& options, TransferLedger& ledger) {
    const std::vector<MergeCandidate> candidates = untested_candidates(exec, options, ledger);
    const std::vector<double> scores = bimodality_of(exec, candidates, options, ledger);

    std::set<std::int32_t> taken;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      const MergeCandidate& candidate = candidates[k];
      if (scores[k] >= options.min_bimodality)
        rejected_.insert({candidate.kept, candidate.other});
      else if (!taken.contains(candidate.kept) && !taken.contains(candidate.other)) {
        join(candidate);
        taken.insert({candidate.kept, candidate.other});
      }
    }
    for (const std::int32_t k : taken)
      std::erase_if(rejected_, [k](const auto& pair) { return pair.first == k || pair.second == k; });
    return !taken.empty();
  }

  LearnedTemplates result() const {
    LearnedTemplates learned;
    learned.shift_of = shift_of_;
    learned.template_of.assign(shift_of_.size(), -1);
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < units_of_.size(); ++k) {
      if (!is_template(k)) continue;
      for (const std::int32_t unit : units_of_[k])
        learned.template_of[static_cast<std::size_t>(unit)] = static_cast<std::int32_t>(kept.size());
      learned.spikes.push_back(n_spikes_[k]);
      kept.push_back(k);
    }
    learned.templates = packed(kept);
    return learned;
  }

 private:
  /// Neither merged into another nor zero, which matches nothing.
  bool is_template(std::size_t k) const {
    const std::size_t slab = templates_.extent(1) * templates_.extent(2);
    const float* const values = templates_.data() + k * slab;
    return !units_of_[k].empty() &&
           std::any_of(values, values + slab, [](float value) { return value != 0.0f; });
  }

  HostTensor3<float> packed(const std::vector<std::size_t>& kept) const {
    const std::size_t slab = templates_.extent(1) * templates_.extent(2);
    const HostTensor3<float> packed("kokkosort::templates::learned", kept.size(), templates_.extent(1),
                                    templates_.extent(2));
    for (std::size_t i = 0; i < kept.size(); ++i)
      std::copy_n(templates_.data() + kept[i] * slab, slab, packed.data() + i * slab);
    return packed;
  }

  /// Candidates among the templates that are left, numbered as here.
  template <class Exec>
  std::vector<MergeCandidate> untested_candidates(const Exec& exec, const TemplateOptions& options,
                                                  TransferLedger& ledger) const {
    std::vector<std::size_t> left;
    std::vector<std::int64_t> n_spikes;
    for (std::size_t k = 0; k < units_of_.size(); ++k)
      if (is_template(k)) {
        left.push_back(k);
        n_spikes.push_back(n_spikes_[k]);
      }
    if (left.size() < 2) return {};
    std::vector<MergeCandidate> candidates =
        find_candidates(exec, spikes_.probe, spikes_.pcs, packed(left), n_spikes, options, ledger);
    for (MergeCandidate& candidate : candidates) {
      candidate.kept = static_cast<std::int32_t>(left[static_cast<std::size_t>(candidate.kept)]);
      candidate.other = static_cast<std::int32_t>(left[static_cast<std::size_t>(candidate.other)]);
    }
    std::erase_if(candidates, [this](const MergeCandidate& candidate) {
      return shank_of(candidate.kept) != shank_of(candidate.other) ||
             rejected_.contains({candidate.kept, candidate.other});
    });
    return candidates;
  }

  std::int32_t shank_of(std::int32_t k) const {
    return spikes_.probe.shank[largest_channel(templates_, static_cast<std::size_t>(k))];
  }

  /// The candidates' scores; 0 for those that are one neuron in any case.
  template <class Exec>
  std::vector<double> bimodality_of(const Exec& exec, const std::vector<MergeCandidate>& candidates,
                                    const TemplateOptions& options, TransferLedger& ledger) const {
    std::vector<std::size_t> uncertain;
    for (std::size_t k = 0; k < candidates.size(); ++k)
      if (candidates[k].correlation < options.certain_correlation) uncertain.push_back(k);
    std::vector<SpikePair> pairs(uncertain.size());
    host_loop("templates::pairs", pairs.size(), [&](const std::size_t i) {
      const MergeCandidate& candidate = candidates[uncertain[i]];
      pairs[i] = {spikes_of_template(candidate.kept, 0),
                  spikes_of_template(candidate.other, candidate.shift)};
    });
    const std::vector<double> scores =
        pair_bimodality(exec, spikes_, products_, pairs, options.device_limit_bytes, ledger);
    std::vector<double> all(candidates.size(), 0.0);
    for (std::size_t i = 0; i < uncertain.size(); ++i) all[uncertain[i]] = scores[i];
    return all;
  }

  std::vector<ShiftedSpike> spikes_of_template(std::int32_t k, std::int32_t shift) const {
    std::vector<ShiftedSpike> shifted;
    for (const std::int32_t unit : units_of_[static_cast<std::size_t>(k)])
      for (const std::size_t spike : spikes_of_.of(static_cast<std::size_t>(unit)))
        shifted.push_back(
            {static_cast<std::int64_t>(spike), shift_of_[static_cast<std::size_t>(unit)] + shift});
    return shifted;
  }

  /// templates_(to) += weight · from(k) moved later.
  void add_shifted(const HostTensor3<float>& from, std::size_t k, std::int32_t shift, float weight,
                   std::size_t to) {
    std::vector<float> moved(from.extent(2));
    for (std::size_t channel = 0; channel < from.extent(1); ++channel) {
      if (shift == 0)
        std::copy_n(&from(k, channel, 0), moved.size(), moved.data());
      else
        shift_coefficients(products_, shift, moved.size(), &from(k, channel, 0), moved.data());
      for (std::size_t p = 0; p < moved.size(); ++p) templates_(to, channel, p) += weight * moved[p];
    }
  }

  void join(const MergeCandidate& candidate) {
    const auto kept = static_cast<std::size_t>(candidate.kept);
    const auto other = static_cast<std::size_t>(candidate.other);
    const auto total = static_cast<float>(n_spikes_[kept] + n_spikes_[other]);
    const float weight = static_cast<float>(n_spikes_[other]) / total;
    for (std::size_t channel = 0; channel < templates_.extent(1); ++channel)
      for (std::size_t p = 0; p < templates_.extent(2); ++p) templates_(kept, channel, p) *= 1.0f - weight;
    add_shifted(templates_, other, candidate.shift, weight, kept);
    n_spikes_[kept] += std::exchange(n_spikes_[other], 0);
    for (const std::int32_t unit : units_of_[other]) {
      shift_of_[static_cast<std::size_t>(unit)] += candidate.shift;
      units_of_[kept].push_back(unit);
    }
    units_of_[other].clear();
  }

  const SpikeFeatures& spikes_;
  HostMatrix<float> products_;
  HostTensor3<float> templates_;
  std::vector<std::int64_t> n_spikes_;
  Groups spikes_of_;                                 // [units]
  std::vector<std::vector<std::int32_t>> units_of_;  // [templates]
  std::vector<std::int32_t> shift_of_;               // [units]
  std::set<std::pair<std::int32_t, std::int32_t>>
      rejected_;  // pairs with a trough between them, as they are now
};

}  // namespace

template <class Exec>
LearnedTemplates learn_templates(const Exec& exec, const SpikeFeatures& spikes,
                                 const std::vector<std::int32_t>& labels, const HostTensor3<float>& means,
                                 const TemplateOptions& options, TransferLedger& ledger) {
  StageTimes times;
  LearnedTemplates learned;
  {
    const ScopedStage stage(exec, times, "templates");
    TemplateMerger merger(spikes, labels, means);
    if (options.merge)
      while (merger.merge(exec, options, ledger)) {
      }
    learned = merger.result();
  }
  learned.times = times;
  return learned;
}

#define INSTANTIATE(Exec)                                                                                \
  template LearnedTemplates learn_templates(const Exec&, const SpikeFeatures&,                           \
                                            const std::vector<std::int32_t>&, const HostTensor3<float>&, \
                                            const TemplateOptions&, TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
