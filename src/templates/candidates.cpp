#include "templates/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/instantiate.hpp"
#include "kokkosort/templates/correlations.hpp"
#include "kokkosort/templates/placed_templates.hpp"

namespace kokkosort {
namespace {

/// The largest correlation of each pair over lags.
template <class Exec>
struct LargestLags {
  Vector<float, Exec> value;       // [pairs]
  Vector<std::int32_t, Exec> lag;  // [pairs], the first that has it
};

template <class Exec>
LargestLags<Exec> find_largest_lags(const Exec& exec, const TemplateCorrelations<Exec>& correlations) {
  const std::size_t n_pairs = correlations.n_pairs();
  const LargestLags<Exec> largest{
      Vector<float, Exec>(unfilled(exec, "kokkosort::templates::largest"), n_pairs),
      Vector<std::int32_t, Exec>(unfilled(exec, "kokkosort::templates::largest_lag"), n_pairs)};
  const auto values = correlations.values;
  const int nt = correlations.nt;
  const auto value = largest.value;
  const auto lag = largest.lag;
  Kokkos::parallel_for(
      "kokkosort::templates::find_largest_lags", Kokkos::RangePolicy<Exec>(exec, 0, n_pairs),
      KOKKOS_LAMBDA(const std::size_t pair) {
        int best = 0;
        for (int column = 1; column < 2 * nt - 1; ++column)
          if (values(pair, column) > values(pair, best)) best = column;
        value(pair) = values(pair, best);
        lag(pair) = best - (nt - 1);
      });
  return largest;
}

template <class T, class Exec>
HostVector<T> read_back(const Exec& exec, TransferLedger& ledger, const std::string& what,
                        const Vector<T, Exec>& values) {
  const HostVector<T> on_host("kokkosort::templates::" + what + "_on_host", values.extent(0));
  copy_down(exec, ledger, "templates", what, on_host, values);
  return on_host;
}

}  // namespace

template <class Exec>
std::vector<MergeCandidate> find_candidates(const Exec& exec, const Probe& probe,
                                            const PrincipalComponents& pcs,
                                            const HostTensor3<float>& templates,
                                            const std::vector<std::int64_t>& spikes,
                                            const TemplateOptions& options, TransferLedger& ledger) {
  const PlacedTemplates<Exec> placed = place_templates(exec, probe, templates, ledger);
  const TemplateCorrelations<Exec> correlations =
      correlate_templates(exec, placed, pcs.wPCA, {.limit_bytes = options.device_limit_bytes}, ledger);
  const LargestLags<Exec> largest = find_largest_lags(exec, correlations);
  const auto value = read_back(exec, ledger, "largest", largest.value);
  const auto lag = read_back(exec, ledger, "largest_lag", largest.lag);
  const auto first = read_back(exec, ledger, "first_of_row", correlations.first);
  const auto other = read_back(exec, ledger, "second_of_pair", correlations.other);
  const auto energy = read_back(exec, ledger, "energy", placed.energy);

  std::vector<MergeCandidate> candidates;
  for (std::size_t i = 0; i < placed.n_templates; ++i)
    for (std::uint32_t pair = first(i); pair < first(i + 1); ++pair) {
      const auto j = static_cast<std::size_t>(other(pair));
      const MergeCandidate candidate{placed.template_at[i], placed.template_at[j], -lag(pair),
                                     value(pair) / std::sqrt(energy(i) * energy(j))};
      const auto rank = [&spikes](std::int32_t k) {
        return std::pair(-spikes[static_cast<std::size_t>(k)], k);
      };
      if (!(rank(candidate.kept) < rank(candidate.other)))
        continue;  // the pair comes the other way round, too
      const double norm_i = std::sqrt(energy(i));
      const double norm_j = std::sqrt(energy(j));
      if (static_cast<double>(candidate.correlation) >= options.min_correlation &&
          2.0 * std::abs(norm_i - norm_j) <= options.max_norm_difference * (norm_i + norm_j))
        candidates.push_back(candidate);
    }
  std::sort(candidates.begin(), candidates.end(),
            [&spikes](const MergeCandidate& a, const MergeCandidate& b) {
              const auto key = [&spikes](const MergeCandidate& c) {
                return std::tuple(-spikes[static_cast<std::size_t>(c.kept)], c.kept, -c.correlation, c.other);
              };
              return key(a) < key(b);
            });
  return candidates;
}

#define INSTANTIATE(Exec)                                                               \
  template std::vector<MergeCandidate> find_candidates(                                 \
      const Exec&, const Probe&, const PrincipalComponents&, const HostTensor3<float>&, \
      const std::vector<std::int64_t>&, const TemplateOptions&, TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
