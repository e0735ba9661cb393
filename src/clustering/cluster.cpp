#include "kokkosort/clustering/cluster.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "clustering/work.hpp"
#include "core/instantiate.hpp"
#include "kokkosort/clustering/assignment.hpp"
#include "kokkosort/clustering/leaves.hpp"
#include "kokkosort/clustering/neighbours.hpp"
#include "kokkosort/clustering/section_batch.hpp"
#include "kokkosort/clustering/seeding.hpp"
#include "kokkosort/clustering/splits.hpp"
#include "kokkosort/errors.hpp"

namespace kokkosort {
namespace {

/// Device bytes that a section needs at most, beside the scratch that options bound.
std::size_t bytes_of(const SectionExtent& section, const SpikeFeatures& spikes, const ClusteringOptions& options) {
  const std::size_t n = section.stride;
  const std::size_t d = section.n_features;
  const auto neighbours = static_cast<std::size_t>(options.neighbours.neighbours);
  const auto trials = static_cast<std::size_t>(seeding_trials(options.seeding));
  const std::size_t per_spike = 4 * d + 4 * spikes.n_rows() * spikes.n_pcs() + 8 * neighbours + 8 * trials + 48;
  const std::size_t per_leaf = 8 * (d + 1) * (d + 1) + 4 * CorrelogramCounter::size * section.n_seeds + 4 * section.n_seeds;
  // Node systems of one level: at most half as many as leaves.
  return n * per_spike + section.n_subset * (4 * d + 16) + section.n_seeds * (per_leaf + 4 * (d + 1) * (d + 1));
}

/// Consecutive sections that fit the budget together.
struct BatchRange {
  std::size_t first;
  std::size_t last;
};

void check_largest_section(const std::vector<Section>& sections, const std::vector<std::size_t>& bytes,
                           std::size_t scratch, std::size_t limit) {
  const auto largest = static_cast<std::size_t>(std::max_element(bytes.begin(), bytes.end()) - bytes.begin());
  if (scratch + bytes[largest] <= limit) return;
  throw DeviceLimitError("memory.device_limit_mb = " + std::to_string(limit >> 20) + " is too small: a section of " +
                         std::to_string(sections[largest].spikes.size()) + " spikes needs " +
                         std::to_string(((scratch + bytes[largest]) >> 20) + 1) +
                         "; raise it, or lower clustering.max_chunk_dots");
}

std::vector<BatchRange> plan_batches(const SpikeFeatures& spikes, const std::vector<Section>& sections,
                                     const ClusteringOptions& options) {
  const std::size_t scratch = 4 * options.neighbours.max_chunk_dots;
  std::vector<std::size_t> bytes;
  for (const Section& section : sections)
    bytes.push_back(bytes_of(section_extent(section, 0, spikes.n_pcs(), options), spikes, options));
  check_largest_section(sections, bytes, scratch, options.device_limit_bytes);

  std::vector<BatchRange> batches;
  std::size_t used = 0;
  for (std::size_t s = 0; s < sections.size(); ++s) {
    if (batches.empty() || scratch + used + bytes[s] > options.device_limit_bytes) {
      batches.push_back({s, s});
      used = 0;
    }
    batches.back().last = s + 1;
    used += bytes[s];
  }
  return batches;
}

/// Where the results of all batches are gathered.
struct Results {
  Clustering clustering;
  std::vector<std::vector<float>> templates;  // per unit [channels · pcs]
};

void add_template(const SpikeFeatures& spikes, const Section& section, const LeafRange& leaves,
                  const std::vector<std::uint32_t>& leaf_spikes, const HostMatrix<double>& sums, Results& results) {
  std::vector<float> mean(spikes.n_channels() * spikes.n_pcs(), 0.0f);
  double n = 0.0;
  for (std::uint32_t leaf = leaves.first; leaf < leaves.last; ++leaf) n += leaf_spikes[leaf];
  for (std::size_t slot = 0; slot < section.channels.size(); ++slot)
    for (std::size_t pc = 0; pc < spikes.n_pcs(); ++pc) {
      double sum = 0.0;
      for (std::uint32_t leaf = leaves.first; leaf < leaves.last; ++leaf) sum += sums(leaf, slot * spikes.n_pcs() + pc);
      mean[static_cast<std::size_t>(section.channels[slot]) * spikes.n_pcs() + pc] = static_cast<float>(sum / n);
    }
  results.templates.push_back(std::move(mean));
}

SectionReport describe(const Section& section, const SectionExtent& extent, std::uint32_t seeds, MergeTree tree) {
  SectionReport report;
  report.shank = section.shank;
  report.x_um = section.x_um;
  report.y_um = section.y_um;
  report.spikes = extent.n_spikes;
  report.channels = static_cast<std::int32_t>(section.channels.size());
  report.subset = static_cast<std::int32_t>(extent.n_subset);
  report.seeds = static_cast<std::int32_t>(seeds);
  report.leaves = tree.n_leaves;
  report.tree = std::move(tree);
  return report;
}

/// Clusters one batch of sections; its members are the stages' results in order.
template <class Exec>
class BatchClustering {
 public:
  BatchClustering(const Exec& exec, const SpikeFeatures& spikes, const std::vector<Section>& sections, BatchRange range,
                  const ClusteringOptions& options, TransferLedger& ledger, StageTimes& times)
      : exec_(exec), spikes_(spikes), sections_(sections.data() + range.first, range.last - range.first),
        options_(options), ledger_(ledger), times_(times) {
    auto stage = time("upload");
    batch_ = upload_sections(exec_, spikes_, sections, range.first, range.last, options_, ledger_);
    stage.needs(work_of_embedding(batch_.extents, batch_.features.extent(1)));
    embed_points(exec_, batch_, Vector<std::uint32_t, Exec>());
  }

  void run(Results& results) {
    find_leaves();
    read_labels();
    place_leaves();
    split();
    collect(results);
  }

 private:
  ScopedStage<Exec> time(const std::string& stage) { return ScopedStage<Exec>(exec_, times_, "clustering::" + stage); }

  void find_leaves() {
    NeighbourGraph<Exec> graph;
    Seeding<Exec> seeding;
    {
      auto stage = time("neighbours");
      stage.needs(work_of_neighbours(batch_.extents, options_.neighbours.neighbours));
      graph = find_neighbours(exec_, batch_, options_.neighbours, ledger_);
    }
    {
      const auto stage = time("seeding");
      seeding = seed_clusters(exec_, batch_, graph.norms, options_.seeding, options_.seed, ledger_);
    }
    {
      auto stage = time("assignment");
      stage.needs(work_of_assignment(batch_.extents, options_.neighbours.neighbours));
      assignment_ = assign_clusters(exec_, batch_, graph, seeding, options_.assignment, ledger_);
      edges_ = count_edges(exec_, batch_, graph, assignment_, ledger_);
    }
    n_seeds_ = HostVector<std::uint32_t>("kokkosort::clustering::n_seeds_on_host", batch_.n_sections());
    copy_down(exec_, ledger_, "clustering", "n_seeds", n_seeds_, seeding.n_seeds);
    times_.add("clustering::seeding", 0.0, work_of_seeding(batch_.extents, n_seeds_, seeding_trials(options_.seeding)));
  }

  void read_labels() {
    labels_ = HostVector<std::int32_t>("kokkosort::clustering::labels_on_host", batch_.n_columns);
    copy_down(exec_, ledger_, "clustering", "labels", labels_, assignment_.left);
  }

  void place_leaves() {
    const auto stage = time("tree");
    for (const HostMatrix<std::uint32_t>& edges : edges_) trees_.push_back(build_merge_tree(edges));
    leaves_ = make_leaf_table(exec_, batch_, sections_, trees_, spikes_, assignment_.left, labels_, ledger_);
  }

  void split() {
    auto stage = time("splits");
    stage.needs(work_of_splits(batch_.extents, batch_.features.extent(1)));
    embed_points(exec_, batch_, order_by_leaf(exec_, batch_, leaves_));
    const LeafGrams<Exec> grams = compute_leaf_grams(exec_, batch_, leaves_, options_.grams, ledger_);
    LeafCorrelograms correlograms;
    if (options_.splits.refractory) correlograms = count_correlograms(exec_, batch_, leaves_, spikes_.sampling_rate_hz, ledger_);
    clusters_ = decide_splits(exec_, batch_, leaves_, grams, options_.splits.refractory ? &correlograms : nullptr,
                              options_.splits, trees_, ledger_);
    sums_ = leaf_sums(exec_, batch_, leaves_, grams, ledger_);
  }

  void collect(Results& results) {
    for (std::size_t s = 0; s < batch_.n_sections(); ++s) {
      const auto first_unit = static_cast<std::int32_t>(results.templates.size());
      label_spikes(s, first_unit, results.clustering.labels);
      for (const LeafRange& range : clusters_[s])
        add_template(spikes_, sections_[s], range, leaves_.n_spikes, sums_, results);
      SectionReport report = describe(sections_[s], batch_.extents[s], n_seeds_(s), std::move(trees_[s]));
      report.first_unit = first_unit;
      report.units = static_cast<std::int32_t>(clusters_[s].size());
      results.clustering.sections.push_back(std::move(report));
    }
  }

  void label_spikes(std::size_t s, std::int32_t first_unit, std::vector<std::int32_t>& labels) const {
    const SectionExtent& section = batch_.extents[s];
    const std::vector<std::int32_t> order = leaf_order(trees_[s]);
    std::vector<std::int32_t> unit_of_label(order.size());
    for (std::size_t unit = 0; unit < clusters_[s].size(); ++unit)
      for (std::uint32_t leaf = clusters_[s][unit].first; leaf < clusters_[s][unit].last; ++leaf)
        unit_of_label[static_cast<std::size_t>(order[leaf - leaves_.first_leaf[s]])] =
            first_unit + static_cast<std::int32_t>(unit);
    for (std::uint32_t i = 0; i < section.n_spikes; ++i)
      labels[static_cast<std::size_t>(sections_[s].spikes[i])] =
          unit_of_label[static_cast<std::size_t>(labels_(section.first_spike + i))];
  }

  const Exec& exec_;
  const SpikeFeatures& spikes_;
  std::span<const Section> sections_;
  const ClusteringOptions& options_;
  TransferLedger& ledger_;
  StageTimes& times_;
  SectionBatch<Exec> batch_;
  Assignment<Exec> assignment_;
  HostVector<std::uint32_t> n_seeds_;
  HostVector<std::int32_t> labels_;
  std::vector<HostMatrix<std::uint32_t>> edges_;
  std::vector<MergeTree> trees_;
  LeafTable<Exec> leaves_;
  std::vector<std::vector<LeafRange>> clusters_;
  HostMatrix<double> sums_;
};

HostTensor3<float> join_templates(const SpikeFeatures& spikes, const std::vector<std::vector<float>>& templates) {
  const HostTensor3<float> joined("kokkosort::clustering::templates", templates.size(), spikes.n_channels(),
                                  spikes.n_pcs());
  for (std::size_t unit = 0; unit < templates.size(); ++unit)
    std::copy(templates[unit].begin(), templates[unit].end(), &joined(unit, 0, 0));
  return joined;
}

}  // namespace

void check_device_memory(const SpikeFeatures& spikes, const ClusteringOptions& options) {
  plan_batches(spikes, make_sections(spikes), options);
}

template <class Exec>
Clustering cluster_spikes(const Exec& exec, const SpikeFeatures& spikes, const ClusteringOptions& options,
                          TransferLedger& ledger) {
  if (spikes.n_spikes() == 0) throw InputError("there are no spikes to cluster");
  const std::vector<Section> sections = make_sections(spikes);
  Results results;
  results.clustering.labels.assign(spikes.n_spikes(), -1);
  for (const BatchRange range : plan_batches(spikes, sections, options))
    BatchClustering<Exec>(exec, spikes, sections, range, options, ledger, results.clustering.times)
        .run(results);
  results.clustering.templates = join_templates(spikes, results.templates);
  return std::move(results.clustering);
}

#define INSTANTIATE(Exec)                                                                                   \
  template Clustering cluster_spikes(const Exec&, const SpikeFeatures&, const ClusteringOptions&, TransferLedger&);
KOKKOSORT_INSTANTIATE(INSTANTIATE)
#undef INSTANTIATE

}  // namespace kokkosort
