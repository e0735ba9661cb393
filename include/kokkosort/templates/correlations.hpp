#pragma once

#include <cstddef>
#include <cstdint>

#include "kokkosort/templates/placed_templates.hpp"
#include "kokkosort/transfer_ledger.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

struct CorrelationOptions {
  int block_templates = 128;             // rows of templates whose products are held at once
  std::size_t limit_bytes = 4ull << 30;  // of device memory that correlations and scratch may take
};

/// Correlations of all pairs of templates that share a channel, at all lags: a sparse matrix by rows, in
/// places.
template <class Exec>
struct TemplateCorrelations {
  int nt = 0;
  Vector<std::uint32_t, Exec> first;  // [templates + 1], of each row's pairs
  Vector<std::int32_t, Exec> other;   // [pairs], the second template of a pair; ascending in a row
  /// [pairs, 2 nt − 1]; column lag + nt − 1 of pair (i, j) is ctc[i, j, lag] = Σ_t Σ_c w_i(c, t) · w_j(c, t +
  /// lag), the projection of template i at a sample onto a template j placed −lag samples from it.
  Matrix<float, Exec> values;

  std::size_t n_pairs() const { return other.extent(0); }
};

/// Correlates templates in the space of the principal components: the products of their weights over channels
/// by one gemm per block of templates, and those with the components' products at each lag by another (pcs²
/// multiply-adds a pair and lag). Pairs that share no channel are zero; they are neither computed nor stored.
///
/// @param exec  not fenced for kernels on return
/// @param wPCA  [pcs, nt]
/// @throws InputError if options.limit_bytes is too small, with what would do
/// Source: DESIGN, section 5; Pachitariu et al. 2024, Methods, "Template deconvolution".
template <class Exec>
TemplateCorrelations<Exec> correlate_templates(const Exec& exec, const PlacedTemplates<Exec>& templates,
                                               const HostMatrix<float>& wPCA,
                                               const CorrelationOptions& options, TransferLedger& ledger);

/// Device bytes that correlate_templates takes, scratch included.
/// @param nt  samples of a waveform
std::size_t correlation_bytes(const TemplateLayout& templates, int nt, const CorrelationOptions& options);

}  // namespace kokkosort
