#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kokkosort/clustering/options.hpp"
#include "kokkosort/clustering/sections.hpp"
#include "kokkosort/spike_features.hpp"
#include "kokkosort/transfer_ledger.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// Spikes a kernel's thread may take at a time. A section's columns are padded to a multiple of it, so that no kernel
/// needs a second path for the last few.
inline constexpr std::uint32_t column_padding = 16;

/// One section's place in the ragged arrays of a batch.
struct SectionExtent {
  std::uint32_t key;         // index of the section in the recording: random numbers depend on it, not on the batch
  std::uint32_t n_spikes;    // > 0
  std::uint32_t stride;      // n_spikes padded: columns of the section's points
  std::uint32_t n_features;  // channels in the section · pcs
  std::uint32_t n_subset;    // right nodes of the neighbour graph
  std::uint32_t subset_stride;  // spikes from one subset point to the next; 0: n_subset points evenly spread
  std::uint32_t n_seeds;        // at most so many clusters
  std::uint32_t first_spike;    // in arrays over the batch's spikes (padded)
  std::uint32_t first_subset;   // in arrays over the batch's subset points
  std::size_t first_point;      // in `points`
  std::size_t first_subset_point;  // in the subset's points, [n_features, n_subset] per section

  /// The section's spike that is its j-th subset point.
  KOKKOS_INLINE_FUNCTION std::uint32_t spike_of_subset(std::uint32_t j) const {
    if (subset_stride > 0) return j * subset_stride;
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(j) * n_spikes / n_subset);
  }
};

/// The spikes of several sections on the device. Arrays over spikes have `n_columns` entries, section after section, each
/// padded to `stride`; entries between n_spikes and stride belong to no spike.
template <class Exec>
struct SectionBatch {
  std::vector<SectionExtent> extents;     // host copy
  Vector<SectionExtent, Exec> sections;   // [sections]
  Vector<std::uint32_t, Exec> section_of; // [n_columns]
  Vector<std::int64_t, Exec> sample;      // [n_columns], times in samples
  Vector<std::int32_t, Exec> centre;      // [n_columns]
  Matrix<float, Exec> features;           // [n_columns, rows · pcs], as detected
  Vector<float, Exec> points;             // per section [n_features, stride], feature-major; feature = channel · pcs + pc
  Matrix<std::int32_t, Exec> centre_channels;  // [centres, rows]
  Matrix<std::int32_t, Exec> channel_slot;     // [sections, channels], place among the section's channels
  std::uint32_t n_columns = 0;
  std::uint32_t n_subset = 0;
  std::size_t n_subset_points = 0;

  std::size_t n_sections() const { return extents.size(); }
};

/// Sizes of one section's part of a batch, without its place.
SectionExtent section_extent(const Section& section, std::uint32_t key, std::size_t n_pcs,
                             const ClusteringOptions& options);

/// Brings sections [first, last) to the device, each spike's features once in their compact form, and embeds them.
///
/// @param exec      not fenced for kernels; the host arrays it copies from are its own and released after the copies
/// @param sections  all sections of the recording
/// @param ledger    gains what goes up
template <class Exec>
SectionBatch<Exec> upload_sections(const Exec& exec, const SpikeFeatures& spikes,
                                   const std::vector<Section>& sections, std::size_t first, std::size_t last,
                                   const ClusteringOptions& options, TransferLedger& ledger);

/// Writes each spike's features into its column of `points`, zero on the channels it has no features of. Channels that are
/// not the section's are left out.
///
/// @param order  column of the spike that goes to each column, within the section, [n_columns]; an empty View keeps time order
template <class Exec>
void embed_points(const Exec& exec, const SectionBatch<Exec>& batch, const Vector<std::uint32_t, Exec>& order);

}  // namespace kokkosort
