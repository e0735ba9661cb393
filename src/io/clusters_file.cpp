#include "kokkosort/io/clusters_file.hpp"

#include <cstddef>

#include "io/hdf5.hpp"
#include "io/hdf5_columns.hpp"
#include "io/probe_io.hpp"
#include "io/run_io.hpp"

namespace kokkosort {
namespace {

using hdf5::OutputFile;
using hdf5::write_column;

struct FlatJoin {
  std::int32_t section;
  Join join;
};

void write_trees(OutputFile& file, const std::vector<SectionReport>& sections) {
  std::vector<FlatJoin> joins;
  for (std::size_t s = 0; s < sections.size(); ++s)
    for (const Join& join : sections[s].tree.joins) joins.push_back({static_cast<std::int32_t>(s), join});

  file.group("sections/tree");
  write_column(file, "sections/tree/section", joins, &FlatJoin::section);
  write_column(file, "sections/tree/left", joins, [](const FlatJoin& row) { return row.join.left; });
  write_column(file, "sections/tree/right", joins, [](const FlatJoin& row) { return row.join.right; });
  write_column(file, "sections/tree/ratio", joins, [](const FlatJoin& row) { return row.join.ratio; });
  write_column(file, "sections/tree/verdict", joins,
               [](const FlatJoin& row) { return static_cast<std::int32_t>(row.join.verdict); });
  write_column(file, "sections/tree/score", joins, [](const FlatJoin& row) { return row.join.score; });
  file.attribute("sections/tree/verdict", "values",
                 "0 untested, below a joined node; 1 split, few edges; 2 joined, refractory to each other; "
                 "3 split, a trough between the sides; 4 joined, no trough");
  file.attribute("sections/tree/score", "values", "bimodality; -1 where it was not measured");
}

void write_sections(OutputFile& file, const std::vector<SectionReport>& sections) {
  file.group("sections");
  write_column(file, "sections/shank", sections, &SectionReport::shank);
  write_column(file, "sections/x_um", sections, &SectionReport::x_um);
  write_column(file, "sections/y_um", sections, &SectionReport::y_um);
  write_column(file, "sections/spikes", sections, &SectionReport::spikes);
  write_column(file, "sections/channels", sections, &SectionReport::channels);
  write_column(file, "sections/subset", sections, &SectionReport::subset);
  write_column(file, "sections/seeds", sections, &SectionReport::seeds);
  write_column(file, "sections/leaves", sections, &SectionReport::leaves);
  write_column(file, "sections/first_unit", sections, &SectionReport::first_unit);
  write_column(file, "sections/units", sections, &SectionReport::units);
  write_trees(file, sections);
}

void write_templates(OutputFile& file, const std::string& name, const HostTensor3<float>& templates) {
  file.write(name, {templates.extent(0), templates.extent(1), templates.extent(2)}, templates.data());
}

void write_learned(OutputFile& file, const LearnedTemplates& learned) {
  write_templates(file, "learned_templates", learned.templates);
  file.write("learned_template_of", {learned.template_of.size()}, learned.template_of.data());
  file.write("learned_shift_of", {learned.shift_of.size()}, learned.shift_of.data());
}

}  // namespace

std::vector<std::int32_t> in_file_order(const std::vector<std::int32_t>& labels,
                                        const HostVector<std::int64_t>& file_order) {
  if (file_order.size() == 0) return labels;
  std::vector<std::int32_t> sorted(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) sorted[static_cast<std::size_t>(file_order(i))] = labels[i];
  return sorted;
}

void write_clusters(PendingFile& pending, const SpikeFeatures& spikes, const ClusterResult& result,
                    const RunRecord& run) {
  OutputFile file(pending.temporary());
  const Clustering& clustering = result.clustering;
  const std::vector<std::int32_t> labels = in_file_order(clustering.labels, spikes.file_order);
  file.write("labels", {labels.size()}, labels.data());
  write_templates(file, "templates", clustering.templates);
  write_learned(file, result.learned);
  write_sections(file, clustering.sections);
  write_probe(file, spikes.probe);
  write_pcs(file, spikes.pcs);
  file.attribute("/", "sampling_rate_hz", spikes.sampling_rate_hz);
  file.attribute("/", "dmin_um", spikes.dmin_um);
  file.attribute("/", "dminx_um", spikes.dminx_um);
  write_run(file, run);  // last: all before it is the same bytes in every run
  file.close();
  pending.commit();
}

}  // namespace kokkosort
