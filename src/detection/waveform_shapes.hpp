#pragma once

#include <cstddef>

#include "detection/k_means.hpp"
#include "kokkosort/types.hpp"

namespace kokkosort {

/// Scales each clip to norm 1: a large spike says no more about shapes than a small one.
/// @param clips  [clips, nt], in place; none is zero
void scale_to_unit(const HostMatrix<float>& clips);

/// The first right singular vectors of the clips, [pcs, nt]; the value of largest magnitude of each is
/// positive.
HostMatrix<float> principal_components(const HostMatrix<float>& clips, std::size_t n_pcs);

/// Coefficients of the clips, each clip's of norm 1.
HostPoints coefficients(const HostMatrix<float>& clips, const HostMatrix<float>& wPCA);

/// The centres of clusters of coefficients as waveforms of norm 1: [clusters, nt], the largest cluster's
/// first.
HostMatrix<float> frequent_shapes(const HostPoints& coefficients, const Clusters& clusters,
                                  const HostMatrix<float>& wPCA);

}  // namespace kokkosort
