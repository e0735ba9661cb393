#include "kokkosort/io/clusters_file.hpp"

#include <cstddef>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <type_traits>

#include "io/hdf5.hpp"
#include "io/probe_io.hpp"

namespace kokkosort {
namespace {

using hdf5::OutputFile;

/// Writes one member, or what a function makes of it, of all rows as a dataset.
template <class Row, class Member>
void write_column(OutputFile& file, const std::string& name, const std::vector<Row>& rows, Member member) {
  using Value = std::remove_cvref_t<std::invoke_result_t<Member, const Row&>>;
  std::vector<Value> column;
  column.reserve(rows.size());
  for (const Row& row : rows) column.push_back(std::invoke(member, row));
  file.write(name, {column.size()}, column.data());
}

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

/// A row of the ledger as it lies in the file.
struct LedgerRow {
  char stage[48];
  char what[48];
  char direction[8];
  std::uint64_t bytes;
  std::uint64_t copies;
};

template <std::size_t length>
void copy_text(char (&to)[length], const std::string& from) {
  std::strncpy(to, from.c_str(), length - 1);
}

hdf5::Id ledger_type() {
  const auto insert = [](const hdf5::Id& type, const char* name, std::size_t offset, hid_t member) {
    hdf5::check<std::runtime_error>(H5Tinsert(type.get(), name, offset, member), "HDF5 record type");
  };
  hdf5::Id type(
      hdf5::check<std::runtime_error>(H5Tcreate(H5T_COMPOUND, sizeof(LedgerRow)), "HDF5 record type"));
  insert(type, "stage", offsetof(LedgerRow, stage), hdf5::string_type(sizeof(LedgerRow::stage)).get());
  insert(type, "what", offsetof(LedgerRow, what), hdf5::string_type(sizeof(LedgerRow::what)).get());
  insert(type, "direction", offsetof(LedgerRow, direction),
         hdf5::string_type(sizeof(LedgerRow::direction)).get());
  insert(type, "bytes", offsetof(LedgerRow, bytes), H5T_NATIVE_UINT64);
  insert(type, "copies", offsetof(LedgerRow, copies), H5T_NATIVE_UINT64);
  return type;
}

void write_ledger(OutputFile& file, const TransferLedger& ledger) {
  std::vector<LedgerRow> rows;
  for (const auto& [key, entry] : ledger.entries()) {
    LedgerRow& row = rows.emplace_back();
    copy_text(row.stage, key.stage);
    copy_text(row.what, key.what);
    copy_text(row.direction, key.direction == Direction::up ? "up" : "down");
    row.bytes = entry.bytes;
    row.copies = entry.copies;
  }
  file.write("run/transfer_ledger", ledger_type().get(), {rows.size()}, rows.data());
}

void write_run(OutputFile& file, const RunRecord& run) {
  file.group("run");
  file.attribute("run", "command", run.command);
  file.attribute("run", "deck", run.deck);
  file.attribute("run", "backend", run.backend);
  file.attribute("run", "device", run.device);
  file.attribute("run", "threads", std::int32_t{run.threads});
  file.attribute("run", "date", run.date);
  file.group("run/versions");
  for (const auto& [name, version] : run.versions) file.attribute("run/versions", name, version);
  file.group("run/seconds");
  for (const auto& [stage, seconds] : run.times.entries()) file.attribute("run/seconds", stage, seconds);
  write_ledger(file, run.ledger);
}

}  // namespace

std::vector<std::int32_t> in_file_order(const std::vector<std::int32_t>& labels,
                                        const HostVector<std::int64_t>& file_order) {
  if (file_order.size() == 0) return labels;
  std::vector<std::int32_t> sorted(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) sorted[static_cast<std::size_t>(file_order(i))] = labels[i];
  return sorted;
}

void write_clusters(PendingFile& pending, const SpikeFeatures& spikes, const Clustering& clustering,
                    const RunRecord& run) {
  OutputFile file(pending.temporary());
  const std::vector<std::int32_t> labels = in_file_order(clustering.labels, spikes.file_order);
  const auto& templates = clustering.templates;
  file.write("labels", {labels.size()}, labels.data());
  file.write("templates", {templates.extent(0), templates.extent(1), templates.extent(2)}, templates.data());
  write_sections(file, clustering.sections);
  write_probe(file, spikes.probe);
  write_pcs(file, spikes.pcs);
  file.attribute("/", "sampling_rate_hz", spikes.sampling_rate_hz);
  write_run(file, run);  // last: all before it is the same bytes in every run
  file.close();
  pending.commit();
}

}  // namespace kokkosort
