#include "templates/pair_bimodality.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "core/host_loop.hpp"
#include "core/instantiate.hpp"
#include "kokkosort/clustering/leaf_grams.hpp"
#include "kokkosort/clustering/leaves.hpp"
#include "kokkosort/clustering/section_batch.hpp"
#include "kokkosort/clustering/splits.hpp"
#include "kokkosort/templates/pc_products.hpp"

namespace kokkosort {
namespace {

constexpr std::size_t most_spikes = 4000;  // of a side: more tell nothing new
constexpr std::size_t fewest_spikes = 10;  // of a side: fewer are no evidence
constexpr double common_share = 0.9;  // of a side's spikes that must have a channel for it to be compared
constexpr double undecided = 1.0;     // score where there is no evidence for one mode

std::vector<ShiftedSpike> thin_out(const std::vector<ShiftedSpike>& spikes) {
  if (spikes.size() <= most_spikes) return spikes;
  std::vector<ShiftedSpike> kept;
  for (std::size_t i = 0; i < most_spikes; ++i) kept.push_back(spikes[i * spikes.size() / most_spikes]);
  return kept;
}

/// A side's spikes at each centre.
using CentreCounts = std::map<std::int32_t, std::size_t>;

CentreCounts count_by_centre(const SpikeFeatures& spikes, const std::vector<ShiftedSpike>& side) {
  CentreCounts counts;
  for (const ShiftedSpike& shifted : side) ++counts[spikes.centre(static_cast<std::size_t>(shifted.spike))];
  return counts;
}

/// The share of a side's spikes that have features on each channel.
std::vector<double> channel_shares(const SpikeFeatures& spikes, const CentreCounts& side,
                                   std::size_t n_spikes) {
  std::vector<double> shares(spikes.n_channels(), 0.0);
  for (const auto& [centre, count] : side)
    for (std::size_t row = 0; row < spikes.n_rows(); ++row)
      shares[static_cast<std::size_t>(spikes.centres.channels(static_cast<std::size_t>(centre), row))] +=
          static_cast<double>(count) / static_cast<double>(n_spikes);
  return shares;
}

bool has_channels(const SpikeFeatures& spikes, std::int32_t centre,
                  const std::vector<std::int32_t>& channels) {
  const std::int32_t* const rows = &spikes.centres.channels(static_cast<std::size_t>(centre), 0);
  return std::all_of(channels.begin(), channels.end(), [&](std::int32_t channel) {
    return std::find(rows, rows + spikes.n_rows(), channel) != rows + spikes.n_rows();
  });
}

/// The spikes that have features on all the channels.
/// @param counts  of the side
std::vector<ShiftedSpike> with_channels(const SpikeFeatures& spikes, const std::vector<ShiftedSpike>& side,
                                        const CentreCounts& counts,
                                        const std::vector<std::int32_t>& channels) {
  std::set<std::int32_t> centres;
  for (const auto& [centre, count] : counts)
    if (has_channels(spikes, centre, channels)) centres.insert(centre);
  std::vector<ShiftedSpike> kept;
  std::copy_if(side.begin(), side.end(), std::back_inserter(kept), [&](const ShiftedSpike& shifted) {
    return centres.contains(spikes.centre(static_cast<std::size_t>(shifted.spike)));
  });
  return kept;
}

/// What of a pair is compared.
struct ComparedPair {
  std::vector<std::int32_t> channels;  // that nearly all spikes of both sides have
  std::vector<ShiftedSpike> left;      // which have all of them
  std::vector<ShiftedSpike> right;

  bool is_evidence() const {
    return !channels.empty() && std::min(left.size(), right.size()) >= fewest_spikes;
  }
};

ComparedPair compare(const SpikeFeatures& spikes, const SpikePair& pair) {
  const CentreCounts left = count_by_centre(spikes, pair.left);
  const CentreCounts right = count_by_centre(spikes, pair.right);
  const std::vector<double> left_shares = channel_shares(spikes, left, pair.left.size());
  const std::vector<double> right_shares = channel_shares(spikes, right, pair.right.size());
  ComparedPair compared;
  for (std::size_t c = 0; c < left_shares.size(); ++c)
    if (std::min(left_shares[c], right_shares[c]) >= common_share)
      compared.channels.push_back(static_cast<std::int32_t>(c));
  compared.left = thin_out(with_channels(spikes, pair.left, left, compared.channels));
  compared.right = thin_out(with_channels(spikes, pair.right, right, compared.channels));
  return compared;
}

/// Pairs as sections of two leaves each, in the form that the clustering's tests of a merging tree take.
struct PairSections {
  SpikeFeatures spikes;  // copies, moved
  std::vector<Section> sections;
  std::vector<std::size_t> n_left;   // spikes of each section's left side, which come first
  std::vector<std::size_t> pair_of;  // [sections]
};

void copy_shifted(const SpikeFeatures& from, const HostMatrix<float>& products, const ShiftedSpike& shifted,
                  std::size_t place, SpikeFeatures& to) {
  const auto spike = static_cast<std::size_t>(shifted.spike);
  to.sample(place) = from.sample(spike);
  to.centre(place) = from.centre(spike);
  for (std::size_t row = 0; row < from.n_rows(); ++row) {
    if (shifted.shift == 0)
      std::copy_n(&from.features(spike, row, 0), from.n_pcs(), &to.features(place, row, 0));
    else
      shift_coefficients(products, shifted.shift, from.n_pcs(), &from.features(spike, row, 0),
                         &to.features(place, row, 0));
  }
}

PairSections make_sections(const SpikeFeatures& spikes, const HostMatrix<float>& products,
                           const std::vector<SpikePair>& pairs) {
  std::vector<ComparedPair> compared(pairs.size());
  host_loop("templates::compared_pairs", pairs.size(),
            [&](const std::size_t k) { compared[k] = compare(spikes, pairs[k]); });

  PairSections made;
  std::size_t n_spikes = 0;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (!compared[k].is_evidence()) continue;
    Section section;
    section.channels = compared[k].channels;
    section.spikes.resize(compared[k].left.size() + compared[k].right.size());
    std::iota(section.spikes.begin(), section.spikes.end(), static_cast<std::int64_t>(n_spikes));
    n_spikes += section.spikes.size();
    made.sections.push_back(std::move(section));
    made.n_left.push_back(compared[k].left.size());
    made.pair_of.push_back(k);
  }
  made.spikes.probe = spikes.probe;
  made.spikes.centres = spikes.centres;
  const auto named = [](const char* what) {
    return Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string("kokkosort::templates::") + what);
  };
  made.spikes.sample = HostVector<std::int64_t>(named("pair_samples"), n_spikes);
  made.spikes.centre = HostVector<std::int32_t>(named("pair_centres"), n_spikes);
  made.spikes.features =
      HostTensor3<float>(named("pair_features"), n_spikes, spikes.n_rows(), spikes.n_pcs());
  host_loop("templates::pair_spikes", made.sections.size(), [&](const std::size_t s) {
    const ComparedPair& pair = compared[made.pair_of[s]];
    auto place = static_cast<std::size_t>(made.sections[s].spikes.front());
    for (const auto* side : {&pair.left, &pair.right})
      for (const ShiftedSpike& shifted : *side) copy_shifted(spikes, products, shifted, place++, made.spikes);
  });
  return made;
}

/// Sections [first, last): scores of their only node.
template <class Exec>
void score_batch(const Exec& exec, const PairSections& pairs, std::size_t first, std::size_t last,
                 std::vector<double>& scores, TransferLedger& ledger) {
  const ClusteringOptions options;
  const SectionBatch<Exec> batch =
      upload_sections(exec, pairs.spikes, pairs.sections, first, last, options, ledger);
  const HostVector<std::int32_t> labels("kokkosort::templates::side_labels", batch.n_columns);
  std::vector<MergeTree> trees;
  for (std::size_t s = first; s < last; ++s) {
    const SectionExtent& extent = batch.extents[s - first];
    for (std::size_t i = pairs.n_left[s]; i < extent.n_spikes; ++i) labels(extent.first_spike + i) = 1;
    trees.push_back({2, {{0, 1, 1.0, Verdict::untested, -1.0}}});
  }
  const Vector<std::int32_t, Exec> on_device(unfilled(exec, "kokkosort::templates::side_labels_on_device"),
                                             batch.n_columns);
  copy_up(exec, ledger, "templates", "side_labels", on_device, labels);
  const auto sections = std::span<const Section>(pairs.sections).subspan(first, last - first);
  const LeafTable<Exec> leaves =
      make_leaf_table(exec, batch, sections, trees, pairs.spikes, on_device, labels, ledger);
  embed_points(exec, batch, order_by_leaf(exec, batch, leaves));
  const LeafGrams<Exec> grams = compute_leaf_grams(exec, batch, leaves, options.grams, ledger);
  decide_splits<Exec>(exec, batch, leaves, grams, nullptr, SplitOptions(), trees, ledger);
  for (std::size_t s = first; s < last; ++s) scores[pairs.pair_of[s]] = trees[s - first].joins[0].score;
}

/// Device bytes of a pair's spikes, points and Grams.
std::size_t bytes_of(const SpikeFeatures& spikes, const Section& section) {
  const std::size_t d = section.channels.size() * spikes.n_pcs() + 1;
  return section.spikes.size() * sizeof(float) * (d + spikes.n_rows() * spikes.n_pcs() + 32) +
         4 * sizeof(double) * d * d;
}

}  // namespace

template <class Exec>
std::vector<double> pair_bimodality(const Exec& exec, const SpikeFeatures& spikes,
                                    const HostMatrix<float>& products, const std::vector<SpikePair>& pairs,
                                    std::size_t limit_bytes, TransferLedger& ledger) {
  std::vector<double> scores(pairs.size(), undecided);
  const PairSections sections = make_sections(spikes, products, pairs);
  std::size_t first = 0;
  std::size_t bytes = 0;
  for (std::size_t s = 0; s < sections.sections.size(); ++s) {
    const std::size_t more = bytes_of(sections.spikes, sections.sections[s]);
    if (s > first && bytes + more > limit_bytes) {
      score_batch(exec, sections, first, s, scores, ledger);
      first = s;
      bytes = 0;
    }
    bytes += more;
  }
  if (first < sections.sections.size())
    score_batch(exec, sections, first, sections.sections.size(), scores, ledger);
  return scores;
}

#define INSTANTIATE(Exec)                                                                                   \
  template std::vector<double> pair_bimodality(const Exec&, const SpikeFeatures&, const HostMatrix<float>&, \
                                               const std::vector<SpikePair>&, std::size_t, TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
