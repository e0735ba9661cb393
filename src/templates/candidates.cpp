#include "templates/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/host_loop.hpp"
#include "core/instantiate.hpp"
#include "kokkosort/templates/correlations.hpp"
#include "kokkosort/templates/pc_products.hpp"
#include "kokkosort/templates/placed_templates.hpp"
#include "templates/template_energy.hpp"

namespace kokkosort {
namespace {

constexpr double product_error = 1e-3;  // of a correlation, more than products in single precision ever have

/// The largest correlation of each pair over lags, [pairs]: a proposal, as a product's rounding depends on
/// the library.
template <class Exec>
Vector<float, Exec> find_largest(const Exec& exec, const TemplateCorrelations<Exec>& correlations) {
  const Vector<float, Exec> largest(unfilled(exec, "kokkosort::templates::largest"), correlations.n_pairs());
  const auto values = correlations.values;
  Kokkos::parallel_for(
      "kokkosort::templates::find_largest", Kokkos::RangePolicy<Exec>(exec, 0, largest.extent(0)),
      KOKKOS_LAMBDA(const std::size_t pair) {
        float value = values(pair, 0);
        for (std::size_t column = 1; column < values.extent(1); ++column)
          value = Kokkos::max(value, values(pair, column));
        largest(pair) = value;
      });
  return largest;
}

/// A correlation and the first lag that has it.
struct Peak {
  double value = -1.0;
  int lag = 0;
};

/// Templates on the host, and what each of their pairs needs of them.
struct HostTemplates {
  const HostTensor3<float>& values;                // [templates, channels, pcs]
  std::vector<double> norm;                        // [templates]
  std::vector<std::vector<std::size_t>> channels;  // [templates], on which each is

  explicit HostTemplates(const HostTensor3<float>& templates)
      : values(templates), norm(templates.extent(0)), channels(templates.extent(0)) {
    host_loop("templates::footprints", norm.size(), [this](std::size_t k) {
      norm[k] = template_norm(values, k);
      channels[k] = channels_of_template(values, k);
    });
  }
};

/// The largest correlation of two templates, summed in order in double precision: what decides.
/// @param products  pc_products
Peak find_peak(const HostTemplates& on_host, std::size_t i, std::size_t j,
               const HostMatrix<float>& products) {
  const HostTensor3<float>& templates = on_host.values;
  const std::size_t n_pcs = templates.extent(2);
  std::vector<double> weights(n_pcs * n_pcs, 0.0);
  for (const std::size_t channel : on_host.channels[i])  // elsewhere all products are zero
    for (std::size_t p = 0; p < n_pcs; ++p)
      for (std::size_t q = 0; q < n_pcs; ++q)
        weights[p * n_pcs + q] +=
            static_cast<double>(templates(i, channel, p)) * static_cast<double>(templates(j, channel, q));
  const double norms = on_host.norm[i] * on_host.norm[j];
  const auto nt = static_cast<int>((products.extent(1) + 1) / 2);
  Peak peak;
  for (std::size_t column = 0; column < products.extent(1); ++column) {
    double sum = 0.0;
    for (std::size_t pq = 0; pq < weights.size(); ++pq)
      sum += weights[pq] * static_cast<double>(products(pq, column));
    if (sum / norms > peak.value) peak = {sum / norms, static_cast<int>(column) - (nt - 1)};
  }
  return peak;
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
  const auto largest = read_back(exec, ledger, "largest", find_largest(exec, correlations));
  const auto first = read_back(exec, ledger, "first_of_row", correlations.first);
  const auto other = read_back(exec, ledger, "second_of_pair", correlations.other);
  const HostMatrix<float> products = pc_products(pcs.wPCA);

  const HostTemplates on_host(templates);

  std::vector<std::vector<MergeCandidate>> found(placed.n_templates);
  host_loop("templates::find_peaks", placed.n_templates, [&](std::size_t place) {
    for (std::uint32_t pair = first(place); pair < first(place + 1); ++pair) {
      const std::int32_t kept = placed.template_at[place];
      const std::int32_t merged = placed.template_at[static_cast<std::size_t>(other(pair))];
      const auto rank = [&spikes](std::int32_t k) {
        return std::pair(-spikes[static_cast<std::size_t>(k)], k);
      };
      if (!(rank(kept) < rank(merged))) continue;  // the pair comes the other way round, too
      const auto i = static_cast<std::size_t>(kept);
      const auto j = static_cast<std::size_t>(merged);
      const double norm_i = on_host.norm[i];
      const double norm_j = on_host.norm[j];
      if (2.0 * std::abs(norm_i - norm_j) > options.max_norm_difference * (norm_i + norm_j)) continue;
      const double proposed = static_cast<double>(largest(pair)) / (norm_i * norm_j);
      if (proposed < options.min_correlation - product_error) continue;
      const Peak peak = find_peak(on_host, i, j, products);
      if (peak.value >= options.min_correlation)
        found[place].push_back({kept, merged, -peak.lag, peak.value});
    }
  });
  std::vector<MergeCandidate> candidates;
  for (const auto& of_one : found) candidates.insert(candidates.end(), of_one.begin(), of_one.end());
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
