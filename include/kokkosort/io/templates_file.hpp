#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "kokkosort/spike_features.hpp"

namespace kokkosort {

/// Templates, and what else is known of the spikes that they were learned from.
struct TemplateSet {
  Probe probe;
  PrincipalComponents pcs;
  HostTensor3<float> templates;   // [templates, channels, pcs], in standard deviations of the noise
  double sampling_rate_hz = 0.0;  // 0: the file does not say
  double dmin_um = 0.0;           // vertical spacing of detection's centres; likewise
  double dminx_um = 0.0;          // horizontal spacing; likewise
  std::vector<std::filesystem::path> files;  // that hold it: others than the one read, if it has links

  std::size_t n_templates() const { return templates.extent(0); }
};

/// What holds in place of a file's attributes, which may then be wrong. 0: the file's.
struct GivenAttributes {
  double sampling_rate_hz = 0.0;
  double dmin_um = 0.0;
  double dminx_um = 0.0;
};

/// Reads templates to match from HDF5, with the groups `probe` and `pcs` of the same file, and checks every
/// value. Spacings are attributes of the file or, where it has none, of its group `detected` or `matched`.
///
/// @param dataset     of templates [templates, channels, pcs]: learned_templates of a clusters.h5, or another
/// @param host_limit  bytes that the arrays may take together
/// @throws InputError naming file, dataset, value and remedy: a missing or damaged file or dataset; one of
/// another type
///         or shape; no templates; a template that is not finite, beyond 1e6 standard deviations of the
///         noise, or zero on all channels; principal components that are not orthonormal, or of fewer than 3
///         samples; a sampling rate or spacing that no recording has
TemplateSet read_templates(const std::filesystem::path& path, const std::string& dataset,
                           std::size_t host_limit, const GivenAttributes& given = {});

}  // namespace kokkosort
