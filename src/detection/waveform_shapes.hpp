#pragma once

#include <cstddef>
#include <cstdint>

#include "kokkosort/types.hpp"

namespace kokkosort {

/// Scales each clip to norm 1: a large spike says no more about shapes than a small one.
/// @param clips  [clips, nt], in place; none is zero
void scale_to_unit(const HostMatrix<float>& clips);

/// The first right singular vectors of the clips, [pcs, nt]; the value of largest magnitude of each is
/// positive.
HostMatrix<float> principal_components(const HostMatrix<float>& clips, std::size_t n_pcs);

/// The k-means centres of the clips, in the space of their principal components and on its unit sphere, as
/// waveforms of norm 1: [shapes, nt], the most frequent first.
HostMatrix<float> frequent_shapes(const HostMatrix<float>& clips, const HostMatrix<float>& wPCA,
                                  std::size_t n_shapes, std::uint64_t seed);

}  // namespace kokkosort
