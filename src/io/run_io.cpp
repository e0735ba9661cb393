#include "io/run_io.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace kokkosort {
namespace {

using hdf5::OutputFile;

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

}  // namespace

void write_run(OutputFile& file, const RunRecord& run) {
  file.group("run");
  file.attribute("run", "command", run.command);
  file.attribute("run", "deck", run.deck);
  file.attribute("run", "backend", run.backend);
  file.attribute("run", "device", run.device);
  file.attribute("run", "threads", std::int32_t{run.threads});
  file.attribute("run", "date", run.date);
  file.attribute("run", "resumed_at", run.resumed_at);
  file.group("run/versions");
  for (const auto& [name, version] : run.versions) file.attribute("run/versions", name, version);
  file.group("run/seconds");
  for (const StageTime& time : run.times.entries()) file.attribute("run/seconds", time.stage, time.seconds);
  file.group("run/memory");
  for (const auto& [space, bytes] : run.memory)
    file.attribute("run/memory", space, static_cast<std::int64_t>(bytes));
  write_ledger(file, run.ledger);
}

}  // namespace kokkosort
