#pragma once

#include <cstdint>
#include <vector>

#include "kokkosort/templates/learn.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// Two templates that may be one neuron.
struct MergeCandidate {
  std::int32_t kept;   // with more spikes; ties: the smaller index
  std::int32_t other;  // which matches it best when moved later by `shift` samples
  std::int32_t shift;
  double correlation;  // at that shift, 1 for equal waveforms
};

/// Templates that correlate at some lag and whose norms are alike, by the kept one's spikes, then by
/// correlation, largest first.
/// @param spikes  [templates]
template <class Exec>
std::vector<MergeCandidate> find_candidates(const Exec& exec, const Probe& probe,
                                            const PrincipalComponents& pcs,
                                            const HostTensor3<float>& templates,
                                            const std::vector<std::int64_t>& spikes,
                                            const TemplateOptions& options, TransferLedger& ledger);

}  // namespace kokkosort
