#include "core/instantiate.hpp"
#include "core/transfers.hpp"
#include "detection/search_parts.hpp"
#include "kokkosort/detection/search.hpp"

namespace kokkosort {

template <class Exec>
SearchTables<Exec> upload_tables(const Exec& exec, const DetectionGrid& grid, const PrincipalComponents& pcs,
                                 TransferLedger& ledger) {
  const std::size_t n_centres = grid.weights.extent(0);
  const std::size_t n_rows = grid.weights.extent(2);
  const std::size_t n_scales = padded_scales<Exec>(grid.weights.extent(1));
  const HostMatrix<float> weights("kokkosort::detection::weights_on_host", n_centres, n_rows * n_scales);
  for (std::size_t centre = 0; centre < n_centres; ++centre)
    for (std::size_t row = 0; row < n_rows; ++row)
      for (std::size_t scale = 0; scale < grid.weights.extent(1); ++scale)
        weights(centre, row * n_scales + scale) = grid.weights(centre, scale, row);

  const std::size_t n_pcs = pcs.wPCA.extent(0);
  const std::size_t nt = pcs.wPCA.extent(1);
  const HostMatrix<float> components("kokkosort::detection::components_on_host", nt, padded_pcs<Exec>(n_pcs));
  for (std::size_t s = 0; s < nt; ++s)
    for (std::size_t p = 0; p < n_pcs; ++p) components(s, p) = pcs.wPCA(p, s);

  return {upload_matrix(exec, ledger, "detection", "shapes", pcs.wTEMP),
          upload_matrix(exec, ledger, "detection", "components", components),
          upload_matrix(exec, ledger, "detection", "channels", grid.centres.channels),
          upload_matrix(exec, ledger, "detection", "weights", weights),
          upload_matrix(exec, ledger, "detection", "neighbours", grid.neighbours),
          static_cast<int>(n_pcs),
          static_cast<int>(n_scales),
          pcs.peak_sample};
}

#define INSTANTIATE(Exec)                                                                                  \
  template SearchTables<Exec> upload_tables(const Exec&, const DetectionGrid&, const PrincipalComponents&, \
                                            TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
