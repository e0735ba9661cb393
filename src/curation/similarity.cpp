#include "curation/similarity.hpp"

#include <algorithm>
#include <limits>

#include "core/instantiate.hpp"

namespace kokkosort {

template <class Exec>
std::vector<MergeCandidate> similar_units(const Exec& exec, const CurationInput& input,
                                          const WorkingUnits& units, double min_similarity,
                                          std::size_t limit_bytes, TransferLedger& ledger) {
  const std::vector<std::size_t> visible = units.visible();
  if (visible.size() < 2) return {};
  const std::size_t slab = units.templates.extent(1) * units.templates.extent(2);
  const HostTensor3<float> packed("kokkosort::curation::packed_templates", visible.size(),
                                  units.templates.extent(1), units.templates.extent(2));
  std::vector<std::int64_t> n_spikes;
  for (std::size_t i = 0; i < visible.size(); ++i) {
    std::copy_n(units.templates.data() + visible[i] * slab, slab, packed.data() + i * slab);
    n_spikes.push_back(static_cast<std::int64_t>(units.spikes[visible[i]].size()));
  }
  TemplateOptions options;
  options.min_correlation = min_similarity;
  options.max_norm_difference = std::numeric_limits<double>::infinity();
  options.device_limit_bytes = limit_bytes;
  std::vector<MergeCandidate> pairs =
      find_candidates(exec, input.spikes.probe, input.spikes.pcs, packed, n_spikes, options, ledger);
  for (MergeCandidate& pair : pairs)
    for (std::int32_t* const unit : {&pair.kept, &pair.other})
      *unit = static_cast<std::int32_t>(visible[static_cast<std::size_t>(*unit)]);
  return pairs;
}

#define INSTANTIATE(Exec)                                                                                    \
  template std::vector<MergeCandidate> similar_units(const Exec&, const CurationInput&, const WorkingUnits&, \
                                                     double, std::size_t, TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
