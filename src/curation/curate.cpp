#include "kokkosort/curation/curate.hpp"

#include <algorithm>

#include "core/instantiate.hpp"
#include "curation/measure_units.hpp"
#include "curation/merge_units.hpp"
#include "curation/remove_spikes.hpp"

namespace kokkosort {

template <class Exec>
Sorting curate(const Exec& exec, const CurationInput& input, const CurationOptions& options,
               TransferLedger& ledger, CurationReport& report) {
  WorkingUnits units = make_units(input);
  report.clusters = static_cast<std::size_t>(std::count_if(
      units.spikes.begin(), units.spikes.end(), [](const auto& spikes) { return !spikes.empty(); }));
  if (options.merge) {
    const ScopedStage stage(exec, report.times, "curation::merges");
    report.merges = merge_units(exec, input, options, units, ledger);
  }
  const std::vector<float> strength = spike_strengths(input);
  {
    const ScopedStage stage(exec, report.times, "curation::duplicates");
    report.duplicates = remove_duplicates(input, options, strength, units);
    const RemovedGhosts ghosts = remove_coincident_units(input, options, units);
    report.ghosts = ghosts.units;
    report.ghost_spikes = ghosts.spikes;
  }
  const ScopedStage stage(exec, report.times, "curation::measures");
  Sorting sorting = measure_units(exec, input, options, units, strength, ledger);
  sorting.removed_duplicates = report.duplicates;
  return sorting;
}

#define INSTANTIATE(Exec)                                                                             \
  template Sorting curate(const Exec&, const CurationInput&, const CurationOptions&, TransferLedger&, \
                          CurationReport&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
