#include "kokkosort/clustering/correlograms.hpp"

#include "core/instantiate.hpp"
#include "core/transfers.hpp"

namespace kokkosort {
namespace {

template <class Exec>
struct CountPairs {
  Vector<SectionExtent, Exec> sections;
  Vector<std::uint32_t, Exec> section_of;
  Vector<std::int64_t, Exec> sample;
  Vector<std::uint32_t, Exec> place_of;
  Vector<std::uint32_t, Exec> first_leaf;
  Vector<std::uint64_t, Exec> first_counter;
  Vector<std::uint32_t, Exec> counters;
  double bins_per_sample;  // 1 ms bins

  KOKKOS_INLINE_FUNCTION void operator()(const std::uint32_t column) const {
    const std::uint32_t s = section_of(column);
    const SectionExtent& section = sections(s);
    const std::uint32_t end = section.first_spike + section.n_spikes;
    if (column >= end) return;
    const std::uint64_t n_leaves = first_leaf(s + 1) - first_leaf(s);
    const std::uint64_t row = first_counter(s) + (place_of(column) - first_leaf(s)) * n_leaves * CorrelogramCounter::size;
    for (std::uint32_t later = column + 1; later < end; ++later) {
      const auto difference = static_cast<double>(sample(later) - sample(column));
      const auto bin = static_cast<std::int64_t>(difference * bins_per_sample + 0.5);
      if (bin > CorrelogramCounter::widest_bin) return;
      const std::uint64_t pair = row + (place_of(later) - first_leaf(s)) * std::uint64_t{CorrelogramCounter::size};
      CorrelogramCounter::for_bin(bin, [&](const int c) { Kokkos::atomic_inc(&counters(pair + static_cast<std::uint64_t>(c))); });
    }
  }
};

}  // namespace

CorrelogramCounts LeafCorrelograms::between(std::size_t section, std::uint32_t first_leaf, std::uint32_t middle,
                                            std::uint32_t last) const {
  CorrelogramCounts sum;
  const auto add = [&](std::uint64_t a, std::uint64_t b, auto& to) {
    const std::uint32_t* const from =
        &counters(first[section] + (a * n_leaves[section] + b) * CorrelogramCounter::size);
    for (std::size_t c = 0; c < CorrelogramCounter::size; ++c) to[c] += from[c];
  };
  for (std::uint32_t a = first_leaf; a < middle; ++a)
    for (std::uint32_t b = middle; b < last; ++b) {
      add(a, b, sum.later);
      add(b, a, sum.sooner);
    }
  return sum;
}

template <class Exec>
LeafCorrelograms count_correlograms(const Exec& exec, const SectionBatch<Exec>& batch, const LeafTable<Exec>& leaves,
                                    double sampling_rate_hz, TransferLedger& ledger) {
  LeafCorrelograms result;
  std::uint64_t n_counters = 0;
  for (std::size_t s = 0; s < batch.n_sections(); ++s) {
    const std::uint32_t n = leaves.first_leaf[s + 1] - leaves.first_leaf[s];
    result.first.push_back(n_counters);
    result.n_leaves.push_back(n);
    n_counters += std::uint64_t{n} * n * CorrelogramCounter::size;
  }
  result.first.push_back(n_counters);
  const Vector<std::uint32_t, Exec> counters(
      Kokkos::view_alloc(exec, std::string("kokkosort::clustering::correlogram_counters")), n_counters);
  Kokkos::parallel_for(
      "kokkosort::clustering::count_pairs", Kokkos::RangePolicy<Exec>(exec, 0, batch.n_columns),
      CountPairs<Exec>{batch.sections, batch.section_of, batch.sample, leaves.place_of, leaves.first_leaf_on_device,
                       upload_vector(exec, ledger, "clustering", "first_counter", result.first), counters,
                       1000.0 / sampling_rate_hz});
  result.counters = HostVector<std::uint32_t>("kokkosort::clustering::correlogram_counters_on_host", n_counters);
  copy_down(exec, ledger, "clustering", "correlogram_counters", result.counters, counters);
  return result;
}

#define INSTANTIATE(Exec)                                                                                           \
  template LeafCorrelograms count_correlograms(const Exec&, const SectionBatch<Exec>&, const LeafTable<Exec>&, double, \
                                               TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
