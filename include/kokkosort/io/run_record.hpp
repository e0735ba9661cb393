#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kokkosort/stage_times.hpp"
#include "kokkosort/transfer_ledger.hpp"

namespace kokkosort {

/// How a result came about; the group /run of a result file.
struct RunRecord {
  std::string command;  // "cluster"
  std::string deck;     // YAML, every key
  std::vector<std::pair<std::string, std::string>>
      versions;         // of this program and the libraries it stands on
  std::string backend;  // execution space
  std::string device;
  int threads = 0;         // of the host
  std::string resumed_at;  // stage; empty: from the beginning
  std::string date;        // ISO 8601, UTC
  StageTimes times;
  TransferLedger ledger;
  std::map<std::string, std::uint64_t>
      memory;  // bytes at the most, by memory space, and of the whole process; empty: not measured
};

}  // namespace kokkosort
